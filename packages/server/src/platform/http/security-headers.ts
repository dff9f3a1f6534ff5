import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerError } from './problem.ts'

interface HeaderOptions {
  /** Origin of the pages; if it uses https, browsers are told to use only https. */
  readonly origin: string
  /** Additional or overriding headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
}

/** Headers of the OWASP secure headers project, as the package helmet sends them. */
const usual: Readonly<Record<string, string>> = {
  // Pages send their own policy with content hashes; other answers must not load anything.
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
}

const httpsOnly: Readonly<Record<string, string>> = {
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
}

export const buildSecurityHeaders = ({ origin, headers }: HeaderOptions): Readonly<Record<string, string>> => ({
  ...usual,
  ...(origin.startsWith('https:') ? httpsOnly : {}),
  ...headers,
})

/** Sends the security headers and the request's id with every answer of a route. */
export function sendSecurityHeaders(http: FastifyInstance, options: HeaderOptions): void {
  const all = buildSecurityHeaders(options)
  http.addHook('onRequest', (request, reply, done) => {
    reply.headers(all).header('x-request-id', request.id)
    done()
  })
}

const statusOfError: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/**
 * Fastify options for answers that run no hooks: to an address that cannot be routed, and to bytes that are no HTTP
 * request.
 */
export function answersWithoutHooks(options: HeaderOptions) {
  const all = buildSecurityHeaders(options)
  return {
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      void answerError(error, request, reply.headers(all).header('x-request-id', request.id)),
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => {
      if (error.code === 'ECONNRESET' || socket.destroyed) return
      const lines = Object.entries({ ...all, 'content-length': '0', connection: 'close' }).map(
        ([name, value]) => `${name}: ${value}`,
      )
      const status = statusOfError[error.code ?? ''] ?? '400 Bad Request'
      if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n`)
      socket.destroy(error)
    },
  }
}
