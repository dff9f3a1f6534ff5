import { createRemoteJWKSet, customFetch as joseFetch, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import * as oidc from 'openid-client'
import { deadlineExceeded, timeLeft } from '../deadline.ts'
import { storable } from '../json.ts'
import { createOidcSetup } from './oidc-setup.ts'
import type { ProviderAccount, SignInProvider, SignInResult } from './port.ts'

export interface OidcOptions {
  readonly issuer: string
  readonly clientId: string
  /** Without a secret the client is public: the PKCE verifier alone proves that the code is ours. */
  readonly clientSecret?: string | undefined
  /** Accepts responses without TLS; only for a provider on this machine. */
  readonly allowHttp?: boolean
  /** Origin at which the server reaches the issuer; browsers use the issuer's own. */
  readonly reachAt?: string | undefined
  readonly timeoutMs?: number
}

interface DiscoveredIssuer {
  readonly client: oidc.Configuration
  readonly keys: ReturnType<typeof createRemoteJWKSet>
}

const metadataLifetimeMs = 3_600_000
const clockToleranceSeconds = 30
/** Signature algorithms accepted in ID tokens: asymmetric ones, whatever else the provider announces. */
const idTokenAlgorithms: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]
const oldestTokenMinutes = 10

/**
 * Any OpenID provider: authorization code flow with PKCE, state and nonce; every ID token's signature is verified.
 * Provider metadata is loaded on first use, again after a failure, and otherwise hourly.
 */
export function createOidcSignInProvider(options: OidcOptions): SignInProvider {
  const discoverOnce = remember(() => discover(options).catch(rethrowWithoutCode))

  return {
    setup: createOidcSetup(discoverOnce, describeError),
    async begin(redirectUri, { screenHint, loginHint, connection, chooseAccount } = {}) {
      const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()]
      try {
        const { client } = await discoverOnce()
        const url = oidc.buildAuthorizationUrl(client, {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          state,
          nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(screenHint === undefined ? {} : { screen_hint: screenHint }),
          ...(loginHint === undefined ? {} : { login_hint: loginHint }),
          ...(connection === undefined ? {} : { connection }),
          ...(chooseAccount ? { prompt: 'select_account' } : {}),
        })
        return { status: 'ready', url: url.href, state, nonce, verifier }
      } catch (error) {
        return { status: 'unknown', reason: describeError(error) }
      }
    },
    async finish({ redirectUri, query, state, nonce, verifier }) {
      try {
        const { client } = await discoverOnce()
        const callback = new URL(redirectUri)
        callback.search = query
        const tokens = await oidc.authorizationCodeGrant(client, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const { alg = '' } = tokens.id_token === undefined ? {} : decodeProtectedHeader(tokens.id_token)
        if (!idTokenAlgorithms.includes(alg)) return { status: 'refused', reason: 'The ID token has another algorithm' }
        const claims = tokens.claims()
        if (!claims) return { status: 'refused', reason: 'The provider gave no ID token' }
        const account = toProviderAccount(issuerKey(options.issuer), claims)
        if (account.email !== undefined) return { status: 'signed_in', ...account }
        return { status: 'signed_in', ...account, ...(await fetchUserInfo(client, tokens.access_token, claims.sub)) }
      } catch (error) {
        return classifyError(error)
      }
    },
    async verifyIdToken(token) {
      try {
        const { client, keys } = await discoverOnce()
        const { payload } = await jwtVerify(token, keys, {
          issuer: issuerNames(client.serverMetadata().issuer),
          algorithms: [...idTokenAlgorithms],
          audience: options.clientId,
          maxTokenAge: oldestTokenMinutes * 60,
          clockTolerance: clockToleranceSeconds,
          requiredClaims: ['sub', 'exp'],
        })
        if (!hasCanonicalSignature(token))
          return { status: 'refused', reason: 'Its signature is in another spelling than its own' }
        const hasSeveralAudiences = Array.isArray(payload.aud) && payload.aud.length > 1
        if (hasSeveralAudiences && payload['azp'] !== options.clientId) {
          return { status: 'refused', reason: 'The token was issued to somebody else' }
        }
        const expiresAt = new Date(((payload.exp ?? 0) + clockToleranceSeconds) * 1000)
        return { status: 'signed_in', ...toProviderAccount(issuerKey(options.issuer), payload), expiresAt }
      } catch (error) {
        return classifyError(error)
      }
    },
  }
}

/** Rethrows a failure to load metadata without its error code, so that it is `unknown` and not a refusal. */
function rethrowWithoutCode(cause: unknown): never {
  throw new Error(`Nothing is known of the provider: ${describeError(cause)}`, { cause })
}

/** Normalizes the issuer under which accounts are stored: without a trailing slash, however it is configured. */
const issuerKey = (issuer: string): string => new URL(issuer).href.replace(/\/+$/, '')

/** Discovers the provider, whose metadata must state exactly the configured issuer. */
async function discover(options: OidcOptions): Promise<DiscoveredIssuer> {
  const { issuer, clientId, clientSecret, allowHttp = false, timeoutMs = 5000 } = options
  const fetchFromIssuer = createIssuerFetch(options)
  const client = await oidc.discovery(
    new URL(issuer),
    clientId,
    {
      [oidc.clockTolerance]: clockToleranceSeconds,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    },
    clientSecret === undefined ? oidc.None() : authenticateWithSecret(clientSecret),
    {
      timeout: timeoutMs / 1000,
      // By default, the library does not verify signatures of ID tokens from the token endpoint.
      execute: [oidc.enableNonRepudiationChecks, ...(allowHttp ? [oidc.allowInsecureRequests] : [])],
      [oidc.customFetch]: fetchFromIssuer,
    },
  )
  const { issuer: stated, jwks_uri: address } = client.serverMetadata()
  // The library compares URLs, for which a slash may be missing.
  if (stated !== issuer) throw new Error(`The provider's issuer is ${stated}, not ${issuer}`)
  if (address === undefined) throw new Error('The provider does not say where its keys are')
  const keys = createRemoteJWKSet(new URL(address), { timeoutDuration: timeoutMs, [joseFetch]: fetchFromIssuer })
  return { client, keys }
}

/** Uses HTTP Basic unless the provider only accepts the secret in the body. */
function authenticateWithSecret(secret: string): oidc.ClientAuth {
  const [basicAuth, postAuth] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)]
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basicAuth : postAuth)(server, client, body, headers)
  }
}

/**
 * Returns a fetch that reaches the issuer at `reachAt`, if set, and ends at the request's deadline or by its signal.
 */
function createIssuerFetch({ issuer, reachAt, timeoutMs = 5000 }: OidcOptions) {
  const { origin } = new URL(issuer)
  return async (url: string, init: { signal?: AbortSignal | null | undefined }): Promise<Response> => {
    const remainingMs = timeLeft(timeoutMs)
    if (remainingMs <= 0) throw new Error(deadlineExceeded.reason)
    const isIssuerUrl = reachAt !== undefined && new URL(url).origin === origin
    const signal = AbortSignal.any([AbortSignal.timeout(remainingMs), ...(init.signal ? [init.signal] : [])])
    return fetch(isIssuerUrl ? reachAt + url.slice(origin.length) : url, { ...init, signal })
  }
}

/** Caches the result of `load` for a while; failures are not cached, and concurrent callers share one attempt. */
function remember<T>(load: () => Promise<T>): () => Promise<T> {
  let pending: { answer: Promise<T>; at: number } | undefined
  return async () => {
    if (!pending || performance.now() - pending.at > metadataLifetimeMs)
      pending = { answer: load(), at: performance.now() }
    const request = pending
    try {
      return await request.answer
    } catch (error) {
      if (pending === request) pending = undefined
      throw error
    }
  }
}

type Claims = Pick<JWTPayload, 'sub'> & Readonly<Record<string, unknown>>

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? storable(value) : undefined

function toProviderAccount(issuer: string, claims: Claims): ProviderAccount {
  return { issuer, subject: readSubject(claims), ...readContact(claims) }
}

/**
 * Returns the subject; throws if it is missing or would be altered when stored, since two people could then share it.
 */
function readSubject({ sub }: Claims): string {
  if (typeof sub === 'string' && sub !== '' && storable(sub) === sub) return sub
  throw Object.assign(new Error('The ID token has no subject in text'), { code: 'OAUTH_INVALID_RESPONSE' })
}

/** Reads contact details; some providers send `email_verified` as text. */
const readContact = (claims: Readonly<Record<string, unknown>>) => ({
  email: readText(claims['email']),
  emailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
  name: readText(claims['name']),
})

/** Fetches contact details from the userinfo endpoint; some providers return the email only there. */
async function fetchUserInfo(client: oidc.Configuration, accessToken: string, subject: string) {
  if (client.serverMetadata().userinfo_endpoint === undefined) return {}
  return readContact(await oidc.fetchUserInfo(client, accessToken, subject))
}

/** Returns whether a token's signature is in canonical base64url (RFC 7515, section 2). */
function hasCanonicalSignature(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}

/** Returns the accepted issuer names: Google omits the scheme in some of its tokens. */
const issuerNames = (issuer: string): string[] =>
  issuer === 'https://accounts.google.com' ? [issuer, 'accounts.google.com'] : [issuer]

const readErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const describeError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause.message : ''
  return cause === '' || error.message.includes(cause) ? error.message : `${error.message}: ${cause}`
}

// Errors caused by the person; all others are caused by our request or the provider.
const personErrorCodes = new Set([
  'access_denied',
  'login_required',
  'interaction_required',
  'account_selection_required',
  'consent_required',
])

/** Error code of metadata with another issuer's name. */
const issuerMismatch = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'

// Codes of readable replies that are not valid proof of a sign-in.
const invalidReplyCodes = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  issuerMismatch,
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
])

function classifyError(error: unknown): Exclude<SignInResult, { status: 'signed_in' }> {
  const code = readErrorCode(error)
  if (code.startsWith('ERR_INVALID_ARG')) throw error
  const reason = describeError(error)
  if (error instanceof oidc.AuthorizationResponseError) {
    const status = personErrorCodes.has(error.error) ? 'refused' : 'unknown'
    return { status, reason: `The provider answered ${error.error}` }
  }
  if (error instanceof oidc.ResponseBodyError) {
    // Errors other than invalid_grant, such as invalid_client, are caused by our request.
    const isRefused = error.error === 'invalid_grant'
    return { status: isRefused ? 'refused' : 'unknown', reason: `The provider answered ${error.error}` }
  }
  const isInvalidReply = invalidReplyCodes.has(code) || /^ERR_JW[ST]_/.test(code)
  return { status: isInvalidReply ? 'refused' : 'unknown', reason }
}
