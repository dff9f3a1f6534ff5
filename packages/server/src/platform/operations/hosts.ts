import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { loopbackNames } from '../runtime/setting-types.ts'
import type { Config } from '../runtime/config.ts'
import { sendProblem } from '../http/problem.ts'

/** What load balancers ask by the address of a machine. */
const askedByAddress: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Nobody can point an address elsewhere, as they can a name. */
const isAddress = (name: string): boolean => isIP(name.replaceAll(/[[\]]/g, '')) !== 0

/**
 * Answers only requests whose Host header names this installation, 421 `unknown_host` otherwise: a name that somebody
 * else points at our address (DNS rebinding) reaches nothing. On the admin port, addresses
 * and this machine's names are answered too. RFC 9110, section 7.4.
 */
export function allowHosts(
  http: FastifyInstance,
  { publicUrl, operations }: Pick<Config, 'publicUrl' | 'operations'>,
): void {
  const allowed: ReadonlySet<string> = new Set([new URL(publicUrl).hostname, ...operations.allowedHosts])
  const isAdminName = ({ raw }: FastifyRequest, name: string): boolean =>
    operations.admin !== undefined &&
    raw.socket.localPort === operations.admin.port &&
    (isAddress(name) || loopbackNames.includes(name) || name === operations.admin.host)
  http.addHook('onRequest', (request, reply, done) => {
    const name = (request.raw.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
    if (allowed.has(name) || isAdminName(request, name) || askedByAddress.has(request.routeOptions.url ?? '')) done()
    else sendProblem(request, reply, 'unknown_host')
  })
}
