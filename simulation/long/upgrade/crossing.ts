// Checks between two versions: retries of one order at both, and the calls that clients of the old version make.

import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { withdraw } from '@tern/contract/banking'
import type { allEndpoints } from '@tern/contract/endpoints'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { depositByCard } from '@tern/contract/payments'
import { type Client, createClient } from '@tern/contract/protocol/client'
import type { Endpoint } from '@tern/contract/protocol/endpoint'
import { login } from '@tern/contract/sign-in'
import { sendMoney } from '@tern/contract/transfers'
import { linkAccount } from '@tern/testkit/payments'
import { enroll, fund, payCheckout, type TestPerson } from '@tern/testkit/people'
import type { Harness } from '../harness.ts'

const timeoutMs = 60_000
const fundedMinor = 10_000_000

/** Person whose orders are repeated at another version, and their number by kind of transaction. */
export interface Repeater {
  readonly person: TestPerson
  readonly recipient: TestPerson
  readonly bankAccountId: string
  readonly counts: Record<'SEND' | 'EXCHANGE' | 'DEPOSIT' | 'WITHDRAW', number>
}

/** Enrolls a person with money and a bank account, and a recipient. */
export async function enrollRepeater(harness: Harness): Promise<Repeater> {
  const { urls, pool, sandboxUrl } = harness
  const person = await enroll(urls[0], 'grace', 'United States', { database: pool })
  const recipient = await enroll(urls[0], 'henry', 'United States', { database: pool })
  await fund(person, fundedMinor)
  const bankAccountId = await harness.withOperator((product) =>
    linkAccount({ app: { product }, url: sandboxUrl, sandboxUrl }, person),
  )
  return { person, recipient, bankAccountId, counts: { SEND: 0, EXCHANGE: 0, DEPOSIT: 1, WITHDRAW: 0 } }
}

/** Logs in at an address; returns the client and its access token. */
async function logIn(url: string, { email, password }: TestPerson): Promise<{ call: Client['call']; token: string }> {
  const session: { token?: string } = {}
  const { call } = createClient({ baseUrl: `${url}/api`, accessToken: () => session.token, timeoutMs })
  const answer = await call(login, { body: { email, password } })
  if (!('access_token' in answer)) throw new Error('the login asks for another step')
  session.token = answer.access_token
  return { call, token: answer.access_token }
}

type Call = Client['call']

/** Makes an order by one version, and again under its key by another; returns a sentence if the answers differ. */
async function compareAnswers(
  name: string,
  [first, second]: readonly [Call, Call],
  order: (call: Call) => Promise<string>,
) {
  try {
    const [id, again] = [await order(first), await order(second)]
    return id === again ? [] : [`${name} ${id} was answered with ${again} by the other version`]
  } catch (error) {
    return [`${name} was not answered by both versions: ${String(error)}`]
  }
}

/**
 * Makes an order of each kind at the first app and repeats it at the second; returns a sentence for each that the second
 * does not recognise. The exchange is made at a quote of the second.
 */
export async function repeatElsewhere(
  { person, recipient, bankAccountId, counts }: Repeater,
  [first, second]: readonly [string, string],
): Promise<string[]> {
  const calls = [(await logIn(first, person)).call, (await logIn(second, person)).call] as const
  const [sendKey, exchangeKey, depositKey, withdrawalKey] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
  const faults: string[] = []

  counts.SEND += 1
  const send = { recipient_id: recipient.id, amount: '1.00', source_currency: 'USD' } as const
  faults.push(
    ...(await compareAnswers(
      'a send',
      calls,
      async (call) => (await call(sendMoney, { body: send, idempotencyKey: sendKey })).transaction_id,
    )),
  )

  counts.EXCHANGE += 1
  const terms = { source_currency: 'USD', target_currency: 'USDT', amount: '2.00', side: 'source' } as const
  const { quote_id } = await calls[1](createQuote, { body: terms })
  faults.push(
    ...(await compareAnswers(
      'an exchange',
      calls,
      async (call) => (await call(exchangeMoney, { body: { quote_id }, idempotencyKey: exchangeKey })).transaction_id,
    )),
  )

  counts.DEPOSIT += 1
  const deposit = { amount: 500, currency: 'usd' }
  let checkout: string | null = null
  faults.push(
    ...(await compareAnswers('a deposit', calls, async (call) => {
      const answer = await call(depositByCard, { body: deposit, idempotencyKey: depositKey })
      checkout ??= answer.redirectUrl
      return answer.payment_id
    })),
  )
  if (checkout !== null) await payCheckout(checkout)

  counts.WITHDRAW += 1
  const withdrawal = { amount: '5.00', currency: 'USD', bankAccountId } as const
  faults.push(
    ...(await compareAnswers(
      'a withdrawal',
      calls,
      async (call) => (await call(withdraw, { body: withdrawal, idempotencyKey: withdrawalKey })).payout_id,
    )),
  )
  return faults
}

/** Returns a sentence for each kind of order that was not carried out as often as ordered. Only at rest. */
export async function findUnequalCounts({ pool }: Harness, { person, counts }: Repeater): Promise<string[]> {
  const { rows } = await pool.query<{ kind: string; count: number }>(
    'select kind, count(*)::int as count from transaction where user_id = $1 group by kind',
    [person.id],
  )
  const stored = new Map(rows.map(({ kind, count }) => [kind, count]))
  return Object.entries(counts)
    .filter(([kind, count]) => stored.get(kind) !== count)
    .map(
      ([kind, count]) => `DOUBLED or LOST: ${count} orders ${kind} of one person, ${stored.get(kind) ?? 0} carried out`,
    )
}

export interface OldCalls {
  readonly answered: number
  readonly faults: readonly string[]
}

/**
 * Makes the calls by which pages of the program in `root` read, and validates the replies as its contract says. A
 * resource that does not exist is an answer too.
 */
export async function callAsOldPages(root: string, url: string, person: TestPerson): Promise<OldCalls> {
  const file = path.join(root, 'packages', 'contract', 'src', 'endpoints.ts')
  const contract = (await import(pathToFileURL(file).href)) as { allEndpoints: typeof allEndpoints }
  const endpoints: readonly Endpoint[] = Object.values(contract.allEndpoints)
  const { token } = await logIn(url, person)
  const faults: string[] = []
  let answered = 0
  for (const endpoint of endpoints.filter(isReading)) {
    const address = `${url}/api${fillPath(endpoint, person)}`
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
    const answer = await fetch(address, { headers, signal: AbortSignal.timeout(timeoutMs) })
    const text = await answer.text()
    if (answer.status >= 500) faults.push(`${endpoint.path} at ${url}: ${answer.status} ${text.slice(0, 200)}`)
    if (!answer.ok) continue
    answered += 1
    const reply = endpoint.reply.safeParse(text === '' ? undefined : JSON.parse(text))
    if (!reply.success) faults.push(`${endpoint.path} at ${url}: ${reply.error.message.slice(0, 300)}`)
  }
  return { answered, faults }
}

const isReading = ({ method, access, stream, file, query }: Endpoint): boolean =>
  method === 'GET' && access !== 'operator' && !stream && !file && (query?.safeParse({}).success ?? true)

/** Returns the path with the caller's number where the endpoint takes it, else with an id of nothing. */
function fillPath({ path: template, params }: Endpoint, { id }: TestPerson): string {
  const names = [...template.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const takesCaller = params?.safeParse(Object.fromEntries(names.map((name) => [name, String(id)]))).success ?? false
  return template.replaceAll(/:\w+/g, () => (takesCaller ? String(id) : randomUUID()))
}
