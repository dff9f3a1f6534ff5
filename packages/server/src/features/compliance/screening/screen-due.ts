import type pg from 'pg'
import { transact, type Tx } from '../../../platform/database/db.ts'
import type { ScreeningContext } from '../context.ts'
import { screenDueCounterparty } from './counterparties/counterparties.ts'
import { beginMatcherEpoch, screenLockedPerson } from './people/screen-people.ts'

/** Key column of each table, and the condition of rows to screen. */
const tables = {
  screening_person: { key: 'user_id', keyType: 'bigint', which: 'true' },
  screening_counterparty: { key: 'id', keyType: 'uuid', which: 'ended_at is null' },
} as const

/** Key of a row to screen. */
type DueKey =
  | { readonly table: 'screening_person'; readonly key: bigint }
  | { readonly table: 'screening_counterparty'; readonly key: string }

/**
 * Screens all due people, then all due counterparties, each in a transaction of its own, and returns the count. Workers
 * may run it concurrently. Logs failures; the next run retries them.
 */
export async function screenDue(ctx: ScreeningContext, pool: pg.Pool): Promise<number> {
  await beginMatcherEpoch(ctx, pool)
  const people = await screenTable(ctx, pool, 'screening_person')
  return people + (await screenTable(ctx, pool, 'screening_counterparty'))
}

/** Screens every row of a table that was not screened in the current epoch; returns the count. */
async function screenTable(ctx: ScreeningContext, pool: pg.Pool, table: DueKey['table']): Promise<number> {
  const failedKeys: DueKey['key'][] = []
  for (let screenedCount = 0; ;) {
    let nextDue: DueKey | undefined
    try {
      await transact(pool, async (tx) => {
        nextDue = await lockNextDue(tx, { table, failedKeys })
        if (nextDue) await screenRow(ctx, tx, nextDue)
      })
      if (!nextDue) return screenedCount
      screenedCount += 1
    } catch (error) {
      if (!nextDue) throw error
      failedKeys.push(nextDue.key)
      ctx.log.error({ err: error, table, key: String(nextDue.key) }, 'a name could not be screened')
    }
  }
}

/** Screens a row that is locked. */
const screenRow = (ctx: ScreeningContext, tx: Tx, dueRow: DueKey): Promise<void> =>
  dueRow.table === 'screening_person'
    ? screenLockedPerson(ctx, tx, dueRow.key)
    : screenDueCounterparty(ctx, tx, dueRow.key)

/** Locks a due row that no other worker has locked; undefined if none is left. */
async function lockNextDue(
  tx: Tx,
  { table, failedKeys }: { readonly table: DueKey['table']; readonly failedKeys: readonly DueKey['key'][] },
): Promise<DueKey | undefined> {
  const { key, keyType, which } = tables[table]
  const { rows } = await tx.query<DueKey>(
    `select '${table}' as table, ${key} as key from ${table}
      where screened_epoch < (select coalesce(max(number), 0) from screening_epoch) and ${which}
        and ${key} <> all($1::${keyType}[])
      order by screened_epoch, ${key} limit 1 for update skip locked`,
    [failedKeys],
  )
  return rows[0]
}
