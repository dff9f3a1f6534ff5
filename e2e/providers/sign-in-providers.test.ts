import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOidcSignInProvider } from '@tern/providers/signin/oidc'
import { startSandbox } from '@tern/sandbox/sandbox'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startTestOidcProvider, testClientId, type TestOidcOptions } from '@tern/testkit/providers/oidc-provider'

const redirectUri = 'https://tern.example/auth/callback'

async function startProvider(options: Partial<TestOidcOptions> = {}) {
  const provider = await startTestOidcProvider({ redirectUri, ...options })
  onTestFinished(provider.stop)
  provider.people.set('ada', { email: 'ada@mail.example', email_verified: true, name: 'Ada Lovelace' })
  return provider
}

type Provider = Awaited<ReturnType<typeof startProvider>>

async function signIn(provider: Provider, overrides: { clientSecret?: string; clientId?: string } = {}) {
  const client = createOidcSignInProvider({
    issuer: provider.issuer,
    clientId: testClientId,
    allowHttp: true,
    ...overrides,
  })
  const start = await client.begin(redirectUri)
  if (start.status !== 'ready') throw new Error(start.reason)
  return client.finish({ ...start, redirectUri, query: await provider.signInAs(start.url, 'ada') })
}

const ada = {
  status: 'signed_in',
  subject: 'ada',
  email: 'ada@mail.example',
  emailVerified: true,
  name: 'Ada Lovelace',
}

describe('an OpenID client', () => {
  test.each([
    ['without a secret', {}, {}],
    ['with its secret in the header', { clientSecret: 'a b+c&d%' }, { clientSecret: 'a b+c&d%' }],
    [
      'with its secret in the body, where that is all the provider reads',
      { clientSecret: 'secret', authMethod: 'client_secret_post' as const },
      { clientSecret: 'secret' },
    ],
    ['that tells the email in the ID token', { emailInIdToken: true }, {}],
  ])('signs in %s', async (_what, at, clientOptions) => {
    const provider = await startProvider(at)
    expect(await signIn(provider, clientOptions)).toEqual({ ...ada, issuer: provider.issuer })
  })

  test('learns nothing about the person with a wrong secret', async () => {
    const provider = await startProvider({ clientSecret: 'right' })
    expect(await signIn(provider, { clientSecret: 'wrong' })).toMatchObject({ status: 'unknown' })
  })

  test('treats an email as confirmed only when stated', async () => {
    const provider = await startProvider()
    provider.people.set('ada', { email: 'ada@mail.example' })
    expect(await signIn(provider)).toMatchObject({ status: 'signed_in', emailVerified: false, name: undefined })
  })

  test('uses no TLS only where allowed', async () => {
    const { issuer } = await startProvider()
    const client = createOidcSignInProvider({ issuer, clientId: testClientId })
    expect(await client.begin(redirectUri)).toMatchObject({
      status: 'unknown',
      reason: expect.stringContaining('HTTPS'),
    })
  })

  test.each([
    [
      'says that it is somebody else',
      (ownIssuer: string) => ({ issuer: `${ownIssuer}/other`, jwks_uri: `${ownIssuer}/jwks` }),
    ],
    ['does not say where its keys are', (ownIssuer: string) => ({ issuer: ownIssuer })],
    ['says nothing that can be read', () => 'nothing'],
    ['does not answer in time', () => undefined],
  ])('does not use one that %s', async (_what, metadata) => {
    const server = createServer((_request, response) => {
      const { port } = server.address() as AddressInfo
      const discoveryDocument = metadata(`http://localhost:${port}`)
      if (discoveryDocument === undefined) return
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(typeof discoveryDocument === 'string' ? discoveryDocument : JSON.stringify(discoveryDocument))
    })
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
    const client = createOidcSignInProvider({ issuer, clientId: testClientId, allowHttp: true, timeoutMs: 300 })
    expect(await client.begin(redirectUri)).toMatchObject({ status: 'unknown' })
    expect(await client.verifyIdToken('a.b.c')).toMatchObject({ status: 'unknown' })
  })

  test('discovers a provider once for concurrent calls', async () => {
    const provider = await startProvider()
    const client = createOidcSignInProvider({ issuer: provider.issuer, clientId: testClientId, allowHttp: true })
    await Promise.all([client.begin(redirectUri), client.begin(redirectUri)])
    await provider.stop()
    expect(await client.begin(redirectUri)).toMatchObject({ status: 'ready' })
  })

  test("reaches the sandbox by the server's address while browsers use the public one", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tern-signin-'))
    const publicUrl = 'https://sandbox.tern.example'
    const sandbox = await startSandbox({
      port: 0,
      dataDir,
      secret: 'a secret only tests know',
      webhookUrl: 'http://localhost:9',
      publicUrl,
      oidcRedirect: redirectUri,
    })
    onTestFinished(async () => {
      await sandbox.stop()
      rmSync(dataDir, { recursive: true, force: true })
    })
    const reachAt = `http://localhost:${sandbox.port}`
    const client = createOidcSignInProvider({ issuer: `${publicUrl}/oidc`, clientId: 'tern', reachAt })
    const start = await client.begin(redirectUri)
    expect(start).toMatchObject({
      status: 'ready',
      url: expect.stringMatching(/^https:\/\/sandbox\.tern\.example\/oidc\/auth\?/),
    })
    // The keys are available at `reachAt` too, so the token is checked and refused.
    expect(await client.verifyIdToken('eyJhbGciOiJSUzI1NiJ9.e30.AAAA')).toMatchObject({ status: 'refused' })
    if (start.status !== 'ready') return
    const query = `code=made-up&state=${start.state}&iss=${encodeURIComponent(`${publicUrl}/oidc`)}`
    expect(await client.finish({ ...start, redirectUri, query })).toEqual({
      status: 'refused',
      reason: 'The provider answered invalid_grant',
    })
  })
})
