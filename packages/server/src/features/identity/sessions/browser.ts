import { createHash, randomBytes } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from './sessions.ts'

/** Recognizes returning browsers by a long-lived cookie that does not identify users. */
export interface Browsers {
  /** A request's client. Sets the cookie if missing. */
  clientOf(request: FastifyRequest, reply: FastifyReply): Client
}

// The longest that browsers keep a cookie.
const lifetimeSeconds = 400 * 86_400
const isCookie = (text: string | undefined): text is string => text !== undefined && /^[\w-]{43}$/.test(text)

export function createBrowsers({ secure }: { secure: boolean }): Browsers {
  const name = secure ? '__Host-browser' : 'browser'
  const options: CookieSerializeOptions = {
    httpOnly: true,
    secure,
    sameSite: 'strict',
    path: '/',
    maxAge: lifetimeSeconds,
  }
  return {
    clientOf(request, reply) {
      const userAgent = request.headers['user-agent'] ?? ''
      const address = request.ip
      const known = request.cookies[name]
      const isKnown = isCookie(known)
      const cookie = isKnown ? known : randomBytes(32).toString('base64url')
      // Renewed while the browser is in use.
      reply.setCookie(name, cookie, options)
      return { userAgent, address, browser: createHash('sha256').update(cookie).digest() }
    },
  }
}
