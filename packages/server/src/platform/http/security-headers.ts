import type { FastifyInstance } from 'fastify'

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

/** Sends the security headers and the request's id with every answer. */
export function sendSecurityHeaders(http: FastifyInstance, { origin, headers }: HeaderOptions): void {
  const all = { ...usual, ...(origin.startsWith('https:') ? httpsOnly : {}), ...headers }
  http.addHook('onRequest', (request, reply, done) => {
    reply.headers(all).header('x-request-id', request.id)
    done()
  })
}
