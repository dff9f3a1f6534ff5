import type { Plugin } from 'vite'

/** Tailwind's banner, initial values for browsers without `@property`, and a variable that no style reads. */
const unread = [
  /\/\*! tailwindcss [^*]*\*\/\s*/g,
  /@layer properties\s*\{\s*@supports[^{]*\{[^{}]*\{[^{}]*\}\s*\}\s*\}|@layer properties;/g,
  /@property --tw-font-weight\s*\{[^}]*\}|--tw-font-weight:[^;}]*;?/g,
]

export const withoutUnread = (css: string): string =>
  unread.reduce((rest, pattern) => rest.replaceAll(pattern, ''), css)

/** Drops what Tailwind repeats in each sheet and no supported browser needs. */
export const plainStyles = (): Plugin => ({
  name: 'plain-styles',
  enforce: 'pre',
  transform: { filter: { id: /\.css$/ }, handler: (code) => ({ code: withoutUnread(code), map: null }) },
})
