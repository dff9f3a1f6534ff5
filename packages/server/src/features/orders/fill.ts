// Fills orders whose rate is reached: once, in full, and at no worse price than their account holder accepted.

import { release, reserve } from '@tern/ledger/holds'
import { currencyCodes, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { retryOnConflict, type Tx } from '../../platform/database/db.ts'
import { derivedId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refuse.ts'
import { endReservation, type Price, type QuotedPrice } from '../exchange/exchange.ts'
import { areStopped } from '../compliance/compliance.ts'
import { whyStopped } from '../risk/risk.ts'
import { type Authorized, recordHold, usageOf } from '../transfers/transfers.ts'
import type { MoveOutcome } from '../wallets/move.ts'
import { holdsCurrency, type Party, type Wallet } from '../wallets/wallets.ts'
import {
  descriptionOf,
  heldOf,
  orderAccounts,
  type OrderOptions,
  type OrderRow,
  priceRequestOf,
  priceTransaction,
} from './order-rows.ts'
import { rankAt, rankOf } from './order-terms.ts'
import { tellFilled, tellWaiting } from './order-telling.ts'
import { rateIfKnown } from './order-view.ts'

const atOnce = 4
const mostAtOnce = 500
/** Pause between attempts for reasons other than the rate. */
const retryMs = 10 * 60_000

/** Silent skip: another worker has the order, or the rate is not quite reached. */
class NotNow extends Error {}

/** The rate is reached but something else prevents the fill; the account holder is notified. */
class Waits extends Error {
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

/** Fills every order whose rate is reached by the rates in use. Safe with any number of workers. */
export async function fillTriggered(options: OrderOptions): Promise<void> {
  const seen: string[] = []
  for (;;) {
    const rows = await findTriggered(options, seen)
    if (rows.length === 0) return
    const left = rows.values()
    const some = async () => {
      for (const row of left) await tryOne(options, row)
    }
    await Promise.all(Array.from({ length: atOnce }, some))
    seen.push(...rows.map(({ id }) => id))
  }
}

function knownPairs(exchange: OrderOptions['exchange']) {
  const pairs: { source: CurrencyCode; target: CurrencyCode; rate: { numerator: bigint; denominator: bigint } }[] = []
  for (const source of currencyCodes) {
    for (const target of currencyCodes) {
      const known = source === target ? undefined : rateIfKnown(exchange, source, target)
      if (known) pairs.push({ source, target, rate: known.rate })
    }
  }
  return pairs
}

/**
 * Returns open orders whose rate is reached. Exact: the rank finds candidates by an index, the integer fractions
 * decide. A stop order that would bring too little is found again only when it brings enough.
 */
async function findTriggered({ pool, exchange, now }: OrderOptions, seen: readonly string[]): Promise<OrderRow[]> {
  const pairs = knownPairs(exchange)
  const { rows } = await pool.query<OrderRow>(
    `select o.* from unnest($1::text[], $2::text[], $3::numeric[], $4::numeric[], $5::numeric[], $6::numeric[], $7::numeric[])
         as p (source, target, numerator, denominator, rank, source_unit, target_unit)
      cross join lateral (
        select l.* from exchange_order l
         where l.state = 'open' and l.source_currency = p.source and l.target_currency = p.target and l.kind = 'limit'
           and ${rankOf('l')} <= p.rank and l.trigger_numerator * p.denominator <= p.numerator * l.trigger_denominator
        union all
        select s.* from exchange_order s
         where s.state = 'open' and s.source_currency = p.source and s.target_currency = p.target and s.kind = 'stop'
           and ${rankOf('s')} >= p.rank and s.trigger_numerator * p.denominator >= p.numerator * s.trigger_denominator
           and (s.waiting_reason is distinct from 'worst_rate'
             or s.source_minor * p.numerator * p.target_unit >= s.minimum_minor * p.denominator * p.source_unit)
        -- Pair by pair, each by the index.
        offset 0
      ) o
      where o.expires_at > $8 and (o.try_at is null or o.try_at <= $8) and o.id <> all ($9::uuid[])
      limit ${String(mostAtOnce)}`,
    [
      pairs.map(({ source }) => source),
      pairs.map(({ target }) => target),
      pairs.map(({ rate }) => rate.numerator),
      pairs.map(({ rate }) => rate.denominator),
      pairs.map(({ rate }) => rankAt(rate)),
      pairs.map(({ source }) => 10n ** BigInt(scaleOf(source))),
      pairs.map(({ target }) => 10n ** BigInt(scaleOf(target))),
      ...[now(), seen],
    ],
  )
  return rows
}

async function tryOne(options: OrderOptions, row: OrderRow): Promise<void> {
  try {
    await fill(options, row)
  } catch (error) {
    if (error instanceof NotNow) return
    const waits = error instanceof Waits
    if (!waits) options.log.error({ err: error, orderId: row.id }, 'an order could not be filled')
    // Other errors are retried by the next run.
    if (!waits) return
    await recordWaiting(options, row, error.reason).catch((failure: unknown) =>
      options.log.error({ err: failure, orderId: row.id }, 'it was not recorded why an order waits'),
    )
  }
}

/** Returns the current price. Throws NotNow or Waits when the order cannot be filled at it. */
function priceFor({ exchange }: OrderOptions, row: OrderRow): QuotedPrice {
  const quoted = (() => {
    try {
      return exchange.pricedFor({ userId: row.user_id, recipientId: undefined, request: priceRequestOf(row) })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'rates_unavailable') throw new NotNow()
      throw new Waits(error.code)
    }
  })()
  if (quoted.price.target.minor < row.minimum_minor) {
    // A limit missed by rounding is not reached; a stop is reached and brings too little.
    throw row.kind === 'limit' ? new NotNow() : new Waits('worst_rate')
  }
  if (quoted.price.total.minor > heldOf(row).minor) throw new Waits('fee_rose')
  return quoted
}

const candidateOf = (row: OrderRow, { source, target, usdMinor }: Price) =>
  ({ kind: 'exchange', senderId: row.user_id, source, target, usdMinor }) as const

/** Turns a refusal into a reason the account holder is notified of. */
function waitOnRefusal(error: unknown): never {
  throw error instanceof Refusal ? new Waits(error.code) : error
}

/** Throws NotNow or Waits when the order is not filled. */
async function fill(options: OrderOptions, row: OrderRow): Promise<void> {
  const { pool, wallets, exchange, transfers, now } = options
  const party = await wallets.findParty(pool, row.user_id)
  if (!party) throw new Error(`user ${row.user_id} has no wallet`)
  checkOwner(party, row)
  const { price } = priceFor(options, row)
  const decided = await transfers.decide(candidateOf(row, price))
  if (decided.outcome === 'refuse') throw new Waits(decided.code)
  // Accounts are opened before the transaction that moves between them.
  const accounts = await orderAccounts(options, party.wallet.id, row.source_currency)
  await exchange.legs(options.pool, { price, from: party.wallet, to: party.wallet })
  const promised: string[] = []
  try {
    await retryOnConflict(pool, async (tx) => {
      const { rowCount } = await tx.query(
        `select from exchange_order where id = $1 and version = $2 and state = 'open' and expires_at > $3
            for update skip locked`,
        [row.id, row.version, now()],
      )
      if (rowCount !== 1) throw new NotNow()
      // A case was opened since `decide`, which runs again the next time.
      if (decided.outcome === 'settle' && (await areStopped(tx, [row.user_id]))) throw new NotNow()
      // The price at the time the order is locked applies.
      const quoted = priceFor(options, row)
      await requireNewest(tx, quoted)
      // In a separate statement: no other price waits for this transaction.
      await exchange.promise(quoted).catch(waitOnRefusal)
      promised.push(quoted.id)
      await priceTransaction(tx, row, {
        ...{ source: quoted.price.source, target: quoted.price.target, fee: quoted.price.fee, rate: quoted.price.rate },
        ...{ stablecoin: quoted.price.crossing?.inflow.minor ?? null, quoteId: quoted.id },
      })
      await (decided.outcome === 'hold' ? review : settle)(options, tx, {
        row,
        wallet: party.wallet,
        accounts,
        quoted,
        decided,
      })
      // Frozen since `decide`. Checked once the accounts are locked, because a freeze waits for those locks.
      const stopped = await whyStopped(tx, row.user_id)
      if (stopped) throw new Waits(stopped.code)
    })
  } catch (error) {
    // After any other error the order may be filled; then its promise expires.
    if (error instanceof NotNow || error instanceof Waits) await letGoAll(options, promised)
    throw error
  }
  await letGoAll(options, promised.slice(0, -1))
}

/** Releases price reservations at which no money moved. */
async function letGoAll({ pool }: OrderOptions, quoteIds: readonly string[]): Promise<void> {
  for (const id of quoteIds) await endReservation(pool, id)
}

function checkOwner({ verified, wallet }: Party, row: OrderRow): void {
  if (!verified) throw new Waits('verification_required')
  const isHeld = holdsCurrency(wallet, row.source_currency) && holdsCurrency(wallet, row.target_currency)
  if (!isHeld) throw new Waits('currency_not_held')
}

/** Throws NotNow when another process has read newer fixes than those of this price. */
async function requireNewest(tx: Tx, { evidence: { fixIds } }: QuotedPrice): Promise<void> {
  const { rows } = await tx.query<{ newest: bigint }>(
    'select count(distinct fix_id) as newest from rate_latest where fix_id = any($1::uuid[])',
    [fixIds],
  )
  if (rows[0]?.newest !== BigInt(new Set(fixIds).size)) throw new NotNow()
}

interface Filling {
  readonly row: OrderRow
  readonly wallet: Wallet
  readonly accounts: { readonly wallet: bigint; readonly hold: bigint }
  readonly quoted: QuotedPrice
  readonly decided: Authorized
}

/** Releases the hold and exchanges the money at the price. */
async function settle(options: OrderOptions, tx: Tx, { row, wallet, accounts, quoted }: Filling): Promise<void> {
  const { exchange, mover, notifications } = options
  const { price, id: quoteId, createdAt: at } = quoted
  const legs = [
    release({ ...accounts, amount: heldOf(row).minor }),
    ...(await exchange.legs(tx, { price, from: wallet, to: wallet })),
  ]
  const outcome = await mover.moveWithin(tx, {
    movement: { ...movementOf('order fill', row, at), once: quoteId, legs },
    rows: [],
    ...usageOf(candidateOf(row, price), at),
    settles: [{ id: row.transaction_id, status: 'COMPLETED' }],
  })
  requirePosted(outcome, row)
  await tx.query(
    `update exchange_order set state = 'filled', quote_id = $2, ended_at = $3, waiting_reason = null,
        waiting_since = null, try_at = null where id = $1`,
    [row.id, quoteId, at],
  )
  await notifications.touch(tx, { userIds: [row.user_id], topic: 'orders' })
  await tellFilled(options, tx, row, price)
}

/** Holds the exchange at its price until an operator decides; it counts against limits from now on. */
async function review(options: OrderOptions, tx: Tx, { row, accounts, quoted, decided }: Filling): Promise<void> {
  if (decided.outcome !== 'hold') throw new Error(`order ${row.id} is not to be held`)
  const { price, id: quoteId, createdAt: at } = quoted
  const candidate = candidateOf(row, price)
  const outcome = await options.mover.moveWithin(tx, {
    movement: {
      ...movementOf('order review', row, at),
      once: quoteId,
      legs: [release({ ...accounts, amount: heldOf(row).minor }), reserve({ ...accounts, amount: price.total.minor })],
    },
    rows: [],
    ...usageOf(candidate, at),
  })
  requirePosted(outcome, row)
  const what = { id: row.transaction_id, candidate, amount: price.total, price, quoteId, at }
  await recordHold(tx, { ...what, description: descriptionOf(row), requestHash: row.request_hash }, decided)
  await tx.query(
    `update exchange_order set state = 'in_review', quote_id = $2, fee_minor = $3, waiting_reason = null,
        waiting_since = null, try_at = null where id = $1`,
    [row.id, quoteId, price.fee.minor],
  )
  await options.notifications.touch(tx, { userIds: [row.user_id], topic: 'orders' })
}

const movementOf = (name: 'order fill' | 'order review', row: OrderRow, at: Date) => ({
  id: derivedId(name, row.id),
  requestHash: row.request_hash,
  kind: 'exchange',
  reference: row.transaction_id,
  at,
})

function requirePosted(outcome: MoveOutcome, row: OrderRow): void {
  if (outcome.status === 'posted') return
  if (outcome.status === 'refused' && outcome.reason === 'limit_exceeded') throw new Waits('limit_exceeded')
  throw new Error(`order ${row.id} could not be posted: ${JSON.stringify(outcome)}`)
}

/** Records why an order with a reached rate was not filled, and notifies its account holder. */
async function recordWaiting(options: OrderOptions, row: OrderRow, reason: string): Promise<void> {
  const at = options.now()
  // The rate is checked continuously, other reasons only every few minutes.
  const tryAt = reason === 'worst_rate' ? null : new Date(at.getTime() + retryMs)
  await retryOnConflict(options.pool, async (tx) => {
    const { rowCount } = await tx.query(
      `update exchange_order set waiting_reason = $3, try_at = $5,
          waiting_since = case when waiting_reason is distinct from $3 then $4 else waiting_since end
        where id in (select id from exchange_order where id = $1 and version = $2 and state = 'open' for update skip locked)`,
      [row.id, row.version, reason, at, tryAt],
    )
    if (rowCount !== 1 || row.waiting_reason === reason) return
    await options.notifications.touch(tx, { userIds: [row.user_id], topic: 'orders' })
    await tellWaiting(options, tx, row, reason)
  })
}
