import type { FastifyReply } from 'fastify'
import { assetAddress } from './assets.ts'
import { html, type Html } from './html.ts'
import { logoMark } from './mark.ts'

interface Page {
  title: string
  /** Current entry of the menu; without one, such as on the checkout, the page has no menu. */
  menu?: 'start' | 'mailbox' | 'rates' | 'control'
  style?: 'control.css'
  script?: 'checkout.js'
  body: Html
}

const entries = [
  ['start', '/', 'Start'],
  ['mailbox', '/mail', 'Mailbox'],
  ['rates', '/rates', 'Rates'],
  ['control', '/control', 'Control'],
] as const

const renderMenu = (current: Page['menu']): Html =>
  html`<header class="top">
    <a class="name" href="/">${logoMark}Tern Sandbox</a>
    <nav aria-label="Sandbox">
      ${entries.map(
        ([name, address, label]) =>
          html`<a href="${address}" ${name === current ? html`aria-current="page"` : null}>${label}</a>`,
      )}
    </nav>
  </header>`

export function layout({ title, menu, style, script, body }: Page): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="icon" href="${assetAddress('icon.svg')}" type="image/svg+xml" />
        <link rel="stylesheet" href="${assetAddress('sandbox.css')}" />
        ${style ? html`<link rel="stylesheet" href="${assetAddress(style)}" />` : null}
        ${script ? html`<script src="${assetAddress(script)}" defer></script>` : null}
      </head>
      <body>
        <aside class="strip" aria-label="Notice"><strong>Sandbox</strong>: no real money</aside>
        ${menu ? renderMenu(menu) : null} ${body}
      </body>
    </html> `.markup
}

/** Renders a UTC time for readers, with its ISO form for machines. */
export function formatMoment(iso: string): Html {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return html`<time datetime="${iso}">${format.format(new Date(iso))} UTC</time>`
}

export const sendPage = (reply: FastifyReply, document: string): FastifyReply =>
  reply.type('text/html; charset=utf-8').send(document)

/** Page with a message, for unknown addresses and errors. */
export const messagePage = (title: string, message: string): string =>
  layout({
    title: `${title} · Tern Sandbox`,
    menu: 'start',
    body: html`<main class="page">
      <h1>${title}</h1>
      <p class="lead">${message}</p>
      <p><a href="/">To the start page</a></p>
    </main>`,
  })
