import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { sendMoney } from '@tern/contract/transfers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import pg from 'pg'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { createTestDatabase, type TestDatabase } from '@tern/testkit/database'
import { linkAccount } from '@tern/testkit/payments'
import { readConfig } from '../../platform/runtime/config.ts'
import { definerFunctions, tables } from '../../features/list.ts'
import { startWorker } from '../../worker.ts'

describe('the tables of the features', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  test('are those of the database', async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `select case table_schema when 'public' then '' else table_schema || '.' end || table_name as name
         from information_schema.tables where table_schema in ('public', 'ledger') and table_type = 'BASE TABLE'`,
    )
    const names = rows.map(({ name }) => name)
    expect(names.length).toBeGreaterThan(30)
    const missingTables = names.filter((name) => tables[name] === undefined)
    expect(missingTables, 'add a row to tables.ts in the folder of the feature').toEqual([])
    expect(
      Object.keys(tables).filter((name) => !names.includes(name)),
      'no table has this name: remove its row from tables.ts',
    ).toEqual([])
  })

  test('list every definer function, none callable by others or open to misdirection', async () => {
    const { rows } = await database.pool.query<{ name: string; isPublic: boolean; path: string | null }>(
      `select n.nspname || '.' || p.proname as name, has_function_privilege('public', p.oid, 'execute') as "isPublic",
              (select setting from unnest(p.proconfig) as setting where setting like 'search_path=%') as path
         from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where p.prosecdef and n.nspname in ('public', 'ledger')`,
    )
    expect(rows.length).toBeGreaterThan(5)
    for (const { name, isPublic, path } of rows) {
      expect(definerFunctions[name], `${name}: add it to definerFunctions in tables.ts of its feature`).toBeTypeOf(
        'boolean',
      )
      expect(isPublic, `${name} may be called by everybody`).toBe(false)
      expect(path, `${name} must set its search_path`).toMatch(/^search_path=pg_catalog,( public,)? pg_temp$/)
    }
  })
})

describe('a product whose role has only these rights', () => {
  let world: TestApp
  let worker: Awaited<ReturnType<typeof startWorker>>
  let alice: TestPerson
  let bob: TestPerson
  let application: pg.Client

  beforeAll(async () => {
    world = await startTestApp()
    const config = readConfig({
      PUBLIC_URL: world.url,
      SANDBOX_URL: world.sandboxUrl,
      SANDBOX_SECRET: world.sandboxSecret,
      TERN_SECRET: world.secret,
      LOG_LEVEL: 'silent',
    })
    worker = await startWorker(config, world.database.applicationUrl)
    application = new pg.Client({ connectionString: world.database.applicationUrl })
    await application.connect()
    alice = await world.enroll('alice', 'United States')
    bob = await world.enroll('bob', 'United States')
  })
  afterAll(async () => {
    await application.end()
    await worker.close()
    await world.close()
  })

  test('deposits, sends, exchanges and withdraws', async () => {
    const { rows } = await application.query<{ user: string }>('select current_user as user')
    expect(rows[0]?.user).toMatch(/_app$/)
    await world.fund(alice, 10_000)
    const transfer = await alice.call(sendMoney, {
      body: { recipient_id: bob.id, amount: '20.00', source_currency: 'USD' },
      idempotencyKey: randomUUID(),
    })
    expect(transfer.transaction_id).toBeTypeOf('string')
    const { quote_id } = await alice.call(createQuote, {
      body: { source_currency: 'USD', target_currency: 'USDT', amount: '10.00', side: 'source' },
    })
    await alice.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
    const { payout_id: id } = await alice.call(withdraw, {
      body: { amount: '40.00', currency: 'USD', bankAccountId: await linkAccount(world, alice) },
      idempotencyKey: randomUUID(),
    })
    const loadPayoutName = async () => {
      const payoutRow = await application.query<{ name: string | null }>(
        'select provider_payout_id as name from payout where id = $1',
        [id],
      )
      return payoutRow.rows[0]?.name
    }
    // The worker submits the payout, in a job added by the app.
    await expect.poll(loadPayoutName).toMatch(/^po/)
  })

  test('deletes old rows by a worker task', async () => {
    const { pool } = world.database
    await pool.query(`insert into provider_event values ('sandbox', 'old', null, now() - interval '401 days', 'done')`)
    await application.query(`select graphile_worker.add_job('clear_old_rows')`)
    const queryOldEvent = () =>
      pool.query(`select from provider_event where id = 'old'`).then(({ rowCount }) => rowCount)
    await expect.poll(queryOldEvent).toBe(0)
  })

  test.each([
    ['change a balance', 'update ledger.account set balance = balance + 100'],
    ['write an entry', `insert into ledger.entry values (1, 99, gen_random_uuid(), 0, 5, 5)`],
    ['write a posting', `insert into ledger.posting (id) values (gen_random_uuid())`],
    ['use a token', 'insert into ledger.token (id, holder) values (gen_random_uuid(), gen_random_uuid())'],
    ['give a used token back', 'delete from ledger.token'],
    ['delete a posting', 'delete from ledger.posting'],
    [
      'open an account with money in it',
      `insert into ledger.account (name, kind, currency, balance) values ('x', 'fee', 'X', 5)`,
    ],
    ['permit a move', `insert into ledger.permitted_move values ('fee', 'wallet', 'gift')`],
    ['post without showing it', 'select ledger.post(null::ledger.batch)'],
    ['grant itself rights', `call ledger.grant_use(current_user::regrole)`],
    [
      'replace the posting function',
      `create or replace function ledger.post(batch ledger.batch, quota_used numeric[] default '{}') returns text[] language sql as 'select null'`,
    ],
    [
      'replace a trigger function',
      `create or replace function ledger.refuse_change() returns trigger language plpgsql as 'begin return null; end'`,
    ],
    ['disable a trigger', 'alter table ledger.entry disable trigger history_is_kept'],
    ['disable all triggers', 'alter table ledger.entry disable trigger all'],
    ['pass over the triggers', `set session_replication_role = 'replica'`],
    ['drop a trigger', 'drop trigger history_is_kept on ledger.entry'],
    ['make a trigger', 'create trigger mine before insert on payment execute function ledger.refuse_change()'],
    ['make a rule', 'create rule mine as on insert to payment do instead nothing'],
    ['drop a constraint', 'alter table ledger.account drop constraint account_floor_is_kept'],
    ['empty a table', 'truncate ledger.entry'],
    ['drop a table', 'drop table transaction'],
    ['drop a schema', 'drop schema ledger cascade'],
    ['rename a table', 'alter table payment rename to other'],
    ['make a table', 'create table mine (id int)'],
    ['make a schema', 'create schema mine'],
    ['delete a transaction', 'delete from transaction'],
    ['change a transaction', `update transaction set status = 'COMPLETED'`],
    ['write a transaction', 'insert into transaction (user_id) values (1)'],
    ['use nothing of a limit', 'update limit_usage set usd_minor = 0'],
    ['forget the use of a limit', 'delete from limit_usage'],
    ['forget the use of a method', 'delete from limit_usage_by_method'],
    ['raise a limit', 'update limit_policy set max_usd_minor = null'],
    ['find room of its own', `select renew_free_room('{1}', '{2026-01-01}', '{1}', '{1}', now())`],
    ['delete a payment', 'delete from payment'],
    ['change what was paid', 'update payment set amount_minor = 1'],
    ['change who was paid', 'update payment set user_id = 1'],
    ['change the amount of a payout', 'update payout set amount_minor = 1'],
    ['delete a payout', 'delete from payout'],
    ['change a line of settlement', 'update settlement_line set amount_minor = 1'],
    ['delete a line of settlement', 'delete from settlement_line'],
    ['delete a case', 'delete from reconciliation_exception'],
    ['delete a person', 'delete from app_user'],
    ['forget a migration', 'delete from schema_migration'],
    ['make itself a superuser', 'alter role current_user superuser'],
    ['become the owner', `set role ${new URL(process.env.TEST_DATABASE_URL ?? 'postgres://x').username}`],
  ])('may not %s', async (_, statement) => {
    const error = await application.query(statement).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: '42501' })
  })

  test('cannot delete recent limit usage, whatever it requests', async () => {
    const { pool } = world.database
    await pool.query(`insert into limit_usage values (1, (now() at time zone 'UTC')::date - 399, 5)`)
    await application.query(`select clear_limit_usage('9999-01-01', 1000000)`)
    const { rows } = await pool.query<{ count: bigint }>('select count(*) from limit_usage where user_id = 1')
    expect(rows[0]?.count).toBe(1n)
  })

  test('cannot consume a limit by reversing a negative amount', async () => {
    const loadUsage = () =>
      world.database.pool
        .query('select *, (select count(*) from limit_usage_by_method) from limit_usage order by user_id, day')
        .then(({ rows }) => rows)
    const usageBefore = await loadUsage()
    await application.query(`select reverse_limit_usage(user_id, day, 'transfer', -100) from limit_usage`)
    expect(await loadUsage()).toEqual(usageBefore)
  })
})
