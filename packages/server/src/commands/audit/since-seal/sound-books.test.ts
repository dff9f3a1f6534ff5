import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditRules as logRules } from '../../../features/transparency/audit-rules.ts'
import { rules } from '../rules.ts'
import { applyRulesSince } from './audit-since-seal.ts'

// Books with every kind of money movement, audited as if they had been sealed before one of their transactions.

let books: SoundBooks
let client: pg.Client
let points: readonly Point[]

interface Point {
  readonly xid: bigint
  readonly at: Date
}

beforeAll(async () => {
  books = await createSoundBooks({ withChecks: true })
  client = new pg.Client({ connectionString: books.url })
  await client.connect()
  points = (
    await client.query<Point>('select xid, min(created_at) as at from ledger.posting group by xid order by xid')
  ).rows
})
afterAll(async () => {
  await client.end()
  await books.drop()
})

// The log of these books is empty.
const appliedRules = rules.filter((rule) => !logRules.includes(rule))
const day = '2000-01-01'

/** Applies the rules as if the balances before a transaction had been sealed; returns broken rules with their faults. */
async function auditSince({ xid, at }: Point, damage = 'select'): Promise<Record<string, string>> {
  await client.query('begin isolation level repeatable read')
  try {
    await client.query(
      `insert into day_seal_account (day, account_id, version, balance)
        select distinct on (e.account_id) $2::date, e.account_id, e.version, e.balance
          from ledger.entry e join ledger.posting p on p.id = e.posting_id
         where p.xid < $1 order by e.account_id, e.version desc`,
      [xid, day],
    )
    await client.query(`set local session_replication_role = replica; ${damage}`)
    const seal = { day, leafIndex: -1n, horizon: xid, until: at }
    const checks = await applyRulesSince(client, { seal, rules: appliedRules })
    return Object.fromEntries(checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]))
  } finally {
    await client.query('rollback')
  }
}

test('sound books have no fault since any of their transactions', async () => {
  const chosen = points.filter((_, index) => index % 5 === 0)
  expect(chosen.length).toBeGreaterThan(10)
  for (const point of chosen) expect(await auditSince(point), `since ${String(point.xid)}`).toEqual({})
})

test('limit usage of days that are read completely is what was counted', async () => {
  const [first] = points
  if (!first) throw new Error('the books are empty')
  const midnight = { ...first, at: new Date(Math.floor(first.at.getTime() / 86_400_000) * 86_400_000) }
  const last = points.at(-1) ?? first
  for (const xid of [first.xid, last.xid]) expect(await auditSince({ ...midnight, xid })).toEqual({})
  const damage = 'update limit_usage set usd_minor = usd_minor - 1, movements = movements + 1 where movements > 0'
  expect(await auditSince({ ...midnight, xid: last.xid }, damage)).toMatchObject({
    'limit usage is what was counted': expect.stringContaining('US cents'),
  })
  expect(await auditSince(last, damage)).toEqual({})
})

const lastSendSql = `(select posting_id from transaction where kind = 'SEND' and status = 'COMPLETED'
  order by xid desc limit 1)`

test.each<readonly [what: string, damage: string, rule: string, fault: string]>([
  [
    'an amount that was rewritten',
    `update ledger.entry set amount = amount + 1 where posting_id = ${lastSendSql} and leg = 0 and amount > 0`,
    'every posting is balanced in every currency',
    'in ',
  ],
  [
    'a balance raised out of nothing',
    `update ledger.account set balance = balance + 1 where name = 'fee:USD'`,
    'every balance is the sealed one and the entries since',
    'fee:USD',
  ],
  [
    'a row that was removed',
    `delete from transaction where posting_id = ${lastSendSql} and kind = 'SEND'`,
    'both parties see the same transfer',
    'was received and never sent',
  ],
  [
    'a row with another amount',
    `update transaction set source_amount = source_amount + 1 where posting_id = ${lastSendSql}`,
    'rows and entries tell the same story',
    'its row says',
  ],
  [
    'money on hold whose transaction was said to be over',
    `update transaction set status = 'FAILED' where id = (select p.reference from ledger.entry e
       join ledger.account a on a.id = e.account_id and a.kind = 'hold' and a.balance > 0
       join ledger.posting p on p.id = e.posting_id order by p.xid desc limit 1)`,
    'everything held belongs to a pending transaction',
    'holds',
  ],
  [
    'a payment said to be completed whose money did not arrive',
    `update payment set status = 'completed', updated_at = now() where status = 'pending'`,
    'payments stand as their money moved',
    'is completed',
  ],
  [
    'a movement of a provider that was removed',
    `delete from settlement_line where posting_id = (select l.posting_id from settlement_line l
       join ledger.posting p on p.id = l.posting_id order by p.xid desc limit 1)`,
    'what moved between us and a provider is noted by its id',
    'noted is nothing',
  ],
])('%s is found in what is new', async (_, damage, rule, fault) => {
  const [first] = points
  if (!first) throw new Error('the books are empty')
  expect(await auditSince(first, damage)).toMatchObject({ [rule]: expect.stringContaining(fault) })
})
