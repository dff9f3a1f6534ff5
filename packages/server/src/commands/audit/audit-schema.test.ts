import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { findBrokenRules } from '@tern/testkit/books/find-broken-rules'
import { applyRules } from './apply-rules.ts'
import { audit } from './audit.ts'
import { schemaRules } from './rules-schema.ts'
import { rules } from './rules.ts'
import { readFingerprints } from '../migrate/fingerprints.ts'
import committed from '../migrate/fingerprints.json' with { type: 'json' }

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('the committed fingerprints are those of a fresh database: if not, run `node tools/run.mjs tools/fingerprints.ts` and read what changed', async () => {
  const client = await database.pool.connect()
  expect(await readFingerprints(client).finally(() => client.release(true))).toEqual(committed)
})

test('a fresh database passes every check', async () => {
  const { checks } = await audit(database.pool)
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})

const functionsRule = 'functions that move money are as this program makes them'
const historyRule = 'history is guarded by the database'
const constraintsRule = 'constraints on money are as this program makes them'
const tablesRule = 'tables of money are as this program makes them'

const rewriteSql = (name: string, text: string, replacement: string) =>
  `do $do$ begin execute replace(pg_get_functiondef('${name}'::regproc), $a$${text}$a$, $b$${replacement}$b$); end $do$`

test.each([
  [
    'a posting function that forgets the floor',
    rewriteSql('ledger.post', 'if balance < account_floor[giver] then', 'if false then'),
    functionsRule,
    'function ledger.post(batch ledger.batch, quota_used numeric[], waits boolean) is altered',
  ],
  ['a function that runs as its caller', 'alter function ledger.post security invoker', functionsRule, 'is altered'],
  ['a function with other settings', 'alter function ledger.post reset search_path', functionsRule, 'is altered'],
  [
    'rows that are written otherwise',
    rewriteSql('move_money', `t.status = 'PENDING'`, `t.status <> 'FAILED'`),
    functionsRule,
    'function public.move_money',
  ],
  [
    'a guard that lets everything pass',
    `create or replace function ledger.refuse_change() returns trigger language plpgsql as 'begin return null; end'`,
    functionsRule,
    'function ledger.refuse_change() is altered',
  ],
  [
    'a function that does not belong to the ledger',
    `create function ledger.post(int) returns int language sql as 'select 1'`,
    functionsRule,
    'function ledger.post(integer) is not of this program',
  ],
  [
    'a function that anybody may call',
    'grant execute on function reverse_limit_usage to public',
    functionsRule,
    'function public.reverse_limit_usage',
  ],
  ['a function removed', 'drop function fail_pending_transaction', functionsRule, 'is missing'],
  [
    'a trigger switched off',
    'alter table ledger.entry disable trigger history_is_kept',
    historyRule,
    'trigger history_is_kept on ledger.entry is altered',
  ],
  [
    'a trigger that fires for copies alone',
    'alter table transaction enable replica trigger facts_are_kept',
    historyRule,
    'trigger facts_are_kept on public.transaction is altered',
  ],
  ['a trigger removed', 'drop trigger rows_are_kept on transaction', historyRule, 'is missing'],
  [
    'a trigger narrowed',
    `drop trigger facts_are_kept on transaction; create trigger facts_are_kept before update of user_id on transaction
      for each statement execute function refuse_change_of_transaction()`,
    historyRule,
    'is altered',
  ],
  [
    'a trigger that changes what is written',
    `create function fee_free() returns trigger language plpgsql as 'begin new.fee_amount := 0; return new; end';
     create trigger fees before insert on transaction for each row execute function fee_free()`,
    historyRule,
    'trigger fees on public.transaction is not of this program',
  ],
  [
    'a rule that drops what is written',
    'create rule lost as on insert to settlement_line do instead nothing',
    historyRule,
    'rule lost on public.settlement_line is not of this program',
  ],
  [
    'foreign keys switched off',
    'alter table payout disable trigger all',
    historyRule,
    'switched-off foreign keys on public.payout',
  ],
  [
    'a database whose sessions fire no triggers',
    `do $$ begin execute format('alter database %I set session_replication_role = replica', current_database()); end $$`,
    historyRule,
    'setting of a role or database is not of this program',
  ],
  [
    'a check removed',
    'alter table ledger.account drop constraint account_floor_is_kept',
    constraintsRule,
    'constraint account_floor_is_kept on ledger.account is missing',
  ],
  [
    'a check widened',
    `alter table transaction drop constraint transaction_status_check;
     alter table transaction add constraint transaction_status_check check (status <> '')`,
    constraintsRule,
    'constraint transaction_status_check on public.transaction is altered',
  ],
  [
    'a check that old rows need not fulfil',
    `alter table ledger.account drop constraint account_floor_is_kept;
     alter table ledger.account add constraint account_floor_is_kept check (floor is null or balance >= floor) not valid`,
    constraintsRule,
    'is altered',
  ],
  [
    'a unique index removed',
    'drop index payment_quote',
    constraintsRule,
    'unique index payment_quote on public.payment is missing',
  ],
  [
    'a column that may be null',
    'alter table ledger.entry alter amount drop not null',
    tablesRule,
    'columns of ledger.entry is altered',
  ],
  [
    'a column with another default',
    'alter table limit_usage alter usd_minor set default 0',
    tablesRule,
    'public.limit_usage',
  ],
  [
    'a table that a crash empties',
    'alter table settlement_line set unlogged',
    tablesRule,
    'table public.settlement_line is altered',
  ],
  [
    'a table that anybody may write',
    'grant insert on settlement_line to public',
    tablesRule,
    'table public.settlement_line is altered',
  ],
  [
    'a table whose rows a policy hides',
    'alter table transaction enable row level security',
    tablesRule,
    'table public.transaction is altered',
  ],
])('%s is found', async (_, damageSql, rule, sentence) => {
  expect(await findBrokenRules(database.url, schemaRules, damageSql)).toEqual(
    expect.objectContaining({ [rule]: expect.stringContaining(sentence) }),
  )
})

test("a role's own objects or temporary tables cannot mislead the audit", async () => {
  await database.pool.query('create schema elsewhere; create table elsewhere.transaction (id uuid)')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('set search_path = elsewhere, public; create temp table wallet (id uuid)')
  const checks = await applyRules(client, rules)
  await client.end()
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
})
