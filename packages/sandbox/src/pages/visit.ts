// Shared by the pages that a person visits on the way from the product and back.

import type { FastifyReply } from 'fastify'
import { html, type Html } from './html.ts'
import { sendPage } from './layout.ts'
import { logoMark } from './mark.ts'
import { contentSecurityPolicy } from './policy.ts'

/** Sends a page of a visit: never cached, with forms that may redirect to `returnUrl`. */
export function sendStep(reply: FastifyReply, returnUrl: string, document: string): FastifyReply {
  const policy = contentSecurityPolicy({ formTarget: new URL(returnUrl).origin })
  return sendPage(reply.header('content-security-policy', policy).header('cache-control', 'no-store'), document)
}

/** Returns a form or query value if it is text, otherwise an empty string. */
export const readText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

export const monogram = (name: string): Html =>
  html`<span class="monogram" aria-hidden="true">${name.slice(0, 1)}</span>`

/** Name of the merchant. Names other than the product's get an initial instead of its logo. */
export const merchantMarkup = (merchant: string): Html =>
  html`<p class="merchant">${merchant === 'Tern' ? logoMark : monogram(merchant)}${merchant}</p>`

export interface VisitResult {
  title: string
  message: string
}

/** Final page of a visit, with the link back. */
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

/** Form field, with its error after a failed attempt. */
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
