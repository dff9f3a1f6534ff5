import { expect, test } from 'vitest'
import { describeSchema } from '../../../../../tools/schema.ts'
import { createTestDatabase } from '@tern/testkit/database'

test('the printed schema shows every kind of change', async () => {
  const database = await createTestDatabase()
  let initialSchema = await describeSchema(database.url)
  for (const change of [
    'alter table wallet add column colour text',
    `alter table wallet alter column name set default 'x'`,
    'alter table wallet alter column name drop not null',
    'alter table wallet add check (length(name) < 99)',
    'create index wallet_name on wallet (name)',
    'alter table ledger.entry disable trigger history_is_kept',
    'drop trigger history_is_kept on ledger.entry',
    'create view rich as select 1 as n',
    'create table extra (id int)',
    'alter table extra set unlogged',
    'alter type limit_quotas add attribute note text',
    `create or replace function ledger.refuse_change() returns trigger language plpgsql as 'begin return null; end'`,
    'alter function reverse_limit_usage security invoker',
  ]) {
    await database.pool.query(change)
    const finalSchema = await describeSchema(database.url)
    expect(finalSchema === initialSchema, change).toBe(false)
    initialSchema = finalSchema
  }
  await database.drop()
})
