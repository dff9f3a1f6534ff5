import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { loopbackNames } from '../runtime/setting-types.ts'
import type { Config } from '../runtime/config.ts'
import { sendProblem } from '../http/problem.ts'

/** Paths that load balancers request at a machine's address. */
const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/** Returns whether a name is an IP address, which cannot be rebound like a DNS name. */
const isAddress = (name: string): boolean => isIP(name.replaceAll(/[[\]]/g, '')) !== 0

/**
 * Answers requests whose Host header does not name this installation with 421 `unknown_host` (RFC 9110, section 7.4),
 * which prevents DNS rebinding. The admin port also accepts IP addresses and this machine's names, and health checks
 * accept any name.
 */
export function allowHosts(
  http: FastifyInstance,
  { publicUrl, operations }: Pick<Config, 'publicUrl' | 'operations'>,
): void {
  const allowedHosts: ReadonlySet<string> = new Set([new URL(publicUrl).hostname, ...operations.allowedHosts])
  const isAdminName = ({ raw }: FastifyRequest, name: string): boolean =>
    operations.admin !== undefined &&
    raw.socket.localPort === operations.admin.port &&
    (isAddress(name) || loopbackNames.includes(name) || name === operations.admin.host)
  http.addHook('onRequest', (request, reply, done) => {
    const name = (request.raw.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
    if (allowedHosts.has(name) || isAdminName(request, name) || probePaths.has(request.routeOptions.url ?? '')) done()
    else sendProblem(request, reply, 'unknown_host')
  })
}
