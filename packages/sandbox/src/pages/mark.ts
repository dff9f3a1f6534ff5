import { html } from './html.ts'

/** Logo of the product, with the same paths as the web app's `Brand.tsx`. */
export const logoMark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <path
    d="M.6 25.4A32 32 0 0 1 31.4 12.6A26 26 0 0 0 17.4 19.6C13.6 23.4 9.4 25.6 3.2 29.2Q4 27 6 24.8Q3.4 25.4 .6 25.4Z"
  />
  <path d="M6 .8A27 27 0 0 1 24 11.9A26 26 0 0 0 16.4 14.6A29 29 0 0 0 6 .8Z" />
</svg>`
