import type { FastifyRequest } from 'fastify'
import { refuse } from '../../../platform/refuse.ts'

/**
 * Refuses `cross_site_request` for calls from a page of another site. Clients other than browsers send neither header,
 * and have no cookie to abuse.
 */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin, 'sec-fetch-site': fetchSite } = request.headers
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') refuse('cross_site_request')
  if (origin === undefined || origin === new URL(publicUrl).origin) return
  // The same server under another name, such as 127.0.0.1; the browser confirms the same origin.
  const isSameServer =
    fetchSite === 'same-origin' && URL.canParse(origin) && new URL(origin).host === request.headers.host
  if (!isSameServer) refuse('cross_site_request')
}
