import type { FastifyRequest } from 'fastify'
import { refuse } from '../../../platform/refuse.ts'

/**
 * Refuses `cross_site_request` when a browser says that the request comes from a page that is not ours. Programs that
 * are no browsers send neither header and carry no cookie that a foreign page could abuse.
 */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin, 'sec-fetch-site': fetchSite } = request.headers
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') refuse('cross_site_request')
  if (origin === undefined || origin === new URL(publicUrl).origin) return
  // The same server under another of its names, such as 127.0.0.1: the browser itself vouches for the page.
  const isSameServer =
    fetchSite === 'same-origin' && URL.canParse(origin) && new URL(origin).host === request.headers.host
  if (!isSameServer) refuse('cross_site_request')
}
