// Warnings of a low balance one day before a send.

import { money, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import { transact, type Tx } from '../../platform/database/db.ts'
import { amountText } from '../../platform/http/amount.ts'
import { Refusal } from '../../platform/refuse.ts'
import { payeeParams } from './due-dates.ts'
import type { SchedulesContext } from './context.ts'
import { readAvailableAmount } from './occurrences.ts'
import { priceTerms, readMailbox, selectSchedules, type PayeeColumns } from './schedule-rows.ts'
import type { ScheduleRow } from './row-types.ts'

type DueRow = ScheduleRow & PayeeColumns & { readonly next_on: string }
type DueDate = Pick<DueRow, 'user_id' | 'next_on' | 'source_currency'>

/** Warns account holders with too low a balance, once for each date and currency. */
export async function warnDue(ctx: SchedulesContext, pool: pg.Pool): Promise<void> {
  const { exchange, now, log } = ctx
  const { rows } = await pool.query<DueDate>(
    `select distinct on (user_id, next_on, source_currency) user_id, next_on, source_currency from schedule
      where state = 'active' and warn_at <= $1 limit 500`,
    [now()],
  )
  if (rows.length > 0) await exchange.refreshRates()
  for (const row of rows) {
    try {
      await transact(pool, (tx) => warn(ctx, tx, row))
    } catch (error) {
      // Refused without rates; the worker checks again in a minute.
      if (!(error instanceof Refusal)) log.error({ err: error, userId: row.user_id }, 'a balance was not checked')
    }
  }
}

/** Warns if the balance is below the total of the sends on the date in this currency. */
async function warn(
  ctx: SchedulesContext,
  tx: Tx,
  { user_id: userId, next_on: date, source_currency: currency }: DueDate,
): Promise<void> {
  const { wallets, exchange } = ctx
  // Rows locked by another worker are skipped.
  const { rows } = await tx.query<DueRow>(
    `${selectSchedules} where s.user_id = $1 and s.next_on = $2 and s.source_currency = $3 and s.state = 'active'
      order by s.created_at for update of s skip locked`,
    [userId, date, currency],
  )
  const isDue = rows.some(({ warn_at: at }) => at !== null && at <= ctx.now())
  const sender = await wallets.findParty(tx, userId)
  if (!isDue || !sender) return
  const requiredMinor = rows.reduce((sum, row) => sum + priceTerms(exchange, row).total.minor, 0n)
  const missing = requiredMinor - (await readAvailableAmount(tx, { sender, currency }))
  if (missing > 0n) await notifyShort(ctx, tx, { rows, missing })
  await tx.query('update schedule set warn_at = null where id = any($1::uuid[])', [rows.map((row) => row.id)])
}

async function notifyShort(
  ctx: SchedulesContext,
  tx: Tx,
  { rows, missing }: { readonly rows: readonly DueRow[]; readonly missing: bigint },
): Promise<void> {
  const { notifications, publicUrl } = ctx
  const [first, ...remainingRows] = rows
  if (!first) return
  const { user_id: userId, next_on: date, source_currency: currency } = first
  const amount = money(currency, missing)
  const isNew = await notifications.notify(tx, {
    userId,
    code: 'schedule_short',
    params: {
      person: remainingRows.length === 0 ? payeeParams(first) : null,
      amount: toDecimal(amount),
      currency,
      date,
    },
    subjectId: first.id,
    dedupe: `${date} ${currency}`,
    needsAction: true,
  })
  if (!isNew) return
  const data = { amount: amountText(amount), date, link: `${publicUrl}/scheduled` }
  await notifications.mail(tx, { to: await readMailbox(ctx, tx, userId), template: 'schedule_balance_low', data })
}
