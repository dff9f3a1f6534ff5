import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import {
  bridgeAccount,
  bridgeStablecoinAccount,
  cardAccount,
  feeAccount,
  holdAccount,
  walletAccount,
} from '@tern/ledger/chart'
import { release, reserve, settle } from '@tern/ledger/holds'
import { openAccounts } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { money } from '@tern/money/money'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  copyDatabase,
  createTestDatabase,
  runOnce,
  type TestDatabase,
  withDatabase,
} from '../../../tools/test-database.ts'
import { audit } from './audit.ts'
import { connect } from './db.ts'
import { createMover, type MoveRequest, type TransactionKind, type TransactionRow } from './features/wallets/move.ts'

// One sound database in which everything has happened once; each fault is made in a copy of it.

let sound: TestDatabase

beforeAll(async () => {
  sound = await createTestDatabase()
  await live(sound)
  // A database is copied only while nobody is connected to it.
  await sound.pool.end()
})
afterAll(async () => {
  const name = new URL(sound.url).pathname.slice(1)
  await runOnce(withDatabase(sound.url, 'postgres'), `drop database ${name} with (force)`)
})

const at = new Date('2026-03-01T10:00:00Z')
const usd = (minor: bigint) => money('USD', minor)

async function live({ url, pool }: TestDatabase): Promise<void> {
  const [anna, ben] = [randomUUID(), randomUUID()]
  const [card, fee, bridge, tether, euroTether, euros, a, aHold, b, bEuro] = (await openAccounts(pool, [
    cardAccount('USD'),
    feeAccount('USD'),
    bridgeAccount('USD'),
    bridgeStablecoinAccount('USD'),
    bridgeStablecoinAccount('EUR'),
    bridgeAccount('EUR'),
    walletAccount(anna, 'USD'),
    holdAccount(anna, 'USD'),
    walletAccount(ben, 'USD'),
    walletAccount(ben, 'EUR'),
  ])) as [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint]
  const users = { anna: { userId: 1_000_000_001n, walletId: anna }, ben: { userId: 1_000_000_002n, walletId: ben } }
  const row = (
    user: keyof typeof users,
    kind: TransactionKind,
    more: Partial<TransactionRow> = {},
  ): TransactionRow => ({
    ...users[user],
    kind,
    status: 'COMPLETED',
    description: kind,
    source: usd(1_000n),
    target: usd(1_000n),
    fee: usd(0n),
    ...more,
  })
  const request = (
    legs: Leg[],
    rows: TransactionRow[],
    more: Partial<MoveRequest> = {},
    reference: string = randomUUID(),
  ) => {
    const id = randomUUID()
    const requestHash = createHash('sha256').update(id).digest()
    return { movement: { id, requestHash, kind: 'test', reference, at, legs }, rows, ...more }
  }
  const deposit = (to: bigint, amount: bigint): Leg => ({ from: card, to, amount, code: 'deposit' })
  const prices = { source: usd(1_000n), target: money('EUR', 930n), fee: usd(10n) }
  const cross: Leg[] = [
    { from: a, to: bridge, amount: 1_000n, code: 'exchange' },
    { from: a, to: fee, amount: 10n, code: 'fee' },
    { from: tether, to: euroTether, amount: 10_000_000n, code: 'exchange' },
    { from: euros, to: bEuro, amount: 930n, code: 'exchange' },
  ]
  const [ended, failed] = [randomUUID(), randomUUID()]
  const pending = (reference: string) =>
    request(
      [reserve({ wallet: a, hold: aHold, amount: 100n })],
      [row('anna', 'WITHDRAW', { status: 'PENDING', source: usd(100n), target: usd(100n) })],
      {},
      reference,
    )
  const requests: MoveRequest[] = [
    request([deposit(a, 10_000n)], [row('anna', 'DEPOSIT', { source: usd(10_000n), target: usd(10_000n) })]),
    request([{ from: a, to: b, amount: 1_000n, code: 'send' }], [row('anna', 'SEND'), row('ben', 'RECEIVE')]),
    request(cross, [row('anna', 'SEND', prices), row('ben', 'RECEIVE', prices)]),
    request(
      [deposit(a, 1_010n), ...cross],
      [row('anna', 'SEND', { ...prices, paymentSource: 'card' }), row('ben', 'RECEIVE', prices)],
    ),
    pending(randomUUID()),
    pending(ended),
    request(
      [settle({ hold: aHold, to: card, amount: 100n })],
      [],
      { settles: [{ id: ended, status: 'COMPLETED' }] },
      ended,
    ),
    pending(failed),
    request(
      [release({ hold: aHold, wallet: a, amount: 100n })],
      [],
      { settles: [{ id: failed, status: 'FAILED' }] },
      failed,
    ),
  ]
  const mover = createMover({ databaseUrl: url })
  for (const each of requests) expect(await mover.move(each)).toEqual({ status: 'posted' })
  await mover.close()
  await pool.query(`insert into settlement_line
    select 'sandbox', p.id::text, case when e.amount < 0 then 'capture' else 'refund' end, -e.amount, a.currency, p.reference,
        p.id, p.created_at
      from ledger.entry e
      join ledger.account a on a.id = e.account_id and a.kind = 'card_settlement'
      join ledger.posting p on p.id = e.posting_id`)
}

/** A copy of the sound database; its guards are off for the statements of `damage`. */
async function withCopy<T>(damage: string, run: (pool: pg.Pool, url: string) => Promise<T>): Promise<T> {
  const source = new URL(sound.url).pathname.slice(1)
  const name = `${source}_${randomUUID().slice(0, 8)}`
  const server = withDatabase(sound.url, 'postgres')
  await copyDatabase(server, name, source)
  const url = withDatabase(sound.url, name)
  const pool = connect(url, 1)
  try {
    await pool.query(`begin; set local session_replication_role = replica; ${damage}; commit`)
    return await run(pool, url)
  } finally {
    await pool.end()
    await runOnce(server, `drop database ${name} with (force)`)
  }
}

const findBroken = (damage: string): Promise<string[]> =>
  withCopy(damage, async (pool) => (await audit(pool)).checks.filter(({ ok }) => !ok).map(({ name }) => name))

test('sound books pass every check, and the sums show where the money is', async () => {
  const report = await withCopy('select 1', audit)
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([])
  expect(report.checks.length).toBe(12)
  expect(report.sums).toEqual([
    { currency: 'USD', spendable: 8_790n, held: 100n, earned: 20n, outside: -8_910n },
    { currency: 'EUR', spendable: 1_860n, held: 0n, earned: 0n, outside: -1_860n },
    { currency: 'USDT', spendable: 0n, held: 0n, earned: 0n, outside: 0n },
  ])
})

const account = (name: string) => `(select id from ledger.account where name like '${name}')`

test.each([
  [
    'a balance raised out of nothing',
    `update ledger.account set balance = balance + 1 where kind = 'fee'`,
    ['every currency sums to zero', 'every balance is the sum of its entries'],
  ],
  [
    'money moved between two balances without an entry',
    `update ledger.account set balance = balance + case kind when 'fee' then 5 else -5 end where name in ('fee:USD', 'card:USD')`,
    ['every balance is the sum of its entries'],
  ],
  [
    'an amount rewritten in the history',
    `update ledger.entry set amount = amount + 1 where version = 2`,
    ['every balance is the sum of its entries', 'every posting is balanced in every currency'],
  ],
  [
    'a running balance rewritten',
    `update ledger.entry set balance = balance + 1 where version = 2`,
    ['every running balance follows from the entry before'],
  ],
  [
    'an entry removed',
    `delete from ledger.entry where account_id = ${account('fee:USD')} and version = 1`,
    ['entries count 1, 2, 3 … without a gap', 'every posting is balanced in every currency'],
  ],
  [
    'an entry numbered anew',
    `update ledger.entry set version = 99 where account_id = ${account('fee:USD')} and version = 2`,
    ['entries count 1, 2, 3 … without a gap'],
  ],
  [
    'a user below zero',
    `alter table ledger.account drop constraint account_floor_is_kept;
     update ledger.account set balance = -1 where kind = 'hold'`,
    ['no user is below zero'],
  ],
  [
    'a wallet without a floor',
    `alter table ledger.account drop constraint account_of_user_has_floor;
     update ledger.account set floor = null where kind = 'wallet'`,
    ['no user is below zero'],
  ],
  [
    'a posting removed',
    `delete from ledger.posting where reference = (select id from transaction where kind = 'DEPOSIT')`,
    ['every posting is balanced in every currency', 'every transaction row has its posting'],
  ],
  [
    'a posting without entries',
    `insert into ledger.posting values (gen_random_uuid(), '', 'x', gen_random_uuid(), null, now())`,
    ['every posting is balanced in every currency'],
  ],
  [
    'a pending transaction closed while its money is still held',
    `update transaction set status = 'COMPLETED' where status = 'PENDING'`,
    ['everything held belongs to a pending transaction'],
  ],
  [
    'a transaction closed as failed though its money is gone',
    `update transaction set status = 'FAILED' where kind = 'WITHDRAW' and status = 'COMPLETED'`,
    ['rows and entries tell the same story'],
  ],
  [
    'a row that shows another amount',
    `update transaction set target_amount = 931 where kind = 'RECEIVE' and target_amount = 930`,
    ['rows and entries tell the same story'],
  ],
  [
    'a row that hides a fee',
    `update transaction set fee_amount = 0 where kind = 'SEND'`,
    ['rows and entries tell the same story'],
  ],
  [
    'a row that names another posting',
    `update transaction set posting_id = gen_random_uuid() where kind = 'DEPOSIT'`,
    ['every transaction row has its posting'],
  ],
  [
    'a row removed',
    `delete from transaction where kind = 'RECEIVE' and target_currency = 'EUR'`,
    ['every posting of a user is in their list', 'rows and entries tell the same story'],
  ],
  [
    'a row made up',
    `insert into transaction (user_id, id, posting_id, kind, status, created_at, wallet_id, description,
       source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency)
     values (1, gen_random_uuid(), gen_random_uuid(), 'DEPOSIT', 'COMPLETED', now(), gen_random_uuid(), '', 5, 'USD', 5, 'USD', 0, 'USD')`,
    ['every transaction row has its posting', 'rows and entries tell the same story'],
  ],
  [
    'a row still pending though its bank debit has failed',
    `with given as (
       insert into payment (id, user_id, purpose, method, status, amount_minor, currency, provider, idempotency_key,
         request_hash, created_at, updated_at, asked_at)
       values (gen_random_uuid(), 1, 'deposit', 'bank', 'failed', 5, 'USD', 'sandbox', gen_random_uuid(), '', now(), now(), now())
       returning id)
     insert into transaction (user_id, id, posting_id, kind, status, created_at, wallet_id, description,
       source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency, payment_id)
     select 1, gen_random_uuid(), gen_random_uuid(), 'DEPOSIT', 'PENDING', now(), gen_random_uuid(), '', 5, 'USD', 5, 'USD', 0,
       'USD', id from given`,
    ['every transaction row has its posting'],
  ],
  [
    'a capture that was not noted',
    `delete from settlement_line where amount_minor = 10000`,
    ['what moved between us and a provider is noted by its id'],
  ],
  [
    'a capture that was noted with another amount',
    `update settlement_line set amount_minor = amount_minor + 1 where amount_minor = 10000`,
    ['what moved between us and a provider is noted by its id'],
  ],
  [
    'a guard switched off',
    `alter table ledger.entry disable trigger history_is_kept`,
    ['history is guarded by the database'],
  ],
])('%s is found', async (_, damage, expected) => {
  expect(await findBroken(damage)).toEqual(expect.arrayContaining(expected))
})

const program = fileURLToPath(new URL('audit.ts', import.meta.url))

/** Runs the audit as a person would: its exit code and what it prints. */
const runProgram = (environment: Record<string, string>) =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(
      process.execPath,
      [program],
      { env: { PATH: process.env.PATH, ...environment } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })

test('the command ends with 0 for sound books, 1 for broken ones, 2 without a database', async () => {
  const good = await withCopy('select 1', (_, url) => runProgram({ DATABASE_URL: url }))
  expect(good.code).toBe(0)
  expect(good.output).toContain('87.90')
  const damage = `update ledger.account set balance = balance + 1 where kind = 'fee'`
  const bad = await withCopy(damage, (_, url) => runProgram({ DATABASE_URL: url }))
  expect(bad.code).toBe(1)
  expect(bad.output).toMatch(/BROKEN +every currency sums to zero +1 broken: USD sums to 1/)
  const none = await runProgram({ DATA_DIR: '/nowhere' })
  expect(none).toMatchObject({ code: 2, output: expect.stringContaining('No database is running') })
})
