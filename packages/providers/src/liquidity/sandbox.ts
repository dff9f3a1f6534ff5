import { isCurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import { readDate, readObject, readPositive, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import type { LiquidityProvider, LiquidityResult } from './port.ts'

/** Parses the order `id`; undefined if the reply is about another order or unreadable. */
function readOrder(body: unknown, id: string): LiquidityResult | undefined {
  const status = readText(body, 'status')
  const reference = readText(body, 'order_id')
  if (readText(body, 'id') !== id || reference === undefined) return undefined
  if (status === 'working') return { status, reference }
  if (status === 'rejected') return { status, reason: readText(body, 'reason') ?? 'rejected' }
  const sellCurrency = readText(readObject(body, 'sell'), 'currency') ?? ''
  const buyCurrency = readText(body, 'buy') ?? ''
  const soldAmount = readPositive(body, 'sold_minor')
  const boughtAmount = readPositive(body, 'bought_minor')
  const filledAt = readDate(body, 'filled_at')
  if (status !== 'filled' || !isCurrencyCode(sellCurrency) || !isCurrencyCode(buyCurrency)) return undefined
  if (soldAmount === undefined || boughtAmount === undefined || filledAt === undefined) return undefined
  return {
    status,
    reference,
    sold: money(sellCurrency, soldAmount),
    bought: money(buyCurrency, boughtAmount),
    filledAt,
  }
}

export function createSandboxLiquidityProvider(connection: SandboxConnection): LiquidityProvider {
  const http = createSandboxHttp(connection)
  return {
    name: 'sandbox',
    async place({ id, sell, buy }) {
      const order = { id, sell: { currency: sell.currency, amount_minor: sell.minor.toString() }, buy }
      const result = await http.order('/api/liquidity/orders', order, 'a liquidity order', (body) => {
        const read = readOrder(body, id)
        const isOtherCurrency =
          read?.status === 'filled' && (read.sold.currency !== sell.currency || read.bought.currency !== buy)
        return isOtherCurrency ? undefined : read
      })
      return result.status === 'refused' ? { status: 'rejected', reason: result.reason } : result
    },
    find: (id) =>
      http.find(`/api/liquidity/orders/${encodeURIComponent(id)}`, 'a liquidity order', (body) => readOrder(body, id)),
  }
}
