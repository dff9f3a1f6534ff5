import { randomUUID } from 'node:crypto'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { allEndpoints } from '@tern/contract/endpoints'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pathOf, sampleOf, spoiled } from './test-fields.ts'
import { startTestApp, type TestApp, type TestPerson } from '../../../../../tools/testing/test-app.ts'

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
/** Each call uses another address, to avoid per-address limits. */
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

const spoilers: readonly (readonly [string, (text: string) => string])[] = [
  ['NUL alone', () => '\u0000'],
  ['NUL at the end', (text) => `${text}\u0000`],
  ['half a character', (text) => `${text}\ud800`],
]

const taking = Object.entries(allEndpoints as Record<string, Endpoint>).filter(
  ([, { body, query, params }]) => body ?? query ?? params,
)

test.each(taking)('%s refuses unstorable text without an internal error', async (_name, endpoint) => {
  const path = pathOf(endpoint, { alice, newcomer })
  const answers: string[] = []
  for (const [, spoil] of spoilers) {
    for (const body of spoiled(sampleOf(endpoint.body), spoil)) answers.push(await send(endpoint, path, body))
    for (const query of spoiled(sampleOf(endpoint.query), spoil)) {
      const search = new URLSearchParams(query as Record<string, string>)
      answers.push(await send(endpoint, `${path}?${search.toString()}`, undefined))
    }
  }
  if (endpoint.params) {
    const bad = endpoint.path.replaceAll(/:\w+/g, '%00')
    const body = endpoint.body ? sampleOf(endpoint.body) : undefined
    answers.push(await send(endpoint, bad, body), await send(endpoint, `${path}%00`, body))
  }
  // A form has more texts than a person may submit forms.
  const stumbled = endpoint.path === allEndpoints.submitKyc.path ? /^5/ : /^(5|429)/
  expect(answers.filter((answer) => stumbled.test(answer))).toEqual([])
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
