import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createOidc } from './oidc.ts'
import { createPeople } from '../server/people.ts'
import { openStore } from '../server/store.ts'
import { startTestSandbox, temporaryFolder, type TestSandbox } from '../test-sandbox.ts'

const redirectUri = 'http://localhost:3000/auth/callback'
const verifier = randomBytes(32).toString('base64url')
const goodRequest = {
  client_id: 'tern',
  response_type: 'code',
  redirect_uri: redirectUri,
  scope: 'openid email profile',
  state: 'the state',
  nonce: 'the nonce',
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
}

/** Creates a browser that keeps cookies, and follows redirects within the sandbox. */
function createBrowser(sandbox: TestSandbox) {
  const cookies = new Map<string, string>()
  async function followRedirects(
    address: string,
    form?: Record<string, string>,
  ): Promise<{ url: URL; status: number; text: string }> {
    const url = new URL(address, sandbox.url)
    if (url.origin !== new URL(sandbox.url).origin) return { url, status: 0, text: '' }
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = reply.headers.get('location')
    if (location !== null) return followRedirects(new URL(location, url).href)
    expect(reply.headers.get('content-security-policy')).toContain(`default-src 'none'`)
    return { url, status: reply.status, text: await reply.text() }
  }
  const open = (changes: Record<string, string> = {}) =>
    followRedirects(`/oidc/auth?${new URLSearchParams({ ...goodRequest, ...changes }).toString()}`)
  return { followRedirects, open }
}

const redeem = (sandbox: TestSandbox, code: string | null, changes: Record<string, string> = {}) =>
  fetch(new URL('/oidc/token', sandbox.url), {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'tern',
      redirect_uri: redirectUri,
      code: code ?? '',
      code_verifier: verifier,
      ...changes,
    }),
  })

async function readClaims(reply: Response): Promise<Record<string, unknown>> {
  const { id_token: token = '' } = (await reply.json()) as { id_token?: string }
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
}

describe('the stand-in for Google', () => {
  test('signs in an invented person, once per code, with their claims', async () => {
    const sandbox = await startTestSandbox()
    const browser = createBrowser(sandbox)
    const { url: page, text } = await browser.open()
    expect(text).toContain('Choose an account')
    expect(text).toContain('Tern Sandbox stands in for Google')
    const { url } = await browser.followRedirects(page.href, { account: 'mia.lindqvist@sandbox.example' })
    expect(url.origin + url.pathname).toBe(redirectUri)
    expect(url.searchParams.get('state')).toBe('the state')
    const code = url.searchParams.get('code')
    const claims = await readClaims(await redeem(sandbox, code))
    expect(claims).toMatchObject({
      iss: `${sandbox.url}/oidc`,
      aud: 'tern',
      nonce: 'the nonce',
      email: 'mia.lindqvist@sandbox.example',
      email_verified: true,
      name: 'Mia Lindqvist',
    })
    expect((await redeem(sandbox, code)).status).toBe(400)
  })

  test('shows the account chooser every time, the expected account first', async () => {
    const sandbox = await startTestSandbox()
    const browser = createBrowser(sandbox)
    const first = await browser.open()
    await browser.followRedirects(first.url.href, { account: 'mia.lindqvist@sandbox.example' })
    const secondVisit = await browser.open({ prompt: 'select_account', login_hint: 'kofi.mensah@sandbox.example' })
    expect(secondVisit.text.indexOf('Kofi Mensah')).toBeLessThan(secondVisit.text.indexOf('Mia Lindqvist'))
    expect(secondVisit.text).toMatch(/value="kofi\.mensah@sandbox\.example" autofocus/)
    const strangerPage = await browser.open({ login_hint: '"><script>@x.example' })
    expect(strangerPage.text).toContain('<details open>')
    expect(strangerPage.text).toContain('value="&quot;&gt;&lt;script&gt;@x.example"')
  })

  test('accepts any other account, identified by its address', async () => {
    const sandbox = await startTestSandbox()
    const subjectIds = []
    for (const email of ['Noor@Mail.example', 'noor@mail.example']) {
      const browser = createBrowser(sandbox)
      const { url: page } = await browser.open()
      const { url } = await browser.followRedirects(page.href, { email, name: 'Noor Haddad' })
      const claims = await readClaims(await redeem(sandbox, url.searchParams.get('code')))
      expect(claims).toMatchObject({ email: 'noor@mail.example', name: 'Noor Haddad' })
      subjectIds.push(claims['sub'])
    }
    expect(subjectIds[0]).toBe(subjectIds[1])
  })

  test.each([
    { email: 'nobody', name: 'N' },
    { email: '', name: 'N' },
    { email: 'n@mail.example', name: '' },
    { email: 'n@mail.example', name: 'x'.repeat(101) },
    { account: 'not-invented@mail.example' },
    {},
  ])('prompts again for %j', async (form) => {
    const sandbox = await startTestSandbox()
    const browser = createBrowser(sandbox)
    const { url } = await browser.open()
    const answer = await browser.followRedirects(url.href, form)
    expect(answer.status).toBe(422)
    expect(answer.text).toContain('aria-invalid="true"')
  })

  test('returns a refusal when canceled', async () => {
    const sandbox = await startTestSandbox()
    const browser = createBrowser(sandbox)
    const { url: page } = await browser.open()
    const { url } = await browser.followRedirects(page.href, { cancel: 'yes' })
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'access_denied', state: 'the state' })
  })

  test.each([
    ['another client', { client_id: 'other' }],
    ['another return', { redirect_uri: 'https://evil.example/auth/callback' }],
  ])('shows a page without redirecting for %s', async (_what, changes) => {
    const sandbox = await startTestSandbox()
    const { url, status, text } = await createBrowser(sandbox).open(changes)
    expect(url.origin).toBe(sandbox.url)
    expect(status).toBe(400)
    expect(text).toContain('This sign-in cannot go on')
  })

  test.each([
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['plain PKCE', { code_challenge_method: 'plain' }],
    ['a token in the address', { response_type: 'id_token' }],
  ])('refuses %s', async (_what, changes) => {
    const sandbox = await startTestSandbox()
    const { url } = await createBrowser(sandbox).open(changes)
    expect(url.href).toMatch(/error=(invalid_request|unsupported_response_type|unauthorized_client)/)
  })

  test('refuses a code without its verifier', async () => {
    const sandbox = await startTestSandbox()
    const browser = createBrowser(sandbox)
    const { url: page } = await browser.open()
    const { url } = await browser.followRedirects(page.href, { account: 'mia.lindqvist@sandbox.example' })
    const wrongVerifier = { code_verifier: randomBytes(32).toString('base64url') }
    expect((await redeem(sandbox, url.searchParams.get('code'), wrongVerifier)).status).toBe(400)
  })

  test('keeps a chooser to the browser that opened it', async () => {
    const sandbox = await startTestSandbox()
    const { url } = await createBrowser(sandbox).open()
    const other = await createBrowser(sandbox).followRedirects(url.href)
    expect(other).toMatchObject({ status: 404, text: expect.stringContaining('This sign-in is over') })
    expect(
      (await createBrowser(sandbox).followRedirects(url.href, { account: 'mia.lindqvist@sandbox.example' })).status,
    ).toBe(404)
  })

  test('is created again after a failed first try', async () => {
    const store = openStore(':memory:')
    let url = ''
    const oidc = createOidc({ store, people: createPeople(store), publicUrl: () => url, redirectUri })
    await expect(oidc()).rejects.toThrow()
    url = 'http://localhost:3999'
    const [first, other] = await Promise.all([oidc(), oidc()])
    expect(first.issuer).toBe('http://localhost:3999/oidc')
    expect(other).toBe(first)
    store.close()
  })

  test('keeps keys, people and pending sign-ins over a restart', async () => {
    const dataDir = temporaryFolder()
    const before = await startTestSandbox({ dataDir })
    const keys = async ({ url }: TestSandbox) => (await fetch(`${url}/oidc/jwks`)).text()
    const knownKeys = await keys(before)
    expect(knownKeys).not.toMatch(/"(d|p|q)":/)
    const { url: page } = await createBrowser(before).open()
    expect(page.pathname).toMatch(/^\/accounts\//)
    await before.stop()
    expect(await keys(await startTestSandbox({ dataDir }))).toBe(knownKeys)
  })
})
