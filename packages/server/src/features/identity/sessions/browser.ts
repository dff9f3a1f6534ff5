import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from './sessions.ts'

// The longest that browsers keep a cookie.
const lifetimeSeconds = 400 * 86_400
const isCookie = (text: string | undefined): text is string => text !== undefined && /^[\w-]{43}$/.test(text)

/**
 * A request's client. Recognizes returning browsers by a long-lived cookie that does not identify users, renewed while
 * the browser is in use.
 */
export function identifyClient(request: FastifyRequest, reply: FastifyReply, secure: boolean): Client {
  const name = secure ? '__Host-browser' : 'browser'
  const cookieValue = request.cookies[name]
  const cookie = isCookie(cookieValue) ? cookieValue : randomBytes(32).toString('base64url')
  reply.setCookie(name, cookie, { httpOnly: true, secure, sameSite: 'strict', path: '/', maxAge: lifetimeSeconds })
  const browser = createHash('sha256').update(cookie).digest()
  return { userAgent: request.headers['user-agent'] ?? '', address: request.ip, browser }
}
