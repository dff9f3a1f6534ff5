// Alerts for pairs without a usable rate: each triggers one notification when a rate returns, across any number of
// workers.

import { pages } from '@tern/contract/pages'
import type { RateReturnAlert, rateReturnAlerts } from '@tern/contract/orders/rate-return-alerts'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrencyCode } from '@tern/money/currency'
import { toRateText } from '@tern/money/ratio'
import { only, transact, type Tx } from '../../../platform/database/db.ts'
import { derivedId } from '../../../platform/ids.ts'
import { refuseField } from '../../../platform/refuse.ts'
import { mailboxOf, rateSentence } from '../order-telling.ts'
import { rateIfKnown } from '../order-view.ts'
import type { AlertOptions } from './rate-alerts.ts'

interface Row {
  readonly user_id: bigint
  readonly source_currency: CurrencyCode
  readonly target_currency: CurrencyCode
  readonly created_at: Date
}

interface Told extends Row {
  readonly rate: string
}

const mostAtOnce = 200

const viewOf = ({ source_currency, target_currency, created_at }: Row): RateReturnAlert => ({
  ...{ source_currency, target_currency },
  created_at: created_at.toISOString(),
})

export function createRateReturnAlerts(options: AlertOptions) {
  const { pool, now } = options
  return {
    async list(userId: bigint): Promise<Reply<typeof rateReturnAlerts>> {
      const { rows } = await pool.query<Row>(
        'select * from rate_return_alert where user_id = $1 order by source_currency, target_currency',
        [userId],
      )
      return { open: rows.map(viewOf) }
    },

    /**
     * Requests a notification; repeated requests change nothing. For a pair with a rate, the next worker run sends it.
     */
    async create(userId: bigint, from: CurrencyCode, to: CurrencyCode): Promise<RateReturnAlert> {
      if (from === to) refuseField('invalid_request', 'to', 'same_currency_twice')
      const { rows } = await pool.query<Row>(
        `insert into rate_return_alert (user_id, source_currency, target_currency, created_at) values ($1, $2, $3, $4)
         on conflict (user_id, source_currency, target_currency) do update set created_at = rate_return_alert.created_at
         returning *`,
        [userId, from, to, now()],
      )
      return viewOf(only(rows))
    },

    async remove(userId: bigint, from: CurrencyCode, to: CurrencyCode): Promise<void> {
      await pool.query(
        'delete from rate_return_alert where user_id = $1 and source_currency = $2 and target_currency = $3',
        [userId, from, to],
      )
    },

    /** Notifies account holders whose pair has a rate again. Safe with any number of workers. */
    async tellReturned(): Promise<void> {
      while ((await transact(pool, (tx) => tellSome(options, tx))) === mostAtOnce);
    },
  }
}

/** Sends a batch of notifications in the transaction that removes the alerts. Returns the count. */
async function tellSome(options: AlertOptions, tx: Tx): Promise<number> {
  const { exchange } = options
  const { rows: pairs } = await tx.query<Pick<Row, 'source_currency' | 'target_currency'>>(
    'select distinct source_currency, target_currency from rate_return_alert',
  )
  const known = pairs.flatMap(({ source_currency: source, target_currency: target }) => {
    const rate = rateIfKnown(exchange, source, target)?.midMarket
    return rate ? [{ source, target, rate: toRateText(rate) }] : []
  })
  if (known.length === 0) return 0
  const { rows } = await tx.query<Told>(
    `with returned as (
       select a.user_id, a.source_currency, a.target_currency, p.rate from rate_return_alert a
         join unnest($1::text[], $2::text[], $3::text[]) as p (source, target, rate)
           on p.source = a.source_currency and p.target = a.target_currency
        limit ${String(mostAtOnce)} for update of a skip locked)
     delete from rate_return_alert a using returned r
      where (a.user_id, a.source_currency, a.target_currency) = (r.user_id, r.source_currency, r.target_currency)
     returning a.*, r.rate`,
    [known.map(({ source }) => source), known.map(({ target }) => target), known.map(({ rate }) => rate)],
  )
  for (const row of rows) await tell(options, tx, row)
  return rows.length
}

async function tell({ notifications, identity, publicUrl }: AlertOptions, tx: Tx, row: Told): Promise<void> {
  const { user_id: userId, source_currency: source, target_currency: target, created_at: askedAt, rate } = row
  const asked = `${source} ${target} ${askedAt.toISOString()}`
  await notifications.notify(tx, {
    userId,
    code: 'rate_returned',
    params: { source_currency: source, target_currency: target, rate_now: rate },
    subjectId: derivedId('rate return alert', userId, asked),
    dedupe: asked,
  })
  await notifications.mail(tx, {
    to: await mailboxOf(identity, userId, tx),
    template: 'rate_returned',
    data: {
      rateNow: rateSentence(rate, source, target),
      link: `${publicUrl}${pages.exchange.path}?from=${source}&to=${target}`,
    },
  })
}
