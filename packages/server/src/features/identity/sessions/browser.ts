import { createHash, randomBytes } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from './sessions.ts'

/** Recognizes a returning browser by a long-lived cookie that does not identify its user. */
export interface Browsers {
  /** The client of a request. Sets the cookie on a browser without one. */
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
      // Renewed each time, so that it lasts while the browser is in use.
      reply.setCookie(name, cookie, options)
      return { userAgent, address, browser: createHash('sha256').update(cookie).digest() }
    },
  }
}
