import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { ApiError } from './api.ts'

function readHost(address: string | undefined): string | undefined {
  return address !== undefined && URL.canParse(address) ? new URL(address).host : undefined
}

/** Reports whether a host is one of this service's own names, rather than a foreign name that resolves to it. */
function isOwnHost(host: string, publicUrl: string): boolean {
  return host === readHost(publicUrl) || /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(host)
}

function isFromOwnPage({ headers }: FastifyRequest, publicUrl: string): boolean {
  const { host = '', origin, 'sec-fetch-site': site } = headers
  if (!isOwnHost(host, publicUrl)) return false
  // Browsers send Sec-Fetch-Site to secure and local addresses only, but Origin with every posted form.
  return site === undefined ? readHost(origin) === host : site === 'same-origin'
}

/**
 * Refuses forms from other sites. These pages require no secret, so another site could submit their forms otherwise.
 */
export const requireSameOrigin =
  (publicUrl: () => string): onRequestHookHandler =>
  (request, _reply, done) => {
    if (request.method === 'GET' || request.method === 'HEAD' || isFromOwnPage(request, publicUrl())) return done()
    done(new ApiError(403, 'foreign_form', 'This can only be sent from the sandbox’s own page.'))
  }
