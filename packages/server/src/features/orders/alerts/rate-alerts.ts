// Rate alerts. Each is sent once, with any number of workers, and again only after an edit.

import type { RateAlertEdit, NewRateAlert, RateAlert, rateAlerts } from '@tern/contract/orders/rate-alerts'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { currencyCodes, type CurrencyCode } from '@tern/money/currency'
import { parseRatio, toRateText } from '@tern/money/ratio'
import type pg from 'pg'
import { type Db, transact, type Tx } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'
import { insertRow, updateRow } from '../../../platform/database/rows.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { derivedId } from '../../../platform/ids.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { PairRate } from '../../exchange/exchange.ts'
import type { OrdersContext } from '../context.ts'
import { formatRate, orderPage, readMailbox } from '../order-notices.ts'
import { distancePercent, rankRate, rankSql } from '../order-terms.ts'
import { rateIfKnown } from '../order-view.ts'
import type { RateAlertRow } from '../row-types.ts'

const maxOpenAlerts = 50
const maxSentRows = 30
const batchSize = 200

function alertView(exchange: OrdersContext['exchange'], row: RateAlertRow): RateAlert {
  const { told_at: at, told_rate: rate, told_source: source, told_as_of: asOf } = row
  const now = at === null ? rateIfKnown(exchange, row.source_currency, row.target_currency)?.midMarket : undefined
  return {
    id: row.id,
    source_currency: row.source_currency,
    target_currency: row.target_currency,
    rate: row.rate,
    rate_side: row.rate_side,
    rate_now: now ? toRateText(now) : null,
    distance_percent: now ? distancePercent(parseRatio(row.rate), now) : null,
    told:
      at === null || rate === null || source === null || asOf === null
        ? null
        : { at: at.toISOString(), rate, rate_source: source, rate_as_of: asOf.toISOString() },
    created_at: row.created_at.toISOString(),
  }
}

const triggerColumns = ({ rate, rate_side }: RateAlertEdit) => {
  const { numerator, denominator } = parseRatio(rate)
  return { rate, rate_side, trigger_numerator: numerator, trigger_denominator: denominator }
}

async function requireRoom(tx: Tx, userId: bigint): Promise<void> {
  const { rowCount } = await tx.query(
    `select from rate_alert where user_id = $1 and told_at is null limit ${String(maxOpenAlerts)}`,
    [userId],
  )
  if (rowCount === maxOpenAlerts) refuse('too_many_rate_alerts')
}

/** Returns the user's open alerts, and the last thirty that were sent. */
export async function listRateAlerts(
  { exchange }: OrdersContext,
  db: Db,
  userId: bigint,
): Promise<Reply<typeof rateAlerts>> {
  const { rows: open } = await db.query<RateAlertRow>(
    'select * from rate_alert where user_id = $1 and told_at is null order by created_at, id',
    [userId],
  )
  const { rows: sentAlerts } = await db.query<RateAlertRow>(
    `select * from rate_alert where user_id = $1 and told_at is not null
      order by told_at desc, id limit ${String(maxSentRows)}`,
    [userId],
  )
  const view = (row: RateAlertRow) => alertView(exchange, row)
  return { open: open.map(view), told: sentAlerts.map(view), most_open: maxOpenAlerts }
}

interface OwnAlert {
  readonly userId: bigint
  readonly id: string
}

/** Creates an alert, once per key. Refuses `invalid_request`, `idempotency_key_reused`, `too_many_rate_alerts`. */
export async function createRateAlert(
  { exchange, notifications, now }: OrdersContext,
  pool: pg.Pool,
  { userId, body, idempotencyKey }: { userId: bigint; body: NewRateAlert; idempotencyKey: string },
): Promise<RateAlert> {
  const { source_currency, target_currency } = body
  if (source_currency === target_currency) refuseField('invalid_request', 'target_currency', 'same_currency_twice')
  const id = derivedId('rate alert', userId, idempotencyKey)
  const hash = requestHash(body)
  return transact(pool, async (tx) => {
    await lockName(tx, `rate alerts of ${userId}`)
    const { rows } = await tx.query<RateAlertRow>('select * from rate_alert where id = $1', [id])
    if (rows[0]) {
      if (!rows[0].request_hash.equals(hash)) refuseField('idempotency_key_reused', 'Idempotency-Key')
      return alertView(exchange, rows[0])
    }
    await requireRoom(tx, userId)
    const at = now()
    await insertRow(tx, 'rate_alert', {
      id,
      user_id: userId,
      source_currency,
      target_currency,
      request_hash: hash,
      ...triggerColumns(body),
      created_at: at,
      updated_at: at,
    })
    await notifications.touch(tx, { userIds: [userId], topic: 'alerts' })
    return alertView(exchange, await findAlert(tx, { userId, id }))
  })
}

/** Edits an alert and opens it again if it was sent. Refuses `not_found`, `too_many_rate_alerts`. */
export const editRateAlert = (
  { exchange, notifications, now }: OrdersContext,
  pool: pg.Pool,
  { userId, id, body }: OwnAlert & { readonly body: RateAlertEdit },
): Promise<RateAlert> =>
  transact(pool, async (tx) => {
    await lockName(tx, `rate alerts of ${userId}`)
    const { rows } = await tx.query<RateAlertRow>(
      'select * from rate_alert where id = $1 and user_id = $2 for update',
      [id, userId],
    )
    const row = rows[0] ?? refuse('not_found')
    if (row.told_at !== null) await requireRoom(tx, userId)
    await updateRow(tx, 'rate_alert', id, {
      ...triggerColumns(body),
      told_at: null,
      told_rate: null,
      told_source: null,
      told_as_of: null,
      updated_at: now(),
    })
    await notifications.touch(tx, { userIds: [userId], topic: 'alerts' })
    return alertView(exchange, await findAlert(tx, { userId, id }))
  })

/** Removes an alert; a repeated call changes nothing. */
export const removeRateAlert = (
  { notifications }: OrdersContext,
  pool: pg.Pool,
  { userId, id }: OwnAlert,
): Promise<void> =>
  transact(pool, async (tx) => {
    await tx.query('delete from rate_alert where id = $1 and user_id = $2', [id, userId])
    await notifications.touch(tx, { userIds: [userId], topic: 'alerts' })
  })

/** Notifies account holders of every alert whose rate is reached. Safe with any number of workers. */
export async function notifyTriggered(ctx: OrdersContext, pool: pg.Pool): Promise<void> {
  while ((await transact(pool, (tx) => notifyBatch(ctx, tx))) === batchSize);
}

async function findAlert(db: Db, { userId, id }: OwnAlert): Promise<RateAlertRow> {
  const { rows } = await db.query<RateAlertRow>('select * from rate_alert where id = $1 and user_id = $2', [id, userId])
  return rows[0] ?? refuse('not_found')
}

interface KnownPair extends Pick<PairRate, 'midMarket' | 'sources' | 'asOf'> {
  readonly source: CurrencyCode
  readonly target: CurrencyCode
}

function listKnownPairs(exchange: OrdersContext['exchange']): KnownPair[] {
  return currencyCodes.flatMap((source) =>
    currencyCodes.flatMap((target) => {
      const lastRate = source === target ? undefined : rateIfKnown(exchange, source, target)
      return lastRate
        ? [{ source, target, midMarket: lastRate.midMarket, sources: lastRate.sources, asOf: lastRate.asOf }]
        : []
    }),
  )
}

/** Sends a batch of alerts, in the transaction that marks them as sent. Returns their count. */
async function notifyBatch(ctx: OrdersContext, tx: Tx): Promise<number> {
  const { exchange, notifications } = ctx
  const pairs = listKnownPairs(exchange)
  const { rows } = await tx.query<RateAlertRow & { place: bigint }>(
    `select a.*, p.place from unnest($1::text[], $2::text[], $3::numeric[], $4::numeric[], $5::numeric[])
         with ordinality as p (source, target, numerator, denominator, rank, place)
      cross join lateral (
        select h.* from rate_alert h
         where h.told_at is null and h.source_currency = p.source and h.target_currency = p.target
           and h.rate_side = 'at_least' and ${rankSql('h')} <= p.rank
           and h.trigger_numerator * p.denominator <= p.numerator * h.trigger_denominator
        union all
        select l.* from rate_alert l
         where l.told_at is null and l.source_currency = p.source and l.target_currency = p.target
           and l.rate_side = 'at_most' and ${rankSql('l')} >= p.rank
           and l.trigger_numerator * p.denominator >= p.numerator * l.trigger_denominator
        -- Pair by pair, each by the index.
        offset 0
      ) a
      limit ${String(batchSize)}`,
    [
      pairs.map(({ source }) => source),
      pairs.map(({ target }) => target),
      pairs.map(({ midMarket }) => midMarket.numerator),
      pairs.map(({ midMarket }) => midMarket.denominator),
      pairs.map(({ midMarket }) => rankRate(midMarket)),
    ],
  )
  const notifiedUserIds: bigint[] = []
  for (const row of rows) {
    const pair = pairs[Number(row.place) - 1] // not money: a place in a list
    if (pair && (await notify(ctx, tx, { row, pair }))) notifiedUserIds.push(row.user_id)
  }
  if (notifiedUserIds.length > 0)
    await notifications.touch(tx, { userIds: [...new Set(notifiedUserIds)], topic: 'alerts' })
  return notifiedUserIds.length
}

/** Sends an alert and marks it as sent. False if another worker sends or sent it, or the account holder changed it. */
async function notify(
  ctx: OrdersContext,
  tx: Tx,
  { row, pair }: { readonly row: RateAlertRow; readonly pair: KnownPair },
): Promise<boolean> {
  const { notifications, publicUrl } = ctx
  const rate = toRateText(pair.midMarket)
  const at = ctx.now()
  const { rowCount } = await tx.query(
    `update rate_alert set told_at = $2, told_rate = $3, told_source = $4, told_as_of = $5
      where id in (select id from rate_alert
                    where id = $1 and told_at is null and rate = $6 and rate_side = $7 for update skip locked)`,
    [row.id, at, rate, pair.sources.join('+'), pair.asOf, row.rate, row.rate_side],
  )
  if (rowCount !== 1) return false
  const { source_currency: source, target_currency: target, rate_side: side } = row
  await notifications.notify(tx, {
    userId: row.user_id,
    code: 'rate_alert',
    params: { source_currency: source, target_currency: target, rate: row.rate, rate_side: side, rate_now: rate },
    subjectId: row.id,
    // Includes the time, because an edited alert can be sent again.
    dedupe: `${row.id} ${at.toISOString()}`,
  })
  await notifications.mail(tx, {
    to: await readMailbox(ctx, tx, row.user_id),
    template: 'rate_alert',
    data: {
      rate: formatRate(row.rate, source, target),
      rateSide: side,
      rateNow: formatRate(rate, source, target),
      link: `${publicUrl}${orderPage}`,
    },
  })
  return true
}
