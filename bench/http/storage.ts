// Measures what sends add to the database: bytes of each table with its indexes, and of write-ahead log.

import type pg from 'pg'
import { options } from '../options.ts'
import { prepareSenders, type SendKind } from './crowd.ts'
import { runClient } from './orders.ts'
import type { Stack } from './stack.ts'

export interface StorageCost {
  readonly kind: SendKind
  readonly sends: number
  /** Write-ahead log per send, in bytes. */
  readonly walBytes: number
  /** Bytes per send of each table with its indexes, for tables that grew by a byte per send or more; largest first. */
  readonly tables: readonly (readonly [table: string, bytes: number])[]
}

const callers = 64
const seconds = 20

/** Measures sends within a currency and across currencies, among the largest crowd. */
export async function measureStorage(stack: Stack): Promise<StorageCost[]> {
  const costs: StorageCost[] = []
  for (const kind of ['plain', 'cross'] as const) {
    costs.push(await measureKind(stack, kind))
    console.log(`sizes: ${kind}`)
  }
  return costs
}

async function measureKind({ app, clock, crowds }: Stack, kind: SendKind): Promise<StorageCost> {
  const { pool } = app.database
  const members = crowds.get(Math.max(...crowds.keys())) ?? []
  const senders = await prepareSenders(app, members, kind)
  const order = { kind: 'random sends', url: app.url, callers, senders } as const
  await runClient({ ...order, seconds: 1, warmUpSeconds: options.warmUpSeconds }, clock)
  // Starts from tables without dead rows, and with whole pages in the log as after any checkpoint.
  await pool.query('vacuum')
  await pool.query('checkpoint')
  const before = await readSizes(pool)
  await runClient({ ...order, seconds, warmUpSeconds: 0 }, clock)
  const after = await readSizes(pool)
  const sends = after.postings - before.postings
  const perSend = (bytes: number): number => Math.round(bytes / sends) // not money: bytes
  const tables = [...after.tables]
    .map(([table, bytes]): [string, number] => [table, perSend(bytes - (before.tables.get(table) ?? 0))])
    .filter(([, bytes]) => bytes >= 1)
    .toSorted(([, a], [, b]) => b - a)
  return { kind, sends, walBytes: perSend(after.wal - before.wal), tables }
}

interface Sizes {
  readonly postings: number
  readonly wal: number
  readonly tables: ReadonlyMap<string, number>
}

async function readSizes(pool: pg.Pool): Promise<Sizes> {
  const { rows } = await pool.query<{ postings: string; wal: string; sizes: Record<string, number> }>(
    `select (select count(*) from ledger.posting) postings, pg_current_wal_insert_lsn() - '0/0' wal,
      (select jsonb_object_agg(oid::regclass::text, pg_total_relation_size(oid)) from pg_class
        where relkind = 'r' and relnamespace in ('public'::regnamespace, 'ledger'::regnamespace)) sizes`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('the database reports no sizes')
  return { postings: Number(row.postings), wal: Number(row.wal), tables: new Map(Object.entries(row.sizes)) }
}

export function printStorage(costs: readonly StorageCost[]): void {
  for (const { kind, sends, walBytes, tables } of costs) {
    const total = tables.reduce((sum, [, bytes]) => sum + bytes, 0)
    console.log(`\nbytes of one send, ${kind}, ${sends} sends of ${callers} callers: ${total}; log ${walBytes}`)
    for (const [table, bytes] of tables) console.log(`${String(bytes).padStart(8)}  ${table}`)
  }
}
