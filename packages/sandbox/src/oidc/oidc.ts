import { generateKeyPair, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import type Provider from 'oidc-provider'
import type { interactionPolicy, JWK } from 'oidc-provider'
import { createOidcAdapter } from './oidc-store.ts'
import { messagePage } from '../pages/layout.ts'
import { contentSecurityPolicy } from '../pages/policy.ts'
import type { People } from '../server/people.ts'
import type { Store } from '../server/store.ts'

/**
 * Returns the OpenID provider that replaces Google. It is created on the first call, because the public address is
 * unknown earlier.
 */
export type Oidc = () => Promise<Provider>

export interface OidcOptions {
  readonly store: Store
  readonly people: People
  readonly publicUrl: () => string
  readonly redirectUri: string
}

const path = '/oidc'
/** Client id of the product. The client has no secret: PKCE binds the authorization code to it. */
const clientId = 'tern'
const minute = 60
const hour = 60 * minute

export function createOidc(options: OidcOptions): Oidc {
  let providerPromise: Promise<Provider> | undefined
  return () => {
    providerPromise ??= makeProvider(options).catch((error: unknown) => {
      // Lets the next call try again.
      providerPromise = undefined
      throw error
    })
    return providerPromise
  }
}

async function makeProvider({ store, people, publicUrl, redirectUri }: OidcOptions): Promise<Provider> {
  // Loaded lazily: the library is large, and only these sign-ins need it.
  const library = await import('oidc-provider')
  const provider = new library.default(`${publicUrl()}${path}`, {
    adapter: (kind) => createOidcAdapter(store, kind),
    clients: [
      {
        client_id: clientId,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    ],
    clientAuthMethods: ['none'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    jwks: { keys: [await getSigningKey(store)] },
    cookies: { keys: [await getOrCreate(store, 'oidc_cookie_key', async () => randomBytes(32).toString('hex'))] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // Puts the claims into the ID token, as Google does.
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: { policy: buildPromptPolicy(library.interactionPolicy), url: (_ctx, { uid }) => `/accounts/${uid}` },
    ttl: {
      AccessToken: 10 * minute,
      AuthorizationCode: minute,
      Grant: hour,
      IdToken: hour,
      Interaction: hour,
      Session: hour,
    },
    findAccount: (_ctx, subject) => {
      const claims = people.loadClaims(subject)
      return claims && { accountId: subject, claims: () => claims }
    },
    // Grants everything without consent, because the product is the only client.
    async loadExistingGrant(ctx) {
      const accountId = ctx.oidc.session?.accountId
      if (accountId === undefined) return undefined
      const grant = new ctx.oidc.provider.Grant({ clientId, accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    renderError(ctx, { error, error_description: description }) {
      ctx.type = 'html'
      ctx.body = messagePage('This sign-in cannot go on', `${description ?? error}. Please start again at Tern.`)
    },
  })
  provider.proxy = true
  return provider
}

/** Returns a policy that shows the account chooser for every sign-in, even with an existing session. */
function buildPromptPolicy({ Check, Prompt, base }: typeof interactionPolicy): interactionPolicy.DefaultPolicy {
  const policy = base()
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  const accountCheck = new Check('always', 'the account has to be chosen', (ctx) =>
    ctx.oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
  )
  policy.get('login')?.checks.add(accountCheck)
  return policy
}

/** Returns the signing key, generated on the first call, which takes seconds on a slow machine. */
export const getSigningKey = (store: Store): Promise<JWK> => getOrCreate(store, 'oidc_key', newSigningKey)

async function newSigningKey(): Promise<JWK> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return {
    ...privateKey.export({ format: 'jwk' }),
    kid: randomBytes(8).toString('hex'),
    alg: 'RS256',
    use: 'sig',
  }
}

async function getOrCreate<Value>(store: Store, name: string, create: () => Promise<Value>): Promise<Value> {
  const saved = store.setting<Value>(name)
  if (saved !== undefined) return saved
  const value = await create()
  store.saveSetting(name, value)
  return value
}

/** Passes all requests below `/oidc` to the provider. */
export async function oidcRoutes(app: FastifyInstance, oidc: Oidc, publicUrl: () => string): Promise<void> {
  await app.register(async (scope) => {
    // The provider parses bodies itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.all(`${path}/*`, async (request, reply) => {
      const provider = await oidc()
      reply.hijack()
      mount(request.raw, reply.raw, new URL(publicUrl()))
      await provider.callback()(request.raw, reply.raw)
    })
  })
}

/** Rewrites a request as if sent to the provider's public address, and sets the security headers. */
function mount(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse, at: URL): void {
  request.originalUrl = request.url ?? ''
  request.url = request.originalUrl.slice(path.length)
  request.headers.host = at.host
  request.headers['x-forwarded-host'] = at.host
  request.headers['x-forwarded-proto'] = at.protocol.slice(0, -1)
  response.setHeader('content-security-policy', contentSecurityPolicy())
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('referrer-policy', 'no-referrer')
}
