// Probes for `npx tern doctor`: what the app sees of a request that came through the proxies in front of it. They answer
// only requests signed with the installation's secret; to others they do not exist.

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendProblem } from '../http/problem.ts'
import { type Secret, toRing } from '../seal.ts'

export const probeHeader = 'x-tern-doctor'
export const callerProbePath = '/healthz/caller'
/** Below the event stream, so that a proxy treats it like that. */
export const streamProbePath = '/api/events/probe'
/** Pause between the two parts of the streamed answer. */
export const streamPauseMs = 2000

const lifetimeMs = 5 * 60_000

const sign = (secret: Buffer, at: string): Buffer =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', secret, '', 'tern/doctor', 32)))
    .update(at)
    .digest()

/** Returns the header that opens the probes for five minutes. */
export function signProbe(secret: Secret, now: Date): Record<typeof probeHeader, string> {
  const at = String(now.getTime())
  return { [probeHeader]: `${at}.${sign(toRing(secret)[0], at).toString('base64url')}` }
}

function isSigned({ headers }: FastifyRequest, secret: Secret): boolean {
  const header = headers[probeHeader]
  if (typeof header !== 'string') return false
  const [at = '', signature = ''] = header.split('.')
  const given = Buffer.from(signature, 'base64url')
  // not money: milliseconds
  const isCurrent = Math.abs(Date.now() - Number(at)) < lifetimeMs
  const isOurs = toRing(secret).some((key) => {
    const own = sign(key, at)
    return own.length === given.length && timingSafeEqual(own, given)
  })
  return isCurrent && isOurs
}

/** Answer of the caller probe. */
export interface SeenCaller {
  /** Address that the app takes for the caller's. */
  readonly address: string
  /** Addresses in X-Forwarded-For, in order. */
  readonly forwarded: readonly string[]
}

function readForwarded({ headers }: FastifyRequest): string[] {
  const header = headers['x-forwarded-for'] ?? ''
  const text = Array.isArray(header) ? header.join(',') : header
  return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
}

export function addProbes(http: FastifyInstance, secret: Secret): void {
  http.get(callerProbePath, { schema: { hide: true } }, (request, reply): SeenCaller | undefined => {
    if (!isSigned(request, secret)) return void sendProblem(request, reply, 'not_found')
    reply.header('cache-control', 'no-store')
    return { address: request.ip, forwarded: readForwarded(request) }
  })
  http.get(streamProbePath, { schema: { hide: true } }, async (request, reply) => {
    if (!isSigned(request, secret)) return sendProblem(request, reply, 'not_found')
    reply.hijack()
    const { raw } = reply
    raw.on('error', () => {})
    raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
    raw.write(': first\n\n')
    await delay(streamPauseMs)
    raw.end(': last\n\n')
    return reply
  })
}
