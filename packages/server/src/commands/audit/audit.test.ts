import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runOnce } from '@tern/testkit/database'
import { createSoundBooks, type SoundBooks } from '@tern/testkit/books/sound-books'
import { audit } from './audit.ts'
import { auditRules as liabilityRules } from '../../features/liabilities/audit-rules.ts'
import { auditRules as logRules } from '../../features/transparency/audit-rules.ts'
import { connect } from '../../platform/database/db.ts'

// The tests use sound books with rows for every rule, and make faults with the rights of the tables' owner.

let books: SoundBooks

beforeAll(async () => {
  books = await createSoundBooks({ withChecks: true })
})
afterAll(() => books.drop())

test('sound books pass every check, and the sums show where the money is', async () => {
  const pool = connect(books.url, 1)
  const { checks, sums } = await audit(pool)
  await pool.end()
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
  // The log of these books is empty; audit-log.test.ts and liabilities.test.ts have one.
  const logNames = new Set([
    ...[...logRules, ...liabilityRules].map(({ name }) => name),
    'day seals are in the signed log',
  ])
  const uncheckedNames = checks
    .filter(({ name, detail }) => detail === '0 checked' && !logNames.has(name))
    .map(({ name }) => name)
  expect(uncheckedNames, 'every rule has something to look at').toEqual([])
  expect(sums.map(({ currency }) => currency)).toEqual(['USD', 'EUR', 'USDT', 'USDC', 'BTC', 'ETH'])
  expect(sums[0]).toEqual({ currency: 'USD', spendable: 75_798n, held: 18_898n, earned: 264n, outside: -94_960n })
  for (const { spendable, held, earned, outside } of sums) expect(spendable + held + earned + outside).toBe(0n)
})

const accountSql = (name: string) => `(select id from ledger.account where name like '${name}')`

test.each([
  [
    'a line of the log of the desk rewritten',
    `update desk_log set reason = 'Somebody else said so.' where number = 1`,
    { 'the log of the desk is whole and in order': 'line 1' },
  ],
  [
    'the first line of the log of the desk removed',
    'delete from desk_log where number = 1',
    { 'the log of the desk is whole and in order': 'line 2' },
  ],
  [
    'the first line of the log of the desk removed, and the others chained anew',
    `delete from desk_log where number = 1;
     do $$
     declare
       line desk_log;
       previous bytea;
     begin
       for line in select * from desk_log order by number loop
         update desk_log set hash = desk_hash(line, previous) where number = line.number returning hash into previous;
       end loop;
     end
     $$`,
    { 'the log of the desk is whole and in order': 'line 2' },
  ],
  [
    'what somebody said in a dispute rewritten',
    `update dispute set statement = 'I was never asked.'`,
    { 'what was frozen for a dispute is as it was': 'has other evidence than was frozen' },
  ],
  [
    'a refund of a dispute made larger',
    `update dispute_posting set amount_minor = amount_minor + 1 where kind = 'final'`,
    {
      'what disputes moved is what their owners see': 'final moved 1006 USD, its owner sees 1005',
      'disputes give back no more than is claimed': 'is upheld and has given 1006 of 1005',
    },
  ],
  [
    'a decision of the desk removed',
    `delete from desk_decision where seat = 'first'`,
    { 'what the desk carried out was decided': 'was decided by 1' },
  ],
  [
    'a balance raised out of nothing',
    `update ledger.account set balance = balance + 1 where name = 'fee:USD'`,
    { 'every currency sums to zero': 'USD sums to 1', 'every balance is the sum of its entries': 'fee:USD' },
  ],
  [
    'money moved between two balances without an entry',
    `update ledger.account set balance = balance + case kind when 'fee' then 5 else -5 end where name in ('fee:USD', 'card:USD')`,
    { 'every balance is the sum of its entries': 'card:USD; fee:USD' },
  ],
  [
    'an amount rewritten in the history',
    `update ledger.entry set amount = amount + 1 where account_id = ${accountSql('fee:USD')} and version = 2`,
    {
      'every balance is the sum of its entries': 'fee:USD',
      'every posting is balanced in every currency': 'in USD',
      'every leg is a permitted move': 'wallet pays fee',
    },
  ],
  [
    'a running balance rewritten',
    `update ledger.entry set balance = balance + 1 where account_id = ${accountSql('fee:USD')} and version = 2`,
    { 'every running balance follows from the entry before': 'fee:USD at entry 2' },
  ],
  [
    'an entry removed',
    `delete from ledger.entry where account_id = ${accountSql('fee:USD')} and version = 1`,
    {
      'entries count 1, 2, 3 … without a gap': 'fee:USD',
      'every posting is balanced in every currency': 'in USD',
      'every leg is a permitted move': 'wallet pays nobody',
    },
  ],
  [
    'an entry numbered anew',
    `update ledger.entry set version = 99 where account_id = ${accountSql('fee:USD')} and version = 2`,
    { 'entries count 1, 2, 3 … without a gap': 'fee:USD' },
  ],
  [
    'a user below zero',
    `alter table ledger.account drop constraint account_floor_is_kept;
     update ledger.account set balance = -1 where kind = 'hold'`,
    {
      'no user is below zero': 'hold:',
      'constraints on money are as this program makes them':
        'constraint account_floor_is_kept on ledger.account is missing',
    },
  ],
  [
    'a wallet without a floor',
    `alter table ledger.account drop constraint account_of_user_has_floor;
     update ledger.account set floor = null where kind = 'wallet'`,
    { 'no user is below zero': 'wallet:' },
  ],
  [
    'a posting removed',
    `delete from ledger.posting where id = (select posting_id from settlement_line where kind = 'capture' limit 1)`,
    {
      'every posting is balanced in every currency': 'has entries without being posted',
      'every transaction row has its posting': 'of user',
    },
  ],
  [
    'a posting without entries',
    `insert into ledger.posting (id, request_hash, kind, reference, created_at)
     values (gen_random_uuid(), '', 'x', gen_random_uuid(), now())`,
    { 'every posting is balanced in every currency': 'has no entries' },
  ],
  [
    'a refused movement that has entries',
    `update ledger.posting set refusal = 'insufficient_funds' where kind = 'exchange'`,
    { 'every posting is balanced in every currency': 'was refused and has entries' },
  ],
  [
    'an entry of another time',
    `update ledger.entry set created_at = created_at - interval '1 second' where version = 1`,
    { 'entries carry the time of their posting': ' at 2' },
  ],
  [
    'a stripe of another account',
    `insert into ledger.account (name, kind, currency, stripe_of) values ('fee:USD#77', 'fee', 'EUR', ${accountSql('fee:USD')})`,
    { 'stripes are of their account': 'fee:USD#77' },
  ],
  [
    'money that goes a way it may not',
    `update ledger.entry e set account_id = ${accountSql('venue:USD%')}, version = 1000 + e.version
      where account_id = ${accountSql('card:USD')} and posting_id in (select posting_id from settlement_line where kind = 'capture')`,
    { 'every leg is a permitted move': 'venue_settlement pays wallet' },
  ],
  [
    'a way for money that was permitted by hand',
    `insert into ledger.permitted_move values ('fee', 'wallet', 'send', false)`,
    { 'permitted moves are those of the chart': 'fee to wallet for send is permitted beyond the chart' },
  ],
  [
    'a way for money that was widened to other wallets',
    `update ledger.permitted_move set same_owner = false where code = 'release'`,
    { 'permitted moves are those of the chart': 'hold to wallet for release differs in whose accounts' },
  ],
  [
    'a way for money that was taken away',
    `delete from ledger.permitted_move where code = 'chargeback' and from_kind = 'loss'`,
    { 'permitted moves are those of the chart': 'loss to bank_settlement for chargeback is missing' },
  ],
])('%s is found', async (_, damageSql, expected: Record<string, string>) => {
  const brokenRules = await books.findBroken(damageSql)
  for (const [rule, sentence] of Object.entries(expected)) {
    expect(brokenRules, rule).toMatchObject({ [rule]: expect.stringContaining(sentence) })
  }
})

const program = fileURLToPath(new URL('../runner/tern.ts', import.meta.url))

/** Runs the audit command; returns its exit code and output. */
const runProgram = (environment: Record<string, string>) =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(
      process.execPath,
      [program, 'audit'],
      { env: { PATH: process.env.PATH, ...environment } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })

test('the command exits with 0 for sound books, 1 for broken ones, 78 without a database', async () => {
  const soundRun = await runProgram({ DATABASE_URL: books.url })
  expect(soundRun.code).toBe(0)
  expect(soundRun.output).toContain('757.98')
  const brokenRun = await books.runOnCopy(async (url) => {
    await runOnce(
      url,
      `begin; set local session_replication_role = replica;
       update ledger.account set balance = balance + 1 where name = 'fee:USD'; commit`,
    )
    return runProgram({ DATABASE_URL: url })
  })
  expect(brokenRun.code).toBe(1)
  expect(brokenRun.output).toMatch(/BROKEN +every currency sums to zero +1 broken: USD sums to 1/)
  const unreachableRun = await runProgram({ DATA_DIR: '/nowhere', DATABASE_URL: '' })
  expect(unreachableRun).toMatchObject({ code: 78, output: expect.stringContaining('No database is running') })
})

test('the command reports and exits as the books are, also with a secret that cannot be used', async () => {
  const { code, output } = await runProgram({ DATABASE_URL: books.url, TERN_SECRET: 'short' })
  expect(output).toContain('757.98')
  expect(output).toContain('TERN_SECRET must be set to a random text of at least 32 characters.')
  expect(code).toBe(0)
})
