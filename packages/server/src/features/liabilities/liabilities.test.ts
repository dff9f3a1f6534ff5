import { sendMoney } from '@tern/contract/transfers'
import { balanceProof } from '@tern/contract/liabilities'
import { randomUUID } from 'node:crypto'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { raiseLimits } from '@tern/testkit/people'
import { findBrokenRules } from '@tern/testkit/books/find-broken-rules'
import {
  balanceCase,
  balanceVerifierPath,
  hasPython,
  runPythonVerifier,
  withoutDetail,
} from '@tern/testkit/python-verifier'
import { scaleOf } from '@tern/money/currency'
import { parseDecimal } from '@tern/money/money'
import type { BalanceProofReply } from '@tern/contract/liabilities'
import { toSums } from '@tern/transparency/liabilities/sums'
import { type ExpectedBalances, verifyBalanceText } from '@tern/transparency/liabilities/verify-balance'
import { encodeUtf8 } from '@tern/transparency/bytes'
import { parseVerifierKey } from '@tern/transparency/note-keys'
import type { Policy } from '@tern/transparency/policy'
import { beforeAll, expect, test } from 'vitest'
import { auditRules } from './audit-rules.ts'
import { createLiabilities } from './liabilities.ts'

const world = await openTestApp({ unconfirmedPayments: 'any' })
const { product } = world.app
const { transparency, pool } = product
const owner = world.database.pool
const dayMs = 86_400_000

const noon = new Date(`${product.now().toISOString().slice(0, 10)}T12:00:00Z`)

/** Liabilities of workers whose clock shows noon some days ahead. */
const createAhead = (days: number) =>
  createLiabilities({ transparency, now: () => new Date(noon.getTime() + days * dayMs) })

let alice: TestPerson
let bruno: TestPerson
let policy: Policy

beforeAll(async () => {
  await raiseLimits(owner)
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 100_000)
  const { payload } = await world.app.http.inject({ method: 'GET', url: '/log/vkey' })
  policy = { logs: [parseVerifierKey(payload.trim())], witnesses: [], quorum: 0 }
})

const send = (from: TestPerson, to: TestPerson, overrides: object = {}) =>
  from.call(sendMoney, {
    body: { recipient_id: to.id, amount: '40.00', source_currency: 'USD', description: 'Rent', ...overrides },
    idempotencyKey: randomUUID(),
  })

const load = (person: TestPerson) => person.call(balanceProof, {})

const toExpected = ({ holder, balances }: BalanceProofReply): ExpectedBalances => ({
  holder,
  balances: toSums(
    balances.map(({ currency, amount }) => ({
      currency,
      scale: scaleOf(currency),
      minor: parseDecimal(currency, amount).minor,
    })),
  ),
})

/** Verifies a reply as the page does, and with the second verifier. */
async function verify(reply: BalanceProofReply) {
  const text = reply.file ?? ''
  const verdict = verifyBalanceText(text, policy, toExpected(reply))
  if (hasPython) {
    const [answer] = await runPythonVerifier(
      [balanceCase(encodeUtf8(text), policy, toExpected(reply))],
      balanceVerifierPath,
    )
    expect(withoutDetail(answer)).toMatchObject(
      verdict.state === 'valid' ? { state: 'valid', holder: verdict.holder } : { reason: verdict.reason },
    )
  }
  return verdict
}

/** Sums of the ledger by currency, read by plain SQL. */
async function readLedger() {
  const { rows } = await pool.query<{ currency: string; scale: number; minor: bigint }>(
    `select a.currency, c.scale, sum(a.balance) as minor from ledger.account a join ledger.currency c on c.code = a.currency
      where a.kind in ('wallet', 'hold') group by 1, 2`,
  )
  return toSums(rows)
}

test('no proof exists before the first day is closed, and movements of today do not count in yesterday’s tree', async () => {
  expect(await load(alice)).toMatchObject({ state: 'not_yet', day: null, file: null })
  await createAhead(0).closeDays(pool)
  await transparency.append(pool)
  expect(await load(alice)).toMatchObject({ state: 'nothing_owed', balances: [], file: null })
})

test('everyone with money proves it, on hold too, and the total is the ledger’s to the unit', async () => {
  await send(alice, bruno, { undo_seconds: 600 })
  await send(alice, bruno, { amount: '12.34' })
  await createAhead(2).closeDays(pool)
  expect(await load(alice)).toMatchObject({ state: 'not_yet' })
  await transparency.append(pool)
  const carol = await world.enroll('carol', 'Germany')
  expect(await load(carol)).toMatchObject({ state: 'nothing_owed', balances: [], file: null })
  const total = await readLedger()
  for (const person of [alice, bruno]) {
    const reply = await load(person)
    expect(reply).toMatchObject({ state: 'proved', holder: String(person.id) })
    expect(await verify(reply)).toMatchObject({ state: 'valid', total })
  }
  const { balances } = await load(alice)
  // 1,000 less 12.34 and its fee; 40 and its fee are on hold, and still owed.
  expect(balances).toEqual([{ currency: 'USD', amount: '987.54' }])
})

test('a proof is its owner’s, and needs a session', async () => {
  const reply = await load(alice)
  expect(await verify({ ...reply, holder: String(bruno.id) })).toMatchObject({ reason: 'other_holder' })
  expect((await world.raw('GET', '/balances/proof')).body).toMatchObject({ status: 401 })
})

test('workers that close a day at the same time build one tree, and log one root', async () => {
  await Promise.all(Array.from({ length: 4 }, () => createAhead(3).closeDays(pool)))
  await createAhead(3).closeDays(pool)
  const { rows } = await pool.query(
    `select count(*)::int as days, count(leaf_index)::int as logged,
        (select count(*)::int from transparency_leaf where get_byte(data, 0) = 3) as entries from liability_day`,
  )
  expect(rows).toEqual([{ days: 4, logged: 4, entries: 4 }])
  await transparency.append(pool)
  expect(await verify(await load(alice))).toMatchObject({ state: 'valid' })
})

test('days on which no worker ran are closed later, each with the balances at its own end', async () => {
  await createAhead(6).closeDays(pool)
  await transparency.append(pool)
  const { rows } = await pool.query<{ day: string }>('select day from liability_day order by day')
  expect(rows).toHaveLength(7)
  const at = new Date(noon.getTime() + 5 * dayMs)
  expect(rows.at(-1)?.day).toBe(at.toISOString().slice(0, 10))
})

const damage = (sql: string) =>
  owner.query(`set session_replication_role = replica; ${sql}; reset session_replication_role`)

/** Closes the next day while the ledger shows other balances than before and after. */
async function closeWith(sql: string, undo: string, days: number) {
  await damage(sql)
  await createAhead(days).closeDays(pool)
  await damage(undo)
  await transparency.append(pool)
}

const walletOf = (person: TestPerson) =>
  `name like '%' || (select id from wallet where user_id = ${person.id}) || ':%' and currency = 'USD'`

test('a balance left out of the tree is found by its owner, and the audit names the sum', async () => {
  await closeWith(
    `create table kept_account as select * from ledger.account; update ledger.account set balance = 0 where ${walletOf(alice)}`,
    'update ledger.account a set balance = k.balance from kept_account k where k.id = a.id',
    7,
  )
  expect(await load(alice)).toMatchObject({ state: 'missing', file: null, balances: [{ amount: '987.54' }] })
  const broken = await findBrokenRules(world.database.url, auditRules, 'select')
  expect(broken['the last tree of liabilities sums to the ledger']).toContain('98754')
})

test('a balance lowered in the tree is found by its owner in both verifiers', async () => {
  await closeWith(
    `update ledger.account set balance = balance - 1 where kind = 'wallet' and ${walletOf(alice)}`,
    'update ledger.account a set balance = k.balance from kept_account k where k.id = a.id',
    8,
  )
  const reply = await load(alice)
  expect(reply.state).toBe('proved')
  expect(await verify(reply)).toMatchObject({ state: 'invalid', reason: 'other_balances' })
  const forged = { ...reply, balances: [{ currency: 'USD' as const, amount: '987.53' }] }
  expect(await verify(forged)).toMatchObject({ state: 'valid' })
})

test('roots cannot be changed, and a second root for a day is refused', async () => {
  for (const statement of [
    `update liability_day set root_hash = sha256('')`,
    'update liability_total set amount = 1',
    'update liability_tile set tile_index = tile_index + 1',
    'update liability_holder set position = 0',
  ])
    await expect(owner.query(statement), statement).rejects.toMatchObject({ code: 'TL002' })
  await expect(
    owner.query(
      `insert into transparency_leaf (leaf_index, data)
        select 900000, substring(data for 11) || sha256('') from transparency_leaf where get_byte(data, 0) = 3 limit 1`,
    ),
  ).rejects.toMatchObject({ code: '23505' })
})

test('the audit names a root that is not what the log has', async () => {
  const broken = await findBrokenRules(
    world.database.url,
    auditRules,
    `set local session_replication_role = replica; update liability_total set amount = amount + 1`,
  )
  expect(broken['the roots of liabilities are in the log']).toContain('differs from entry')
})
