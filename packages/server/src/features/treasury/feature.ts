import type { Feature } from '../../manifests/feature.ts'
import { auditRules } from './audit-rules.ts'
import type { Product } from '../../product.ts'
import type { Position } from './treasury.ts'

export const feature: Feature = {
  name: 'treasury',
  tasks: [{ name: 'flatten_positions', at: '* * * * *', run: flattenPositions }],
  gauges: [
    {
      name: 'tern_position_usd',
      help: "The desk's position in US dollars; NaN without a rate",
      label: 'currency',
      async read({ treasury }) {
        const positions = await treasury.positions()
        return Object.fromEntries(
          positions.map(({ currency, usdMinor }) => [
            currency,
            usdMinor === undefined ? Number.NaN : toWholeDollars(usdMinor),
          ]),
        )
      },
    },
    {
      name: 'tern_position_limit_used_ratio',
      help: 'How much of its limit a position may use up, from 0 to 1',
      label: 'currency',
      async read({ treasury }) {
        const positions = await treasury.positions()
        return Object.fromEntries(positions.map((position) => [position.currency, limitUsed(position)]))
      },
    },
    {
      name: 'tern_locked_usd',
      help: 'What is locked at open prices, in US dollars',
      async read({ treasury }) {
        const { usdMinor } = await treasury.lockedValue()
        return toWholeDollars(usdMinor)
      },
    },
    {
      name: 'tern_treasury_order_oldest_seconds',
      help: 'Age of the oldest order to a venue without an answer',
      async read({ treasury, now }) {
        const [oldest] = await treasury.openOrders()
        return oldest ? (now().getTime() - oldest.created_at.getTime()) / 1000 : 0
      },
    },
  ],
  auditRules,
}

/** Refreshes rates first: workers, which serve no requests, do not keep them current. */
async function flattenPositions({ exchange, treasury }: Product): Promise<void> {
  await exchange.refreshDueRates()
  await treasury.run()
}

const toWholeDollars = (usdMinor: bigint): number => Number(usdMinor / 100n) // not money: for an alarm

/** Returns the used share of the tighter limit, counting all promised prices; NaN if no limit is known. */
function limitUsed({ position, incoming, outgoing, limits }: Position): number {
  if (!limits) return Number.NaN
  const share = (usedMinor: bigint, limit: bigint) =>
    usedMinor <= 0n ? 0 : limit === 0n ? 1 : Number((usedMinor * 1000n) / limit) / 1000 // not money: a share, for an alarm
  return Math.max(share(position + incoming, limits.long), share(outgoing - position, limits.short))
}
