// Alerts for pairs without a current rate. Each is sent once a rate returns, and only once with any number of workers.

import { pages } from '@tern/contract/pages'
import type { RateReturnAlert, rateReturnAlerts } from '@tern/contract/orders/rate-return-alerts'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrencyCode } from '@tern/money/currency'
import { toRateText } from '@tern/money/ratio'
import type pg from 'pg'
import { type Db, onlyRow, transact, type Tx } from '../../../platform/database/db.ts'
import { derivedId } from '../../../platform/ids.ts'
import { refuseField } from '../../../platform/refuse.ts'
import type { OrdersContext } from '../context.ts'
import { formatRate, readMailbox } from '../order-notices.ts'
import { rateIfKnown } from '../order-view.ts'
import type { RateReturnAlertRow } from '../row-types.ts'

interface ReturnedRow extends RateReturnAlertRow {
  readonly rate: string
}

const batchSize = 200

const toView = ({ source_currency, target_currency, created_at }: RateReturnAlertRow): RateReturnAlert => ({
  source_currency,
  target_currency,
  created_at: created_at.toISOString(),
})

/** Pair for whose rate a user waits. */
export interface WatchedPair {
  readonly userId: bigint
  readonly from: CurrencyCode
  readonly to: CurrencyCode
}

export async function listReturnAlerts(db: Db, userId: bigint): Promise<Reply<typeof rateReturnAlerts>> {
  const { rows } = await db.query<RateReturnAlertRow>(
    'select * from rate_return_alert where user_id = $1 order by source_currency, target_currency',
    [userId],
  )
  return { open: rows.map(toView) }
}

/** Requests an alert; a repeated request changes nothing. If the pair has a rate, the next run sends the alert. */
export async function createReturnAlert(
  { now }: OrdersContext,
  db: Db,
  { userId, from, to }: WatchedPair,
): Promise<RateReturnAlert> {
  if (from === to) refuseField('invalid_request', 'to', 'same_currency_twice')
  const { rows } = await db.query<RateReturnAlertRow>(
    `insert into rate_return_alert (user_id, source_currency, target_currency, created_at) values ($1, $2, $3, $4)
     on conflict (user_id, source_currency, target_currency) do update set created_at = rate_return_alert.created_at
     returning *`,
    [userId, from, to, now()],
  )
  return toView(onlyRow(rows))
}

export async function removeReturnAlert(db: Db, { userId, from, to }: WatchedPair): Promise<void> {
  await db.query('delete from rate_return_alert where user_id = $1 and source_currency = $2 and target_currency = $3', [
    userId,
    from,
    to,
  ])
}

/** Notifies account holders whose pair has a rate again. Safe with any number of workers. */
export async function notifyReturned(ctx: OrdersContext, pool: pg.Pool): Promise<void> {
  while ((await transact(pool, (tx) => notifyBatch(ctx, tx))) === batchSize);
}

/** Sends a batch of alerts, in the transaction that deletes them. Returns their count. */
async function notifyBatch(ctx: OrdersContext, tx: Tx): Promise<number> {
  const { rows: pairs } = await tx.query<Pick<RateReturnAlertRow, 'source_currency' | 'target_currency'>>(
    'select distinct source_currency, target_currency from rate_return_alert',
  )
  const pairRates = pairs.flatMap(({ source_currency: source, target_currency: target }) => {
    const rate = rateIfKnown(ctx.exchange, source, target)?.midMarket
    return rate ? [{ source, target, rate: toRateText(rate) }] : []
  })
  if (pairRates.length === 0) return 0
  const { rows } = await tx.query<ReturnedRow>(
    `with returned as (
       select a.user_id, a.source_currency, a.target_currency, p.rate from rate_return_alert a
         join unnest($1::text[], $2::text[], $3::text[]) as p (source, target, rate)
           on p.source = a.source_currency and p.target = a.target_currency
        limit ${String(batchSize)} for update of a skip locked)
     delete from rate_return_alert a using returned r
      where (a.user_id, a.source_currency, a.target_currency) = (r.user_id, r.source_currency, r.target_currency)
     returning a.*, r.rate`,
    [pairRates.map(({ source }) => source), pairRates.map(({ target }) => target), pairRates.map(({ rate }) => rate)],
  )
  for (const row of rows) await notify(ctx, tx, row)
  return rows.length
}

async function notify(ctx: OrdersContext, tx: Tx, row: ReturnedRow): Promise<void> {
  const { notifications, publicUrl } = ctx
  const { user_id: userId, source_currency: source, target_currency: target, created_at: createdAt, rate } = row
  const name = `${source} ${target} ${createdAt.toISOString()}`
  await notifications.notify(tx, {
    userId,
    code: 'rate_returned',
    params: { source_currency: source, target_currency: target, rate_now: rate },
    subjectId: derivedId('rate return alert', userId, name),
    dedupe: name,
  })
  await notifications.mail(tx, {
    to: await readMailbox(ctx, tx, userId),
    template: 'rate_returned',
    data: {
      rateNow: formatRate(rate, source, target),
      link: `${publicUrl}${pages.exchange.path}?from=${source}&to=${target}`,
    },
  })
}
