import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { connect } from 'node:net'
import { allEndpoints } from '@tern/contract/endpoints'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { refusalCodes } from '@tern/contract/protocol/refusal'
import { describe, expect, test } from 'vitest'
import { type RawAnswer, type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'

const world = await openTestApp()
const alice = await world.enroll('alice', 'United States')
const bruno = await world.enroll('bruno', 'Germany')
await world.fund(alice, 10_000)

const endpoints: readonly (readonly [string, Endpoint])[] = Object.entries(allEndpoints)

function expectProblem(answer: RawAnswer, status: number, code: string): void {
  expect([answer.status, answer.body.code]).toEqual([status, code])
  expect(answer.contentType).toContain('application/problem+json')
  expect(answer.body).toMatchObject({ type: `urn:tern:problem:${code}`, status })
  expect(answer.body.requestId).toMatch(/^[0-9a-f-]{36}$/)
  expect(refusalCodes).toContain(answer.body.code)
}

/** Counts the rows that an invalid request must not add. */
async function loadBooks(): Promise<unknown> {
  const { rows } = await world.database.pool.query(
    `select (select count(*) from ledger.entry) as entries, (select count(*) from transaction) as transactions,
       (select count(*) from payment) as payments, (select count(*) from quote) as quotes,
       (select count(*) from app_user) as users, (select count(*) from kyc_submission) as submissions`,
  )
  return rows[0]
}

test('the server serves exactly the contract', () => {
  const declaredRoutes = endpoints.map(([, endpoint]) => `${endpoint.method} ${endpoint.path}`)
  const { served } = world.app.http
  const unservedRoutes = declaredRoutes.filter((endpoint) => !served.has(endpoint))
  expect(unservedRoutes, 'serve it in the routes of its feature, and name them in its feature.ts').toEqual([])
  expect([...served].toSorted()).toEqual(declaredRoutes.toSorted())
})

test('every path works with and without a trailing slash', async () => {
  for (const trailingSlash of ['', '/']) {
    const answer = await world.raw('GET', `/user/user${trailingSlash}`, { token: alice.token })
    expect(answer.body).toMatchObject({ id: alice.id, username: alice.username })
  }
})

test('every answer carries the security headers, event streams and refusals included', async () => {
  const expected = {
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'SAMEORIGIN',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
    'permissions-policy': 'camera=(self), geolocation=(), microphone=(), payment=()',
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  }
  const paths = { '/api/user/user': 200, '/api/nothing': 404, '/healthz': 200, '/api/events': 200, '/metrics': 401 }
  for (const [path, status] of Object.entries(paths)) {
    const controller = new AbortController()
    const headers = { authorization: `Bearer ${alice.token}` }
    const answer = await fetch(world.url + path, { headers, signal: controller.signal })
    expect([path, answer.status]).toEqual([path, status])
    expect([path, Object.fromEntries(answer.headers)]).toEqual([path, expect.objectContaining(expected)])
    controller.abort()
  }
})

/** Sends bytes to the server; returns its whole answer. */
async function sendBytes(text: string): Promise<string> {
  const socket = connect(Number(new URL(world.url).port), 'localhost')
  socket.end(text)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer.toLowerCase()
}

test('answers that run no hooks carry the security headers', async () => {
  const malformed = await fetch(`${world.url}/api/%E0%A4%A`)
  expect(malformed.status).toBe(400)
  expect(malformed.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(malformed.headers.get('x-content-type-options')).toBe('nosniff')
  expect(malformed.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  const unreadable = [
    ['no request\r\n\r\n', '400 bad request'],
    [`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, '431 request header fields too large'],
    [
      'POST /api/x HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      '400 bad request',
    ],
  ] as const
  for (const [bytes, status] of unreadable) {
    const answer = await sendBytes(bytes)
    expect(answer).toContain(`http/1.1 ${status}\r\n`)
    expect(answer).toContain('\r\nx-content-type-options: nosniff\r\n')
    expect(answer).toContain("\r\ncontent-security-policy: default-src 'none';frame-ancestors 'none'\r\n")
    expect(answer).toMatch(/\r\n\r\n$/)
  }
})

test.each(endpoints.filter(([, endpoint]) => endpoint.access === 'session'))(
  '%s requires a session before revealing its fields',
  async (_name, endpoint) => {
    const path = endpoint.path.replaceAll(/:\w+/g, 'x')
    for (const token of [undefined, 'nonsense', `${alice.token}x`]) {
      const answer = await world.raw(endpoint.method, path, {
        token,
        ...(endpoint.method === 'GET' ? {} : { body: {} }),
      })
      expectProblem(answer, 401, 'unauthenticated')
      expect(answer.body.errors).toBeUndefined()
    }
  },
)

describe('other people’s data is hidden', () => {
  test.each([
    ['GET', () => `/wallet/user/${bruno.id}`],
    ['GET', () => `/transaction/user/${bruno.id}`],
    ['GET', () => `/kyc/${bruno.id}/status`],
    ['GET', () => `/payment/${randomUUID()}/status`],
  ])('%s %#', async (method, path) => {
    const answer = await world.raw(method, path(), { token: alice.token })
    expectProblem(answer, 404, 'not_found')
  })

  test('of a foreign wallet only name and base currency are shown, and no history', async () => {
    const foreignAnswer = await world.raw('GET', `/wallet/${bruno.id}`, { token: alice.token })
    expect(foreignAnswer.body).toEqual({ name: 'B. T.', base_currency: 'EUR' })
    const wallet = await bruno.wallet()
    const history = await world.raw('GET', `/wallet/${wallet.id}/history`, { token: alice.token })
    expectProblem(history, 404, 'not_found')
  })

  test('one’s own wallet is available under both addresses, with its history', async () => {
    const ownAnswer = await world.raw('GET', `/wallet/${alice.id}`, { token: alice.token })
    expect(ownAnswer.body).toEqual(await alice.wallet())
    const history = await world.raw('GET', `/wallet/${ownAnswer.body.id}/history?days=30`, { token: alice.token })
    expect(history.body).toMatchObject({ closing_balance: '100.00', money_in: '100.00', money_out: '0.00' })
    expect(history.body.points).toMatchObject([{ balance: '100.00' }])
  })
})

describe('invalid input names the field and changes nothing', () => {
  const buildTransfer = () => ({ recipient_id: bruno.id, amount: '1.00', source_currency: 'USD' })
  const quote = { source_currency: 'USD', target_currency: 'EUR', amount: '1', side: 'source' }
  const deposit = { amount: 1000, currency: 'usd' }
  const buildAccount = () => ({
    email: `${randomUUID()}@example.com`,
    password: 'a long pass phrase',
    username: 'nobody',
  })

  const wrongAmounts: readonly (readonly [string, unknown])[] = [
    ['missing', undefined],
    ['empty', ''],
    ['null', null],
    ['negative', '-1.00'],
    ['a negative number', -1],
    ['zero', '0.00'],
    ['words', 'ten'],
    ['an exponent', '1e3'],
    ['grouped', '1,000.00'],
    ['too many decimals', '1.001'],
    ['a number with too many decimals', 1.001],
    ['too long', '9'.repeat(50)],
    ['absurdly large', '9'.repeat(38)],
    ['a list', ['1.00']],
    ['other digits', '１.００'],
  ]

  test.each(wrongAmounts)('an amount that is %s', async (_case, amount) => {
    const booksBefore = await loadBooks()
    for (const [path, body] of [
      ['/payment/transfer', { ...buildTransfer(), amount }],
      ['/quotes', { ...quote, amount }],
    ] as const) {
      const answer = await world.raw('POST', path, {
        token: alice.token,
        body,
        headers: { 'idempotency-key': randomUUID() },
      })
      expectProblem(answer, 422, 'invalid_request')
      expect(answer.body.errors).toMatchObject([{ field: 'amount' }])
    }
    expect(await loadBooks()).toEqual(booksBefore)
  })

  test.each([
    ['fractional', 10.5],
    ['negative', -5],
    ['zero', 0],
    ['text', '1000'],
    ['missing', undefined],
    ['too large', 10 ** 15],
  ])('minor units that are %s', async (_case, amount) => {
    const booksBefore = await loadBooks()
    const answer = await world.raw('POST', '/payment/deposit/card', {
      token: alice.token,
      body: { ...deposit, amount },
    })
    expectProblem(answer, 422, 'invalid_request')
    expect(answer.body.errors).toMatchObject([{ field: 'amount' }])
    expect(await loadBooks()).toEqual(booksBefore)
  })

  const wrongFields: readonly (readonly [string, string, () => unknown, string])[] = [
    [
      '/payment/transfer',
      'an unknown currency',
      () => ({ ...buildTransfer(), source_currency: 'XAU' }),
      'source_currency',
    ],
    [
      '/payment/transfer',
      'a currency in lower case',
      () => ({ ...buildTransfer(), source_currency: 'usd' }),
      'source_currency',
    ],
    [
      '/payment/transfer',
      'a missing recipient',
      () => ({ ...buildTransfer(), recipient_id: undefined }),
      'recipient_id',
    ],
    ['/payment/transfer', 'a recipient as text', () => ({ ...buildTransfer(), recipient_id: 'bruno' }), 'recipient_id'],
    ['/payment/transfer', 'user number 1', () => ({ ...buildTransfer(), recipient_id: 1 }), 'recipient_id'],
    [
      '/payment/transfer',
      'a long description',
      () => ({ ...buildTransfer(), description: 'x'.repeat(201) }),
      'description',
    ],
    ['/payment/transfer', 'control characters', () => ({ ...buildTransfer(), description: 'a\u0000b' }), 'description'],
    ['/payment/transfer', 'a quote id that is none', () => ({ ...buildTransfer(), quote_id: '1' }), 'quote_id'],
    [
      '/payment/transfer',
      'an unknown payment source',
      () => ({ ...buildTransfer(), payment_source: 'gold' }),
      'payment_source',
    ],
    ['/quotes', 'an unknown side', () => ({ ...quote, side: 'both' }), 'side'],
    ['/quotes', 'an unknown currency', () => ({ ...quote, target_currency: 'CHF' }), 'target_currency'],
    ['/exchange', 'a quote id that is none', () => ({ quote_id: 'x' }), 'quote_id'],
    ['/payment/deposit/card', 'an unknown currency', () => ({ ...deposit, currency: 'xxx' }), 'currency'],
    ['/user/register', 'no email', () => ({ ...buildAccount(), email: undefined }), 'email'],
    ['/user/register', 'a malformed email', () => ({ ...buildAccount(), email: 'nobody@' }), 'email'],
    ['/user/register', 'a short password', () => ({ ...buildAccount(), password: 'short' }), 'password'],
    ['/user/register', 'a strange username', () => ({ ...buildAccount(), username: 'a b' }), 'username'],
    ['/user/register', 'a long name', () => ({ ...buildAccount(), name: 'x'.repeat(101) }), 'name'],
    ['/user/login', 'no password', () => ({ email: 'a@example.com' }), 'password'],
  ]

  test.each(wrongFields)('%s with %s', async (path, _case, body, field) => {
    const booksBefore = await loadBooks()
    const answer = await world.raw('POST', path, {
      token: alice.token,
      body: body(),
      headers: { 'idempotency-key': randomUUID() },
    })
    expectProblem(answer, 422, 'invalid_request')
    expect(answer.body.errors.map((problem: { field: string }) => problem.field)).toContain(field)
    expect(await loadBooks()).toEqual(booksBefore)
  })

  test.each([
    ['/payment/transfer', undefined],
    ['/payment/transfer', 'not-a-uuid'],
    ['/exchange', ''],
  ])('%s with the Idempotency-Key %j', async (path, key) => {
    const answer = await world.raw('POST', path, {
      token: alice.token,
      body: path === '/exchange' ? { quote_id: randomUUID() } : buildTransfer(),
      headers: key === undefined ? {} : { 'idempotency-key': key },
    })
    expectProblem(answer, 422, 'idempotency_key_required')
    expect(answer.body.errors).toMatchObject([{ field: 'Idempotency-Key' }])
  })

  test.each([
    ['GET', '/user/search?query=a', 'query'],
    ['GET', '/user/search', 'query'],
    ['GET', '/user/profile/12', 'id'],
    ['GET', '/currency/rate/USD/XXX', 'to'],
    ['GET', '/transaction/user/1', 'userId'],
    ['GET', '/wallet/user/0', 'userId'],
    ['GET', '/wallet/nonsense/history', 'id'],
    ['GET', '/payment/7/status', 'id'],
  ])('%s %s', async (method, path, field) => {
    const answer = await world.raw(method, path, { token: alice.token })
    expectProblem(answer, 422, 'invalid_request')
    expect(answer.body.errors[0].field).toBe(field)
  })

  test.each(['limit=101', 'limit=-1', 'offset=x', 'status=GONE', 'type=GIFT', 'days=5', 'sort=colour', 'order=up'])(
    'a list requested with %s',
    async (query) => {
      const answer = await world.raw('GET', `/transaction/user/${alice.id}?${query}`, { token: alice.token })
      expectProblem(answer, 422, 'invalid_request')
      expect(answer.body.errors[0].field).toBe(query.split('=')[0])
    },
  )

  test('a body that is malformed, not JSON, or far too large', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const post = (body: string, type = headers['content-type']) =>
      world.raw('POST', '/payment/transfer', {
        token: alice.token,
        body,
        headers: { ...headers, 'content-type': type },
      })
    expectProblem(await post('{"amount":'), 400, 'malformed_body')
    expectProblem(await post('amount=1', 'text/plain'), 415, 'unsupported_media_type')
    expectProblem(await post(JSON.stringify({ description: 'x'.repeat(100_000) })), 413, 'payload_too_large')
  })
})

describe('the list of transactions', () => {
  test('is searched, filtered, sorted and paged by the server', async () => {
    const carol = await world.enroll('carol', 'United States')
    await world.fund(carol, 50_000)
    for (const [amount, description] of [
      ['5.00', 'Tea'],
      ['20.00', 'Books 100%'],
      ['10.00', 'Train'],
    ]) {
      await carol.call(allEndpoints.sendMoney, {
        body: { ...buildTransferTo(alice), amount: amount!, description: description! },
        idempotencyKey: randomUUID(),
      })
    }
    const list = async (query: string) => {
      const { body } = await world.raw('GET', `/transaction/user/${carol.id}?${query}`, { token: carol.token })
      return [body.total, body.transactions.map((row: { description: string }) => row.description)]
    }
    expect(await list('')).toEqual([4, ['Train', 'Books 100%', 'Tea', 'Added by card']])
    expect(await list('sort=amount&order=asc')).toEqual([4, ['Books 100%', 'Train', 'Tea', 'Added by card']])
    expect(await list('limit=1&offset=1')).toEqual([4, ['Books 100%']])
    expect(await list('search=100%25')).toEqual([1, ['Books 100%']])
    expect(await list('search=20.00')).toEqual([1, ['Books 100%']])
    expect(await list(`search=${alice.username}&type=SEND`)).toEqual([3, ['Train', 'Books 100%', 'Tea']])
    expect(await list('type=DEPOSIT&status=COMPLETED&days=7')).toEqual([1, ['Added by card']])
    expect(await list('currency=EUR')).toEqual([0, []])
    expect(await list("search=';drop table transaction;--")).toEqual([0, []])
  })

  const buildTransferTo = (person: TestPerson) => ({ recipient_id: person.id, source_currency: 'USD' as const })
})

describe('other behavior', () => {
  test('API answers forbid caching, successful or not', async () => {
    for (const [token, status] of [[alice.token, 200] as const, ['nonsense', 401] as const]) {
      const answer = await fetch(`${world.url}/api/user/user`, { headers: { authorization: `Bearer ${token}` } })
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store'])
    }
  })

  test('path traversal finds nothing, whether or not a file exists', async () => {
    const { hostname, port } = new URL(world.url)
    const loadStatus = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        // A raw request, since clients normalize such paths.
        request({ hostname, port, path }, (answer) => resolve(answer.resume().statusCode))
          .on('error', reject)
          .end()
      })
    const parentSegments = '/..'.repeat(12)
    expect(await loadStatus(`${parentSegments}/etc/resolv.conf`)).toBe(404)
    expect(await loadStatus(`${parentSegments}/etc/no-such-file.conf`)).toBe(404)
  })

  test('the sitemap lists the public pages and no others', async () => {
    const sitemap = await (await fetch(`${world.url}/sitemap.xml`)).text()
    const sitemapPaths = [...sitemap.matchAll(/<loc>([^<]+)<\/loc>/g)].map(
      ([, address = '']) => new URL(address).pathname,
    )
    const sitePaths = [
      '/',
      '/how-it-works',
      '/security',
      '/prices',
      '/recompute',
      '/verify',
      '/terms',
      '/privacy',
      '/compliance',
    ]
    expect(sitemapPaths).toEqual([...sitePaths, '/login', '/signup', '/help'])
  })

  test('health, readiness, metrics and the reference answer', async () => {
    const get = async (path: string) => {
      const response = await world.readAsOperator(path)
      return [response.status, await response.text()] as const
    }
    expect(await get('/healthz')).toEqual([200, '{"status":"ok"}'])
    expect(await get('/readyz')).toEqual([200, '{"status":"ready","warnings":[]}'])
    expect((await get('/metrics'))[1]).toContain('tern_http_request_duration_seconds_count')
    const [status, document] = await get('/api/openapi.json')
    expect(status).toBe(200)
    expect(Object.keys(JSON.parse(document).paths)).toContain('/api/payment/transfer')
    expect((await get('/api/docs/'))[0]).toBe(200)
    for (const path of ['/nothing-here', '/%E0%A4%A', '/api/%E0%A4%A', '/..%2f..%2fpackage.json']) {
      const answer = await fetch(world.url + path)
      expect([path, answer.status >= 400 && answer.status < 500]).toEqual([path, true])
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
    }
    expect((await get('//'))[0]).toBeLessThan(500)
    expect(document).toContain('Idempotency-Key')
    expect((await get('/metrics'))[1]).toContain('tern_movements_total{outcome="posted"}')
  })

  test('the rate between two currencies is public', async () => {
    const { body } = await world.raw('GET', '/currency/rate/USD/EUR/')
    expect(body).toMatchObject({ rate: '0.9300' })
  })
})
