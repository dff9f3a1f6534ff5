import type pg from 'pg'
import { transact, type Tx } from '../../../../platform/database/db.ts'
import type { ScreeningContext } from '../../context.ts'

const keyTypes = { user_id: 'bigint', id: 'uuid' } as const

interface DueRows {
  readonly table: 'screening_person' | 'screening_counterparty'
  readonly key: keyof typeof keyTypes
  /** SQL condition of the rows to screen. */
  readonly which?: string
}

/**
 * Screens every row behind the latest change of lists or matcher, one transaction each, with any number of concurrent
 * workers; returns the count. `screen` receives the key of a locked row. Failures are logged and retried on the next
 * run.
 */
export async function screenEach<Key extends bigint | string>(
  { log }: Pick<ScreeningContext, 'log'>,
  pool: pg.Pool,
  due: DueRows,
  screen: (tx: Tx, key: Key) => Promise<void>,
): Promise<number> {
  const failed: Key[] = []
  for (let screened = 0; ;) {
    let taken: Key | undefined
    try {
      await transact(pool, async (tx) => {
        taken = await takeNext<Key>(tx, due, failed)
        if (taken !== undefined) await screen(tx, taken)
      })
      if (taken === undefined) return screened
      screened += 1
    } catch (error) {
      if (taken === undefined) throw error
      failed.push(taken)
      log.error({ err: error, table: due.table, key: String(taken) }, 'a name could not be screened')
    }
  }
}

/** Locks one due row no other worker has; undefined when none is left. */
async function takeNext<Key>(tx: Tx, { table, key, which = 'true' }: DueRows, failed: readonly Key[]) {
  const { rows } = await tx.query<{ key: Key }>(
    `select ${key} as key from ${table}
      where screened_epoch < (select coalesce(max(number), 0) from screening_epoch) and ${which}
        and ${key} <> all($1::${keyTypes[key]}[])
      order by screened_epoch, ${key} limit 1 for update skip locked`,
    [failed],
  )
  return rows[0]?.key
}
