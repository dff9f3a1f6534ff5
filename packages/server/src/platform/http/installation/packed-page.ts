import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyReply } from 'fastify'

/** Page uncompressed, and compressed with Brotli and gzip. */
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

/** Sends a compressed page, or 304 if the browser has the same version. */
export function sendPacked(reply: FastifyReply, page: PackedPage): FastifyReply {
  const accepted = reply.request.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find((name) => new RegExp(`\\b${name}\\b`).test(accepted))
  const vary = [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', ')
  void reply.headers({ 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8', etag: page.etag, vary })
  if (reply.statusCode === 200 && reply.request.headers['if-none-match'] === page.etag) return reply.code(304).send()
  if (encoding !== undefined) void reply.header('content-encoding', encoding)
  return reply.send(page[encoding ?? 'plain'])
}
