// Rows that an audit since a seal reads: new postings and all rows that these name, directly or through others, copied
// into temporary tables under their own names.

import type pg from 'pg'
import { onlyRow } from '../../../platform/database/db.ts'

/** Columns of each table with ids of its own rows or of others'. Rows with an id in common are read together. */
const idColumns: Readonly<Record<string, readonly string[]>> = {
  'ledger.posting': ['id', 'reference'],
  'ledger.token': ['id', 'holder', 'posting_id'],
  'public.transaction': ['id', 'posting_id', 'payment_id', 'quote_id'],
  'public.transfer': ['id', 'payment_id', 'quote_id'],
  'public.payment': ['id', 'transaction_id', 'quote_id'],
  'public.payout': ['id', 'transaction_id', 'returns_payment_id'],
  'public.payout_conversion': ['payout_id', 'posting_id'],
  'public.settlement_line': ['posting_id', 'reference'],
  'public.operator_line': ['posting_id'],
  'public.exchange_order': ['id', 'transaction_id', 'quote_id'],
  'public.treasury_order': ['id'],
  'public.dispute': ['id', 'transaction_id'],
  'public.dispute_posting': ['dispute_id', 'posting_id', 'transaction_id'],
  'public.reconciliation_exception': ['id', 'reference'],
  'public.transparency_leaf': ['posting_id'],
}

/** Temporary copy of a table. */
const copyName = (table: string): string => `pg_temp.${table.slice(table.indexOf('.') + 1)}`

export interface Seal {
  /** Date in UTC. */
  readonly day: string
  readonly leafIndex: bigint
  /** Number of the first database transaction after the seal. */
  readonly horizon: bigint
  /** Rows of the product from before this time were committed at the seal. */
  readonly until: Date
}

/** Copies the rows into temporary tables of the open transaction. */
export async function copyTouchedRows(client: pg.ClientBase, seal: Seal): Promise<void> {
  await copyNewEntries(client, seal)
  await findFirstIds(client, seal)
  while ((await addLinkedIds(client)) > 0n);
  for (const [table, columns] of Object.entries(idColumns)) {
    const isNewLeaf = table === 'public.transparency_leaf' ? `leaf_index > ${seal.leafIndex} or ` : ''
    await client.query(
      `create temp table ${copyName(table)} (like ${table} including indexes) on commit drop;
       insert into ${copyName(table)} select * from ${table} where ${isNewLeaf}${isTouchedSql(columns)}`,
    )
  }
  await copyEntries(client)
  await client.query(
    `create index on pg_temp.posting (reference);
     create index on pg_temp.transaction (id);
     create index on pg_temp.entry (posting_id)`,
  )
  const copies = [...Object.keys(idColumns), 'ledger.entry'].map(copyName)
  await client.query(copies.map((name) => `analyze ${name}`).join('; '))
}

const isTouchedSql = (columns: readonly string[]): string =>
  columns.map((column) => `${column} in (select id from pg_temp.touched)`).join(' or ')

/** Copies the entries above the sealed versions. */
async function copyNewEntries(client: pg.ClientBase, { day }: Seal): Promise<void> {
  await client.query(
    `create temp table sealed_balance on commit drop as
      select account_id, version, balance from day_seal_account where day = '${day}';
     create unique index on pg_temp.sealed_balance (account_id);
     analyze pg_temp.sealed_balance;
     create temp table new_entry on commit drop as
      select e.* from ledger.account a
        left join pg_temp.sealed_balance s on s.account_id = a.id
        cross join lateral (
          select * from ledger.entry e where e.account_id = a.id and e.version > coalesce(s.version, 0)) e;
     analyze pg_temp.new_entry`,
  )
}

/** Collects the ids of what was posted, logged or changed since the seal, and of all days since. */
async function findFirstIds(client: pg.ClientBase, { horizon, until, leafIndex }: Seal): Promise<void> {
  await client.query(
    `create temp table touched (id uuid primary key) on commit drop;
     insert into pg_temp.touched
      select posting_id from pg_temp.new_entry
      union select posting_id from ledger.entry where created_at >= '${until.toISOString()}'
      union select id from ledger.posting where xid >= ${horizon}
      union select reference from ledger.posting where xid >= ${horizon}
      union select posting_id from transparency_leaf where leaf_index > ${leafIndex} and posting_id is not null
      union select id from transaction where xid >= '${horizon}'::xid8
      union select id from payment where updated_at >= '${until.toISOString()}'
      union select id from payout where updated_at >= '${until.toISOString()}'
      union select id from reconciliation_exception where opened_at >= '${until.toISOString()}' or closed_at >= '${until.toISOString()}';
     analyze pg_temp.touched`,
  )
}

/** Adds the ids in rows with a known id; returns how many were new. */
async function addLinkedIds(client: pg.ClientBase): Promise<bigint> {
  const linked = Object.entries(idColumns)
    .filter(([, columns]) => columns.length > 1)
    .map(
      ([table, columns]) =>
        `select unnest(array[${columns.map((column) => `${column}::uuid`).join(', ')}]) as id from ${table} where ${isTouchedSql(columns)}`,
    )
  const { rows } = await client.query<{ count: bigint }>(
    `with added as (
       insert into pg_temp.touched
         select distinct id from (${linked.join(' union all ')}) l
          where id is not null and not exists (select from pg_temp.touched t where t.id = l.id)
       returning 1
     ) select count(*) as count from added`,
  )
  await client.query('analyze pg_temp.touched')
  return onlyRow(rows).count
}

/** Copies the entries of the copied postings; older ones are found by their posting's time. */
const copyEntries = (client: pg.ClientBase) =>
  client.query(
    `create temp table old_posting on commit drop as
      select id, created_at from pg_temp.posting p
       where refusal is null and not exists (select from pg_temp.new_entry e where e.posting_id = p.id);
     analyze pg_temp.old_posting;
     create temp table entry (like ledger.entry including indexes) on commit drop;
     insert into pg_temp.entry
      select * from pg_temp.new_entry
      union all
      select e.* from pg_temp.old_posting p join ledger.entry e on e.created_at = p.created_at and e.posting_id = p.id`,
  )
