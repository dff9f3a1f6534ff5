import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { allEndpoints } from '@tern/contract/endpoints'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillPath, buildSample, samples, corruptTexts } from '@tern/testkit/http/fields'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'

let world: TestApp
let alice: TestPerson
let newcomer: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  alice = await world.enroll('alice', 'Germany')
  newcomer = await world.enroll('newcomer', null)
})
afterAll(() => world.close())

let calls = 0
/** Sends a call from a new address, to avoid limits per address. */
async function send(endpoint: Endpoint, path: string, body: unknown) {
  calls += 1
  const { token } = path.startsWith('/kyc/') ? newcomer : alice
  const reply = await world.app.http.inject({
    method: endpoint.method,
    url: `/api${path}`,
    remoteAddress: `10.7.${String(calls >> 8)}.${String(calls & 255)}`,
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': randomUUID() },
    ...(body === undefined ? {} : { payload: body as object }),
  })
  return `${reply.statusCode} ${JSON.stringify(body ?? '')}`
}

const textCorruptions: readonly (readonly [string, (text: string) => string])[] = [
  ['NUL alone', () => '\u0000'],
  ['NUL at the end', (text) => `${text}\u0000`],
  ['half a character', (text) => `${text}\ud800`],
]

const textEndpoints = Object.entries(allEndpoints as Record<string, Endpoint>).filter(
  ([, { body, query, params }]) => body ?? query ?? params,
)

test.each(textEndpoints)('%s refuses unstorable text without an internal error', async (_name, endpoint) => {
  const path = fillPath(endpoint, { alice, newcomer })
  const answers: string[] = []
  for (const [, corruptText] of textCorruptions) {
    for (const body of corruptTexts(buildSample(endpoint.body), corruptText))
      answers.push(await send(endpoint, path, body))
    for (const query of corruptTexts(buildSample(endpoint.query), corruptText)) {
      const search = new URLSearchParams(query as Record<string, string>)
      answers.push(await send(endpoint, `${path}?${search.toString()}`, undefined))
    }
  }
  if (endpoint.params) {
    const badPath = endpoint.path.replaceAll(/:\w+/g, '%00')
    const body = endpoint.body ? buildSample(endpoint.body) : undefined
    answers.push(await send(endpoint, badPath, body), await send(endpoint, `${path}%00`, body))
  }
  // The verification form has more text fields than the number of submissions that its rate limit allows.
  const forbiddenAnswer = endpoint.path === allEndpoints.submitKyc.path ? /^5/ : /^(5|429)/
  expect(answers.filter((answer) => forbiddenAnswer.test(answer))).toEqual([])
})

test('metadata with an unstorable name is refused', async () => {
  const answer = await send(allEndpoints.saveMetadata, `/user/${alice.id}/metadata`, { metadata: { 'a\u0000b': 'x' } })
  expect(answer).toMatch(/^422/)
})

test('malformed cookies and headers count as missing', async () => {
  const headers = { cookie: 'rt=%00; browser=%00', confirmation: '%00', authorization: 'Bearer %00' }
  for (const url of ['/api/auth/token', '/api/user/logout', '/api/auth/passkey/options']) {
    const { statusCode } = await world.app.http.inject({ method: 'POST', url, headers })
    expect(statusCode, url).toBeLessThan(500)
  }
})

test('percent escapes that are no text are refused or taken literally', async () => {
  const badSegments = [
    '%',
    '%z',
    '%ED%A0%80',
    '%E0%A4%A',
    '%C0%80',
    '%00',
    '%FF',
    '100%25%',
    '%ED%A0%BC%ED%BD%94',
    '%u0041',
  ]
  for (const text of badSegments) {
    for (const url of [`/api/user/profile/${text}`, `/api/${text}`, `/${text}`, `/api/user/search?query=ab${text}`]) {
      const headers = { authorization: `Bearer ${alice.token}` }
      const { statusCode } = await world.app.http.inject({ method: 'GET', url, headers })
      expect(statusCode, url).toBeLessThan(500)
    }
  }
})

test('unstorable text in a query is refused by its field', async () => {
  const headers = { authorization: `Bearer ${alice.token}` }
  const reply = await world.app.http.inject({ method: 'GET', url: '/api/user/search?query=ab%00', headers })
  expect(reply.json()).toMatchObject({
    code: 'invalid_request',
    errors: [{ field: 'query', code: 'control_characters' }],
  })
})

describe('an Idempotency-Key', () => {
  const key = 'AB03978e-40d5-43dd-bc93-6894a57f9324'
  const createRequest = async (header: string | undefined, amount = '5.00') => {
    const reply = await world.app.http.inject({
      method: 'POST',
      url: '/api/requests',
      headers: {
        authorization: `Bearer ${alice.token}`,
        ...(header === undefined ? {} : { 'idempotency-key': header }),
      },
      payload: { amount, description: 'Lunch' },
    })
    return { status: reply.statusCode, body: reply.json<{ id?: string; code?: string }>() }
  }

  test('is the same key bare and in quotes, with parameters and blanks around it', async () => {
    const first = await createRequest(`"${key}"`)
    expect(first.status).toBe(201)
    const spellings = [
      key,
      key.toLowerCase(),
      `"${key}"`,
      ` "${key}" `,
      ` ${key}\t`,
      `"${key}";a=1`,
      `"${key}" ; a="x"; b`,
    ]
    for (const spelling of spellings) expect((await createRequest(spelling)).body.id, spelling).toBe(first.body.id)
    expect((await createRequest(`"${key.toLowerCase()}"`, '6.00')).body).toMatchObject({
      code: 'idempotency_key_reused',
    })
  })

  test.each([
    undefined,
    '',
    '""',
    '"',
    `"${key}`,
    `${key}"`,
    `'${key}'`,
    `""${key}""`,
    `"${key}", "${key}"`,
    `" ${key}"`,
    `${key};a=1`,
    `"${key}"a`,
    `{${key}}`,
    `"lunch"`,
    `“${key}”`,
    `\`${key}\``,
    `${key},${key}`,
    `"${key}\\"`,
    String.raw`"\u0061b03978e-40d5-43dd-bc93-6894a57f9324"`,
    `"${key}" "${key}"`,
    `("${key}")`,
    `:${Buffer.from(key).toString('base64')}:`,
    `urn:uuid:${key}`,
    key.replaceAll('-', ''),
    `${key}${'0'.repeat(5000)}`,
    'ä'.repeat(36),
    '１'.repeat(36),
    '?1',
  ])('%s is refused by name', async (header) => {
    expect(await createRequest(header)).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_required', errors: [{ field: 'Idempotency-Key', code: 'key_not_a_uuid' }] },
    })
  })
})

test('a JSON number with more digits than JavaScript keeps is refused wherever an amount is sent', async () => {
  const amountEndpoints = Object.entries(allEndpoints as Record<string, Endpoint>).flatMap(([name, endpoint]) => {
    const body = endpoint.access === 'session' ? buildSample(endpoint.body) : {}
    return Object.keys(body)
      .filter((field) => /amount|^max$|rate|ceiling|threshold|total$/.test(field) && body[field] === samples[field])
      .map((field) => ({ name, endpoint, field, body }))
  })
  expect(amountEndpoints.length).toBeGreaterThan(15)
  for (const { name, endpoint, field, body } of amountEndpoints) {
    const payload = JSON.stringify({ ...body, [field]: '#' }).replace('"#"', '1.123456789012345678')
    const reply = await world.app.http.inject({
      method: endpoint.method,
      url: `/api${fillPath(endpoint, { alice, newcomer })}`,
      headers: { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json' },
      payload,
    })
    expect([name, reply.json().errors], name).toMatchObject([name, [{ field, code: 'number_loses_digits' }]])
  }
})
