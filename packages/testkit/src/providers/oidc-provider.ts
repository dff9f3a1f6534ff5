// For tests: an OpenID provider (oidc-provider) in this process, on its own port, with a minimal page.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { default as Provider, interactionPolicy } from 'oidc-provider'

/** Account at the provider. */
export interface ProviderPerson {
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

export interface TestOidcOptions {
  readonly redirectUri: string
  /** 0 chooses a free port. */
  readonly port?: number
  readonly clientSecret?: string
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post'
  /** Address of a proxy with TLS in front of the provider, if there is one. */
  readonly origin?: string
  /** Path of the issuer, such as `/realm/`; empty by default. */
  readonly issuerPath?: string
  /**
   * True to put the email into the ID token, as Google does; otherwise only the userinfo endpoint returns it, as
   * specified.
   */
  readonly emailInIdToken?: boolean
}

/** Client id of the product at the provider. */
export const testClientId = 'tern-at-the-test-provider'

export type TestOidcProvider = Awaited<ReturnType<typeof startTestOidcProvider>>

export async function startTestOidcProvider(options: TestOidcOptions) {
  const people = new Map<string, ProviderPerson>()
  const requests: Record<string, string>[] = []
  const key = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(key.privateKey)), kid: 'test', alg: 'RS256', use: 'sig' }
  let server: Server = createServer()
  let provider: Provider | undefined
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    if (!provider) return void response.writeHead(500).end()
    if (request.url?.startsWith('/choose/')) return void choose(provider, people, request, response)
    // Removes the path of the issuer, below which the provider is mounted.
    const mountPath = (options.issuerPath ?? '').replace(/\/$/, '')
    const originalUrl = request.url ?? '/'
    if (originalUrl.startsWith(mountPath))
      Object.assign(request, { originalUrl, url: originalUrl.slice(mountPath.length) })
    return void provider.callback()(request, response)
  }
  async function listen(port: number): Promise<number> {
    server = createServer(handle).listen(port, 'localhost')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(options.port ?? 0)
  const url = `http://localhost:${port}`
  const issuer = `${options.origin ?? url}${options.issuerPath ?? ''}`
  provider = createProvider(issuer, { ...options, people, requests, jwk })
  provider.proxy = options.origin !== undefined

  return {
    issuer,
    /** Address of the provider itself. */
    url,
    /** Accounts by subject; tests can change them at any time. */
    people,
    /** Parameters of all authorization requests, oldest first. */
    requests,
    signInAs,
    /** Returns an ID token signed with the provider's key; `changes` override its claims. */
    mint: (
      subject: string,
      changes: { readonly [name in keyof JWTPayload]: JWTPayload[name] | undefined } = {},
    ): Promise<string> => {
      const at = Date.now() / 1000
      const claims = { iss: issuer, aud: testClientId, sub: subject, iat: Math.floor(at), exp: Math.floor(at) + 3600 }
      return new SignJWT({ ...claims, ...people.get(subject), ...changes } as JWTPayload)
        .setProtectedHeader({ alg: 'RS256', kid: 'test' })
        .sign(key.privateKey)
    },
    async stop(): Promise<void> {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    /** Starts again after `stop`, on the same port and with the same key. */
    restart: async () => void (await listen(port)),
  }
}

function createProvider(
  issuer: string,
  {
    redirectUri,
    clientSecret,
    authMethod,
    emailInIdToken = false,
    people,
    requests,
    jwk,
  }: TestOidcOptions & {
    people: Map<string, ProviderPerson>
    requests: Record<string, string>[]
    jwk: object
  },
): Provider {
  const policy = interactionPolicy.base()
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: testClientId,
        redirect_uris: [redirectUri],
        ...(clientSecret === undefined
          ? { token_endpoint_auth_method: 'none' }
          : { token_endpoint_auth_method: authMethod ?? 'client_secret_basic', client_secret: clientSecret }),
      },
    ],
    ...(authMethod === undefined ? {} : { clientAuthMethods: [authMethod] }),
    jwks: { keys: [jwk] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    extraParams: ['screen_hint', 'connection'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !emailInIdToken,
    features: { devInteractions: { enabled: false } },
    interactions: { policy, url: (_ctx, { uid }) => `/choose/${uid}` },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    findAccount: (_ctx, sub) => {
      const person = people.get(sub)
      return person && { accountId: sub, claims: () => ({ sub, ...person }) }
    },
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client?.clientId ?? '',
        accountId: ctx.oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  provider.on('interaction.started', ({ oidc }) => {
    const stringParams = Object.entries(oidc.params ?? {}).filter(([, value]) => typeof value === 'string')
    requests.push(Object.fromEntries(stringParams) as Record<string, string>)
  })
  return provider
}

/** Serves the provider's only page, with a button for each account. */
async function choose(
  provider: Provider,
  people: ReadonlyMap<string, ProviderPerson>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    const buttons = [...people.keys(), 'cancel'].map(
      (name) => `<button name="subject" value="${name}">${name}</button>`,
    )
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><title>Test provider</title><form method="post">${buttons.join(' ')}</form>`)
    return
  }
  const subject = new URLSearchParams(await text(request)).get('subject') ?? ''
  const result =
    subject === 'cancel' ? { error: 'access_denied' } : { login: { accountId: subject }, select_account: {} }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

/** Follows `url` like a browser whose user chooses the account `subject`, or `cancel`; returns the resulting query. */
async function signInAs(url: string, subject: string): Promise<string> {
  const cookies = new Map<string, string>()
  const { origin } = new URL(url)
  for (let [address, body] = [url, undefined as string | undefined]; ;) {
    const reply = await fetch(address, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(body === undefined ? {} : { body }),
    })
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const location = reply.headers.get('location')
    if (location === null && body === undefined && reply.ok) {
      body = new URLSearchParams({ subject }).toString()
      continue
    }
    if (location === null) throw new Error(`the provider answered ${reply.status}: ${await reply.text()}`)
    const nextUrl = new URL(location, address)
    if (nextUrl.origin !== origin) return nextUrl.search.slice(1)
    ;[address, body] = [nextUrl.href, undefined]
  }
}
