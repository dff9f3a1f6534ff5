// Views of orders for their account holder.

import type { Order, orders } from '@tern/contract/orders/orders'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { inverse, parseRatio, type Ratio, ratio, toRateText } from '@tern/money/ratio'
import type { Db } from '../../platform/database/db.ts'
import { currentRequestMessages } from '../../platform/messages.ts'
import { orderReason } from '../../platform/order-reasons.ts'
import { Refusal, refuse } from '../../platform/refuse.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { OrdersContext } from './context.ts'
import { toReservedAmount, type OwnOrder, toSourceAmount } from './order-rows.ts'
import { distancePercent, chooseRateSide } from './order-terms.ts'
import type { ExchangeOrderRow } from './row-types.ts'

/** Order with the price on its transaction. */
type StoredOrder = ExchangeOrderRow & {
  readonly t_target: bigint
  readonly t_fee: bigint
  readonly t_numerator: bigint
  readonly t_denominator: bigint
}

const select = `select o.*, t.target_amount as t_target, t.fee_amount as t_fee, t.rate_numerator as t_numerator,
    t.rate_denominator as t_denominator
  from exchange_order o join transaction t on t.user_id = o.user_id and t.id = o.transaction_id`

/** Maximum number of open orders per person. */
export const maxOpen = 50
const pageRows = 20

/** Returns the current rate; undefined if it is unknown or stale. */
export function rateIfKnown(
  exchange: Pick<Exchange, 'pairRate'>,
  source: CurrencyCode,
  target: CurrencyCode,
): ReturnType<Exchange['pairRate']> | undefined {
  try {
    return exchange.pairRate(source, target)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Converts a rate in target units per source unit to a rate per unit of the order's `rateCurrency`. */
export const toRateCurrency = (
  rate: Ratio,
  { rate_currency: base, source_currency: source }: Pick<ExchangeOrderRow, 'rate_currency' | 'source_currency'>,
): Ratio => (base === source ? rate : inverse(rate))

export const isOpen = ({ state }: Pick<ExchangeOrderRow, 'state'>): boolean => state === 'open' || state === 'in_review'

function orderView(exchange: Pick<Exchange, 'pairRate'>, row: StoredOrder): Order {
  const { source_currency: source, target_currency: target, rate_currency: rateCurrency } = row
  const now = isOpen(row) ? rateIfKnown(exchange, source, target)?.rate : undefined
  const rateNow = now && toRateCurrency(now, row)
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    source_currency: source,
    target_currency: target,
    amount: toDecimal(toSourceAmount(row)),
    rate_currency: rateCurrency,
    rate: row.rate,
    rate_side: chooseRateSide(row.kind, rateCurrency, source),
    worst_rate: row.worst_rate,
    minimum_target_amount: toDecimal(money(target, row.minimum_minor)),
    fee: toDecimal(money(source, row.fee_minor)),
    fee_basis_points: row.fee_basis_points,
    on_hold: toDecimal(isOpen(row) ? toReservedAmount(row) : money(source, 0n)),
    expires_at: row.expires_at.toISOString(),
    rate_now: rateNow ? toRateText(rateNow) : null,
    distance_percent: rateNow ? distancePercent(parseRatio(row.rate), rateNow) : null,
    waiting:
      row.state === 'open' && row.waiting_reason !== null && row.waiting_since !== null
        ? {
            reason: row.waiting_reason,
            reason_text: orderReason(currentRequestMessages(), row.waiting_reason),
            since: row.waiting_since.toISOString(),
          }
        : null,
    filled: filledView(row),
    transaction_id: row.transaction_id,
    created_at: row.created_at.toISOString(),
    edited_at: row.edited_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  }
}

function filledView(row: StoredOrder): Order['filled'] {
  if (row.state !== 'filled' || row.ended_at === null || row.quote_id === null) return null
  const { source_currency: source, target_currency: target } = row
  return {
    at: row.ended_at.toISOString(),
    target_amount: toDecimal(money(target, row.t_target)),
    rate: toRateText(toRateCurrency(ratio(row.t_numerator, row.t_denominator), row)),
    is_better: row.t_target > row.minimum_minor,
    fee: toDecimal(money(source, row.t_fee)),
    quote_id: row.quote_id,
  }
}

/** Reads orders with their prices; `where` is SQL on the order `o`. */
async function readOrders(
  { exchange }: ViewContext,
  db: Db,
  { where, values }: { readonly where: string; readonly values: readonly unknown[] },
): Promise<Order[]> {
  const { rows } = await db.query<StoredOrder>(`${select} ${where}`, [...values])
  return rows.map((row) => orderView(exchange, row))
}

type ViewContext = Pick<OrdersContext, 'exchange'>

/** Returns one of the user's orders. Refuses `not_found`. */
export async function readOrder(ctx: ViewContext, db: Db, { userId, id }: OwnOrder): Promise<Order> {
  const [order] = await readOrders(ctx, db, { where: 'where o.id = $1 and o.user_id = $2', values: [id, userId] })
  return order ?? refuse('not_found')
}

/** Returns a page of the user's ended orders, latest first. The first page also has all open ones. */
export async function listOrders(
  ctx: ViewContext,
  db: Db,
  { userId, cursor }: { readonly userId: bigint; readonly cursor?: string | undefined },
): Promise<Reply<typeof orders>> {
  const open = cursor
    ? []
    : await readOrders(ctx, db, {
        where: 'where o.user_id = $1 and o.ended_at is null order by o.expires_at, o.id',
        values: [userId],
      })
  const endedOrders = await readOrders(ctx, db, {
    where: `where o.user_id = $1 and o.ended_at is not null and ($2::uuid is null
         or (o.ended_at, o.id) < (select l.ended_at, l.id from exchange_order l where l.id = $2 and l.user_id = $1))
       order by o.ended_at desc, o.id desc limit ${String(pageRows + 1)}`,
    values: [userId, cursor ?? null],
  })
  const history = endedOrders.slice(0, pageRows)
  const next_cursor = endedOrders.length > pageRows ? (history.at(-1)?.id ?? null) : null
  return { open, history, next_cursor, most_open: maxOpen }
}
