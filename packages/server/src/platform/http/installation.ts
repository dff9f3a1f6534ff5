// What the built pages leave open because only the running server knows it: license and security contact.

import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import type { License } from '../runtime/config.ts'

export interface Installation {
  readonly license: License | undefined
  readonly hasSecurityContact: boolean
}

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** An element with this attribute, which holds none of its own kind; its tag, attributes and content. */
const elements = (attribute: string, name: string) =>
  new RegExp(`<(\\w+)((?: [^<>]*)? data-${attribute}="${name}"[^<>]*)>([\\s\\S]*?)</\\1>`, 'g')
const startTags = (attribute: string, name: string) =>
  new RegExp(`<\\w+(?: [^<>]*)? data-${attribute}="${name}"[^<>]*>`, 'g')

/** Shows what stands ready for the case that `name` is known, and drops what stands there otherwise. */
const settle = (html: string, name: string): string =>
  html
    .replaceAll(elements('without', name), '')
    .replaceAll(startTags('with', name), (tag) => tag.replace(' hidden=""', ''))

/**
 * A built page as it reads in this installation: `data-without` gives way to `data-with`, and `data-value` gets its text
 * or address. What is not known stays as it was built, which says so.
 */
export function fillPage(html: string, { license, hasSecurityContact }: Installation): string {
  let filled = html
  if (license !== undefined) {
    const text = escape(license.text)
    filled = settle(filled, 'license').replaceAll(
      elements('value', 'license'),
      (_all, tag: string, attributes: string) => `<${tag}${attributes}>${text}</${tag}>`,
    )
  }
  if (license?.registerUrl !== undefined) {
    const address = escape(license.registerUrl)
    filled = settle(filled, 'license-register').replaceAll(startTags('value', 'license-register'), (tag) =>
      tag.replace(/ href="[^"]*"/, () => ` href="${address}"`),
    )
  }
  return hasSecurityContact ? settle(filled, 'security-contact') : filled
}

/** A page ready to be sent, in every encoding that browsers ask for. */
export interface PackedPage {
  readonly etag: string
  readonly plain: Buffer
  readonly br: Buffer
  readonly gzip: Buffer
}

export function packPage(html: string): PackedPage {
  const plain = Buffer.from(html)
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { etag, plain, br: brotliCompressSync(plain), gzip: gzipSync(plain) }
}

/** Sends a packed page, or that it has not changed. */
export function sendPacked(reply: FastifyReply, page: PackedPage): FastifyReply {
  const accepted = reply.request.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find((name) => new RegExp(`\\b${name}\\b`).test(accepted))
  const vary = [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', ')
  void reply.headers({ 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8', etag: page.etag, vary })
  if (reply.statusCode === 200 && reply.request.headers['if-none-match'] === page.etag) return reply.code(304).send()
  if (encoding !== undefined) void reply.header('content-encoding', encoding)
  return reply.send(page[encoding ?? 'plain'])
}
