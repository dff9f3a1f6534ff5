import { bridgeAccount, venueAccount } from '@tern/ledger/chart'
import { type CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type { LiquidityProvider, LiquidityResult } from '@tern/providers/liquidity/port'
import type pg from 'pg'
import { type Db, onlyRow, retryOnConflict, transact, type Tx } from '../../platform/database/db.ts'
import { insertRow, updateRow } from '../../platform/database/rows.ts'
import { requestHash } from '../../platform/http/idempotency.ts'
import { derivedId } from '../../platform/ids.ts'
import type { ProviderRegistry } from '../../platform/providers/provider-registry.ts'
import { endReservation, type Exchange } from '../exchange/exchange.ts'
import type { Mover, MoveRequest } from '../wallets/move.ts'
import type { Wallets } from '../wallets/wallets.ts'
import type { TreasuryOrderRow } from './row-types.ts'

export interface TreasuryContext {
  readonly exchange: Pick<
    Exchange,
    'exposures' | 'valuation' | 'sweepReservations' | 'lockedValue' | 'reserveInTransaction'
  >
  readonly mover: Mover
  readonly wallets: Pick<Wallets, 'accountId'>
  readonly venues: ProviderRegistry<LiquidityProvider>
  readonly now: () => Date
  readonly log: { error(details: object, message: string): void; warn(details: object, message: string): void }
}

type FilledResult = Extract<LiquidityResult, { status: 'filled' }>

/** Time before an order is polled, since another worker's request may still be running. */
const minPollAgeMs = 30_000
const batchSize = 100

export const toSellAmount = ({ sell_currency: currency, sell_minor: minor }: TreasuryOrderRow): Money =>
  money(currency, minor)

interface NewOrder extends Pick<TreasuryOrderRow, 'id' | 'provider' | 'currency' | 'ordered_by'> {
  readonly sell: Money
  readonly buy: CurrencyCode
  readonly at: Date
}

/** Stores an order as pending. Place it only once this is committed. */
export async function storeOrder(tx: Tx, { sell, buy, at, ...row }: NewOrder): Promise<void> {
  await insertRow(tx, 'treasury_order', {
    ...row,
    sell_currency: sell.currency,
    sell_minor: sell.minor,
    buy_currency: buy,
    state: 'pending',
    created_at: at,
    polled_at: at,
    updated_at: at,
  })
}

/** Places an order that was stored and committed, and applies the venue's answer. Returns the resulting order. */
export async function placeOrder(context: TreasuryContext, pool: pg.Pool, id: string): Promise<TreasuryOrderRow> {
  const { venues, log } = context
  const order = await findOrder(pool, id)
  const venue = venues.find(order.provider)
  if (!venue) log.error({ id, provider: order.provider }, 'an order names a venue that is not configured')
  else
    await applyAnswer(context, pool, {
      order,
      result: await venue.place({ id, sell: toSellAmount(order), buy: order.buy_currency }),
    })
  return findOrder(pool, id)
}

async function findOrder(db: Db, id: string): Promise<TreasuryOrderRow> {
  return onlyRow((await db.query<TreasuryOrderRow>('select * from treasury_order where id = $1', [id])).rows)
}

/** Polls venues about pending orders. If a venue does not know an order, places it again with the same id. */
export async function pollOrders(context: TreasuryContext, pool: pg.Pool): Promise<void> {
  const { venues, now, log } = context
  const { rows } = await pool.query<TreasuryOrderRow>(
    `update treasury_order set polled_at = $1
      where id = any (array(select id from treasury_order where state = 'pending' and polled_at <= $2
                             order by polled_at limit ${batchSize}))
        -- Checked again after waiting for a worker that polls the same orders.
        and polled_at <= $2 returning *`,
    [now(), new Date(now().getTime() - minPollAgeMs)],
  )
  for (const order of rows) {
    try {
      const venueOrder = await venues.find(order.provider)?.find(order.id)
      if (!venueOrder)
        log.error({ id: order.id, provider: order.provider }, 'an order names a venue that is not configured')
      else if (venueOrder.status === 'not_found') await placeOrder(context, pool, order.id)
      else await applyAnswer(context, pool, { order, result: venueOrder })
    } catch (error) {
      log.error({ err: error, id: order.id }, 'an order to a venue could not be checked')
    }
  }
}

interface VenueAnswer<T> {
  readonly order: TreasuryOrderRow
  readonly result: T
}

/** Applies a venue's answer. An unknown outcome, or a fill that does not match the order, moves nothing. */
async function applyAnswer(
  context: TreasuryContext,
  pool: pg.Pool,
  { order, result }: VenueAnswer<LiquidityResult>,
): Promise<void> {
  const { now, log } = context
  switch (result.status) {
    case 'unknown':
      return
    case 'working':
      await pool.query(
        `update treasury_order set reference = $2, updated_at = $3
          where id = $1 and state = 'pending' and reference is distinct from $2`,
        [order.id, result.reference, now()],
      )
      return
    case 'rejected':
      log.warn({ id: order.id, reason: result.reason }, 'a venue rejected an order')
      return transact(pool, async (tx) => {
        if (!(await lockPending(tx, order))) return
        const { reason } = result
        await updateRow(tx, 'treasury_order', order.id, { state: 'rejected', reason, updated_at: now() })
        await endReservation(tx, order.id)
      })
    case 'filled':
      if (matchesOrder(order, result)) return fill(context, pool, { order, result })
      log.error({ id: order.id, result: describeFill(result) }, 'a venue filled something else than was ordered')
  }
}

const describeFill = ({ sold, bought, reference }: FilledResult) => ({
  sold: formatMoney(sold),
  bought: formatMoney(bought),
  reference,
})
const formatMoney = ({ minor, currency }: Money): string => `${minor} ${currency}`

const matchesOrder = (order: TreasuryOrderRow, { sold, bought }: FilledResult): boolean =>
  sold.currency === order.sell_currency &&
  bought.currency === order.buy_currency &&
  sold.minor > 0n &&
  sold.minor <= order.sell_minor &&
  bought.minor > 0n

/** Locks an order and returns whether it is still undecided. */
async function lockPending(tx: Tx, { id }: TreasuryOrderRow): Promise<boolean> {
  const { rowCount } = await tx.query(`select from treasury_order where id = $1 and state = 'pending' for update`, [id])
  return rowCount === 1
}

/** Posts a fill once: the sold amount goes to the venue, and the bought amount comes from it. */
async function fill(
  { mover, wallets, now }: TreasuryContext,
  pool: pg.Pool,
  { order, result }: VenueAnswer<FilledResult>,
): Promise<void> {
  const { sold, bought, reference, filledAt } = result
  const legs = [
    {
      from: await wallets.accountId(pool, bridgeAccount(sold.currency)),
      to: await wallets.accountId(pool, venueAccount(sold.currency)),
      amount: sold.minor,
      code: 'hedge',
    },
    {
      from: await wallets.accountId(pool, venueAccount(bought.currency)),
      to: await wallets.accountId(pool, bridgeAccount(bought.currency)),
      amount: bought.minor,
      code: 'hedge',
    },
  ] as const
  await retryOnConflict(pool, async (tx) => {
    if (!(await lockPending(tx, order))) return
    const at = now()
    await updateRow(tx, 'treasury_order', order.id, {
      state: 'filled',
      sold_minor: sold.minor,
      bought_minor: bought.minor,
      reference,
      filled_at: filledAt,
      updated_at: at,
    })
    await endReservation(tx, order.id)
    const request: MoveRequest = {
      movement: {
        id: derivedId('treasury fill', order.id),
        requestHash: requestHash({ order: order.id }),
        kind: 'hedge',
        reference: order.id,
        at,
        legs,
      },
      rows: [],
    }
    const outcome = await mover.moveWithin(tx, request)
    if (outcome.status !== 'posted')
      throw new Error(`the fill of ${order.id} was not posted: ${JSON.stringify(outcome)}`)
  })
}
