import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { ApiError } from './api.ts'

function hostOf(address: string | undefined): string | undefined {
  return address !== undefined && URL.canParse(address) ? new URL(address).host : undefined
}

/** Whether a request was made to one of this service's own names, and not to one that somebody else pointed here. */
function isOwnHost(host: string, publicUrl: string): boolean {
  return host === hostOf(publicUrl) || /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host)
}

function isFromOwnPage({ headers }: FastifyRequest, publicUrl: string): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = headers
  if (!isOwnHost(host, publicUrl)) return false
  // Browsers tell the first of these only to secure and local addresses, the second always with a form that is posted.
  return site === undefined ? hostOf(origin) === host : site === 'same-origin'
}

/**
 * Turns down what is posted from anywhere but this service's own pages: they need no secret, so no other site may make
 * a visitor's browser press their buttons.
 */
export const onlyOwnPages =
  (publicUrl: () => string): onRequestHookHandler =>
  (request, _reply, done) => {
    if (request.method === 'GET' || request.method === 'HEAD' || isFromOwnPage(request, publicUrl())) return done()
    done(new ApiError(403, 'foreign_form', 'This can only be sent from the sandbox’s own page.'))
  }
