import type { FastifyRequest } from 'fastify'
import { refuse } from '../../../platform/refuse.ts'

/**
 * Refuses `cross_site_request` when a browser says that the request comes from another site's page. Other programs send
 * neither header and hold no cookie such a page could abuse.
 */
export function requireSameOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin, 'sec-fetch-site': fetchSite } = request.headers
  if (fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none') refuse('cross_site_request')
  if (origin === undefined || origin === new URL(publicUrl).origin) return
  // The same server under another name, such as 127.0.0.1: the browser vouches for the page.
  const isSameServer =
    fetchSite === 'same-origin' && URL.canParse(origin) && new URL(origin).host === request.headers.host
  if (!isSameServer) refuse('cross_site_request')
}
