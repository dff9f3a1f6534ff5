import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from './sessions.ts'

// Browsers keep a cookie for 400 days at most.
const lifetimeSeconds = 400 * 86_400
const isCookie = (text: string | undefined): text is string => text !== undefined && /^[\w-]{43}$/.test(text)

/**
 * Returns the client of a request. A long-lived cookie, renewed by each call, recognizes a returning browser without
 * identifying its user.
 */
export function identifyClient(request: FastifyRequest, reply: FastifyReply, secure: boolean): Client {
  const name = secure ? '__Host-browser' : 'browser'
  const cookieValue = request.cookies[name]
  const cookie = isCookie(cookieValue) ? cookieValue : randomBytes(32).toString('base64url')
  reply.setCookie(name, cookie, { httpOnly: true, secure, sameSite: 'strict', path: '/', maxAge: lifetimeSeconds })
  const browser = createHash('sha256').update(cookie).digest()
  return { userAgent: request.headers['user-agent'] ?? '', address: request.ip, browser }
}
