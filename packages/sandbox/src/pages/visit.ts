// What the pages have in common that somebody visits on the way from the product and back.

import type { FastifyReply } from 'fastify'
import { html, type Html } from './html.ts'
import { sendPage } from './layout.ts'
import { mark } from './mark.ts'
import { contentSecurityPolicy } from './policy.ts'

/** Sends a step of a visit, which no cache keeps and whose forms may lead to `returnUrl`. */
export function sendStep(reply: FastifyReply, returnUrl: string, document: string): FastifyReply {
  const policy = contentSecurityPolicy({ formTarget: new URL(returnUrl).origin })
  return sendPage(reply.header('content-security-policy', policy).header('cache-control', 'no-store'), document)
}

/** A form's or an address's value, where it is a text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

export const monogram = (name: string): Html =>
  html`<span class="monogram" aria-hidden="true">${name.slice(0, 1)}</span>`

/** Who is paid or linked to. Another name than the product's own has a letter instead of its mark. */
export const merchantMarkup = (merchant: string): Html =>
  html`<p class="merchant">${merchant === 'Tern' ? mark : monogram(merchant)}${merchant}</p>`

export interface Ending {
  title: string
  message: string
}

/** The end of a visit, with the way back. */
export const endMarkup = ({ title, message }: Ending, address: string, merchant: string): Html =>
  html`<section class="card ended">
    <h2>${title}</h2>
    <p>${message}</p>
    <p><a class="button" href="${address}">Return to ${merchant}</a></p>
  </section>`

interface Field {
  id: string
  name: string
  label: string
  /** Further attributes of the input. */
  attributes: Html
  problem: string | undefined
}

/** A form's field, with its problem after a failed attempt. */
export const fieldMarkup = ({ id, name, label, attributes, problem }: Field): Html =>
  html`<div class="field">
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      ${attributes}
      ${problem ? html`aria-invalid="true" aria-describedby="${id}-error"` : null}
    />
    ${problem ? html`<p class="error" id="${id}-error">${problem}</p>` : null}
  </div>`
