// Transfers between the operator's own account and the designated accounts.

import { type CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import { newId } from '../../platform/ids.ts'
import type { SafeguardingContext } from './context.ts'
import { toDay } from './days.ts'
import type { SafeguardingFindingRow, SafeguardingTransferRow } from './row-types.ts'

interface DailyTransfer {
  readonly day: string
  readonly bank: string
  readonly currency: CurrencyCode
  /** Requirement less our records; above zero is missing in the account. */
  readonly minor: bigint
  readonly at: Date
}

/** Records the transfer that brings an account to the requirement of `day`, once. */
export async function recordDailyTransfer(tx: Tx, { day, bank, currency, minor, at }: DailyTransfer): Promise<void> {
  if (minor === 0n) return
  const row = { id: newId(at), bank, currency, amount_minor: minor, day, ordered_on: toDay(at), ordered_at: at }
  await insertRow(tx, 'safeguarding_transfer', row, 'on conflict do nothing')
}

interface Cover {
  readonly findingId: string
  readonly by: string
  readonly because: string
}

/** Reasons why a finding cannot be topped up or taken out. */
export type CoverRefusal = 'not_open' | 'not_about_money' | 'ordered_before'

/**
 * Orders the transfer that tops up a shortfall or takes out an excess. The finding ends with the statement that shows
 * it. Returns why not, if it is refused.
 */
export async function coverFinding(
  ctx: SafeguardingContext,
  pool: pg.Pool,
  { findingId, by, because }: Cover,
): Promise<CoverRefusal | undefined> {
  const at = ctx.now()
  const refusal = await transact(pool, async (tx): Promise<CoverRefusal | undefined> => {
    const { rows } = await tx.query<SafeguardingFindingRow>(
      'select * from safeguarding_finding where id = $1 and ended_at is null for update',
      [findingId],
    )
    const [finding] = rows
    if (!finding) return 'not_open'
    const { bank, currency, amount_minor: minor, day, kind } = finding
    if (currency === null || minor === null || kind === 'late_posting' || !ctx.banks.some(({ name }) => name === bank))
      return 'not_about_money'
    const row = {
      ...{ id: newId(at), bank, currency, amount_minor: -minor, day, finding_id: findingId },
      ...{ ordered_by: by, because, ordered_on: toDay(at), ordered_at: at },
    }
    return (await insertRow(tx, 'safeguarding_transfer', row, 'on conflict do nothing')) ? undefined : 'ordered_before'
  })
  if (refusal === undefined) await sendTransfers(ctx, pool)
  return refusal
}

/** Orders all transfers that the banks have not accepted yet. Repeating an order transfers nothing more. */
export async function sendTransfers({ banks, log, now }: SafeguardingContext, pool: pg.Pool): Promise<void> {
  for (const { id, bank: name, currency, amount_minor: minor } of await readUnaccepted(pool)) {
    const bank = banks.find((candidate) => candidate.name === name)
    const answer = await bank?.transfer({ id, amount: money(currency, minor) })
    if (answer?.status === 'accepted') {
      await pool.query('update safeguarding_transfer set accepted_at = $2 where id = $1', [id, now()])
    } else {
      log.error(
        { id, bank: name, reason: answer?.reason ?? 'not configured' },
        'a safeguarding transfer is not accepted',
      )
    }
  }
}

async function readUnaccepted(db: Db): Promise<SafeguardingTransferRow[]> {
  const { rows } = await db.query<SafeguardingTransferRow>(
    'select * from safeguarding_transfer where accepted_at is null order by ordered_at, id',
  )
  return rows
}
