import os from 'node:os'
import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { type Money, money, parseDecimal, toDecimal } from '@tern/money/money'
import { type LimitName, type Position, toSellAmount } from '../features/treasury/treasury.ts'
import { amountText } from '../platform/http/amount.ts'
import type { Product } from '../product.ts'
import { alignedColumns, parse, type RunCommand, UsageError } from './terminal.ts'
import { withProduct } from './with-product.ts'
import type { TreasuryOrderRow } from '../features/treasury/row-types.ts'

const limitNames: Readonly<Record<string, LimitName>> = { long: 'long', short: 'short', flatten: 'flatten_above' }

type CommandOrder = { readonly operator: string } & (
  | { readonly kind: 'list' }
  | { readonly kind: 'flatten'; readonly currency: CurrencyCode }
  | { readonly kind: 'limit'; readonly name: LimitName; readonly limit: Money }
)

/** Parses a typed amount; undefined if it is invalid. */
function parseAmount(currency: CurrencyCode, text: string): Money | undefined {
  try {
    const amount = parseDecimal(currency, text)
    return amount.minor < 0n ? undefined : amount
  } catch {
    return undefined
  }
}

/** Parses the parameters. Throws UsageError. */
function readOrder(parameters: readonly string[]): CommandOrder {
  const text = { type: 'string' } as const
  const options = { flatten: text, limit: text, by: text }
  const { values, positionals } = parse({ args: [...parameters], options, allowPositionals: true })
  const { flatten, limit, by: operator = os.userInfo().username } = values
  if (!operator.trim() || (flatten !== undefined && limit !== undefined)) throw new UsageError()
  if (limit !== undefined) {
    const [direction = '', amount = '', ...rest] = positionals
    const name = Object.hasOwn(limitNames, direction) ? limitNames[direction] : undefined
    const parsedLimit = isCurrencyCode(limit) ? parseAmount(limit, amount) : undefined
    if (!name || !parsedLimit || rest.length > 0) throw new UsageError()
    return { kind: 'limit', name, limit: parsedLimit, operator }
  }
  if (positionals.length > 0) throw new UsageError()
  if (flatten === undefined) return { kind: 'list', operator }
  if (!isCurrencyCode(flatten)) throw new UsageError()
  return { kind: 'flatten', currency: flatten, operator }
}

const header = ['', 'position', 'in USD', 'expected in', 'expected out', 'long limit', 'short limit', 'flattened above']

function formatCells({ currency, position, usdMinor, incoming, outgoing, limits }: Position): string[] {
  const cell = (minor: bigint | undefined) => (minor === undefined ? 'unknown' : toDecimal(money(currency, minor)))
  return [
    currency,
    cell(position),
    usdMinor === undefined ? 'unknown' : toDecimal(money('USD', usdMinor)),
    cell(incoming),
    cell(outgoing),
    cell(limits?.long),
    cell(limits?.short),
    cell(limits?.flattenAbove),
  ]
}

const tradeLines = ({ currency, toFlatten }: Position): string[] =>
  toFlatten ? [`${currency}: sell ${amountText(toFlatten.sell)} for about ${amountText(toFlatten.expected)}`] : []

const orderLine = (order: TreasuryOrderRow): string =>
  `${order.id}  ${order.provider}  sells ${amountText(toSellAmount(order))} for ${order.buy_currency}, ordered by ${order.ordered_by}`

async function list({ treasury }: Product): Promise<string> {
  const positions = await treasury.positions()
  const orders = await treasury.openOrders()
  const { usdMinor, max } = await treasury.lockedValue()
  const trades = positions.flatMap(tradeLines)
  return [
    ...alignedColumns([header, ...positions.map(formatCells)], 1),
    '',
    `Locked at open prices: ${amountText(money('USD', usdMinor))} of ${amountText(money('USD', max))}.`,
    '',
    ...(trades.length === 0 ? ['Every position is flat.'] : ['To flatten:', ...trades]),
    '',
    ...(orders.length === 0 ? ['No order is open.'] : ['Open orders:', ...orders.map(orderLine)]),
  ].join('\n')
}

function flattenedText(currency: CurrencyCode, order: TreasuryOrderRow | undefined): string {
  if (!order) return `Nothing was ordered: ${currency} is flat, its limits leave no room, or an order is open already.`
  const { id, state, sold_minor: soldMinor, bought_minor: boughtMinor, sell_currency: from, buy_currency: to } = order
  if (state === 'rejected') return `${order.provider} rejected the order ${id}: ${order.reason}`
  if (soldMinor === null || boughtMinor === null) return `The order ${id} has no answer yet; the worker follows it.`
  return `The order ${id} sold ${amountText(money(from, soldMinor))} for ${amountText(money(to, boughtMinor))}.`
}

async function runOrder(product: Product, order: CommandOrder): Promise<string> {
  const { treasury, exchange } = product
  await exchange.refreshRates()
  if (order.kind === 'list') return list(product)
  if (order.kind === 'flatten') {
    return flattenedText(order.currency, await treasury.flatten(order))
  }
  await treasury.setLimit(order)
  return `The limit is ${amountText(order.limit)} from now on.`
}

export const run: RunCommand = ({ environment, print }, parameters) => {
  const order = readOrder(parameters)
  return withProduct(environment, async (product) => {
    print(await runOrder(product, order))
    return 0
  })
}
