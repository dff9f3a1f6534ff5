// Parts of the hosted pages, which a person visits between two pages of the product.

import type { FastifyReply } from 'fastify'
import { html, type Html } from './html.ts'
import { sendPage } from './layout.ts'
import { logoMark } from './mark.ts'
import { contentSecurityPolicy } from './policy.ts'

/** Sends a hosted page, which is never cached, and whose forms may redirect to `returnUrl`. */
export function sendStep(reply: FastifyReply, returnUrl: string, document: string): FastifyReply {
  const policy = contentSecurityPolicy({ formTarget: new URL(returnUrl).origin })
  return sendPage(reply.header('content-security-policy', policy).header('cache-control', 'no-store'), document)
}

/** Returns a form or query value without surrounding blanks; empty if it is not a text. */
export const readText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

export const monogram = (name: string): Html =>
  html`<span class="monogram" aria-hidden="true">${name.slice(0, 1)}</span>`

/** Name of the merchant, with the logo of the product or, for other merchants, an initial. */
export const merchantMarkup = (merchant: string): Html =>
  html`<p class="merchant">${merchant === 'Tern' ? logoMark : monogram(merchant)}${merchant}</p>`

export interface VisitResult {
  title: string
  message: string
}

/** Result of a visit, with the link back to the merchant. */
export const endMarkup = ({ title, message }: VisitResult, address: string, merchant: string): Html =>
  html`<section class="card ended">
    <h2>${title}</h2>
    <p>${message}</p>
    <p><a class="button" href="${address}">Return to ${merchant}</a></p>
  </section>`

interface Field {
  id: string
  name: string
  label: string
  attributes: Html
  problem: string | undefined
}

/** Form field with its error, if any. */
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
