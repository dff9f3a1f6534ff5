import type { DeskPosition } from '@tern/contract/desk/watch'
import { money, toDecimal } from '@tern/money/money'
import { amountText } from '../../platform/http/amount.ts'
import { type Position, toSellAmount, type Treasury } from '../treasury/treasury.ts'

function positionView({ currency, position, usdMinor, incoming, outgoing, limits }: Position): DeskPosition {
  const formatMinor = (minor: bigint) => toDecimal(money(currency, minor))
  return {
    currency,
    position: formatMinor(position),
    incoming: formatMinor(incoming),
    outgoing: formatMinor(outgoing),
    usd: usdMinor === undefined ? null : toDecimal(money('USD', usdMinor)),
    limits: limits
      ? {
          long: formatMinor(limits.long),
          short: formatMinor(limits.short),
          flatten_above: formatMinor(limits.flattenAbove),
        }
      : null,
  }
}

export async function treasuryView(treasury: Pick<Treasury, 'positions' | 'openOrders' | 'lockedValue'>) {
  const { usdMinor, max } = await treasury.lockedValue()
  const orders = await treasury.openOrders()
  return {
    positions: (await treasury.positions()).map(positionView),
    locked: { usd: toDecimal(money('USD', usdMinor)), max: toDecimal(money('USD', max)) },
    orders: orders.map((order) => ({
      id: order.id,
      provider: order.provider,
      ordered_by: order.ordered_by,
      sells: amountText(toSellAmount(order)),
      buys: order.buy_currency,
    })),
  }
}
