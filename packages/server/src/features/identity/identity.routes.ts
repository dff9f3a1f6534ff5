import * as contract from '@tern/contract/identity'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Limit, limitPerAddress, limitPerUser } from '../../limits.ts'
import { Refusal, refuse } from '../../refuse.ts'
import { serve } from '../../serve.ts'
import { bearerToken, type Client, type Identity, type SignedIn } from './identity.ts'

// Per minute and process. People behind one address share it; guessing at one account is slowed down elsewhere.
const registrationsPerAddress = 120
const loginsPerAddress = 120
const lookupsPerUser = 120

const clientOf = (request: FastifyRequest): Client => ({
  userAgent: request.headers['user-agent'] ?? '',
  address: request.ip,
})

declare module 'fastify' {
  interface FastifyInstance {
    /** One count per user for every call that looks other people up, whichever feature answers it. */
    limitLookups: Limit
  }
}

/** The calls of identity, on the instance whose routes lie below `/api`; gives that instance `limitLookups`. */
export function identityRoutes(app: FastifyInstance, identity: Identity): void {
  const { refreshCookie } = identity
  const limitRegistrations = limitPerAddress(app, registrationsPerAddress)
  const limitLogins = limitPerAddress(app, loginsPerAddress)
  app.decorate('limitLookups', limitPerUser(app, lookupsPerUser))

  const sendTokens = (reply: FastifyReply, refreshToken: string) =>
    reply.setCookie(refreshCookie.name, refreshToken, refreshCookie.options).header('cache-control', 'no-store')
  const dropCookie = (reply: FastifyReply) => reply.clearCookie(refreshCookie.name, refreshCookie.options)
  const signedIn = (reply: FastifyReply, { user, accessToken, refreshToken }: SignedIn) => {
    sendTokens(reply, refreshToken)
    return { user, access_token: accessToken }
  }

  serve(app, contract.register, async ({ body, request, reply }) => {
    identity.demandOwnPage(request)
    await limitRegistrations(request)
    const result = signedIn(reply, await identity.register(body, clientOf(request)))
    return { ...result.user, ...result }
  })

  serve(app, contract.login, async ({ body, request, reply }) => {
    identity.demandOwnPage(request)
    await limitLogins(request)
    return signedIn(reply, await identity.logIn(body, clientOf(request)))
  })

  serve(app, contract.refreshToken, async ({ request, reply }) => {
    identity.demandOwnPage(request)
    const presented = request.cookies[refreshCookie.name]
    if (presented === undefined) refuse('unauthenticated')
    try {
      const { accessToken, refreshToken } = await identity.refresh(presented)
      sendTokens(reply, refreshToken)
      return { access_token: accessToken }
    } catch (error) {
      if (error instanceof Refusal && error.code === 'unauthenticated') dropCookie(reply)
      throw error
    }
  })

  serve(app, contract.logout, async ({ request, reply }) => {
    identity.demandOwnPage(request)
    await identity.logOut({ refreshToken: request.cookies[refreshCookie.name], accessToken: bearerToken(request) })
    dropCookie(reply)
    return undefined
  })

  serve(app, contract.currentUser, ({ caller }) => identity.currentUser(caller.userId))

  serve(app, contract.searchUsers, async ({ query, request }) => {
    await app.limitLookups(request)
    return identity.searchUsers(query.query, query.exact === 'true')
  })

  serve(app, contract.userProfile, async ({ params, request }) => {
    await app.limitLookups(request)
    return identity.userProfile(BigInt(params.id))
  })
}

/** What others may read without a session, on the root instance: the public keys of our access tokens. */
export function wellKnownRoutes(app: FastifyInstance, identity: Identity): void {
  app.get('/.well-known/jwks.json', { schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=300').send(identity.publicKeys()),
  )
}
