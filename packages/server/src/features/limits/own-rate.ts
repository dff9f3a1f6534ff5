import { isFiatCode } from '@tern/money/currency'
import { divide, inverse, type Ratio, ratio, toRateText } from '@tern/money/ratio'
import type { HolderRate } from '@tern/contract/protocol/holder-rate'
import type { Db } from '../../platform/database/db.ts'

interface RateRow {
  readonly currency: string
  readonly source: string
  readonly base: string
  readonly quote: string
  readonly numerator: bigint
  readonly denominator: bigint
}

/**
 * Returns the user's base currency with its newest known rate to the US dollar, for displaying limits, which are stored
 * in dollars. Undefined if the base currency is the dollar or has no known rate.
 */
export async function readHolderRate(db: Db, userId: bigint): Promise<HolderRate | undefined> {
  const { rows } = await db.query<RateRow>(
    `select w.base_currency as currency, f.source, f.base, f.quote, f.numerator, f.denominator
       from wallet w, rate_latest l join rate_fix f on f.id = l.fix_id
      where w.user_id = $1 and w.base_currency <> 'USD'
      order by l.confirmed_at desc, f.source`,
    [userId],
  )
  const currency = rows[0]?.currency
  if (currency === undefined || !isFiatCode(currency)) return undefined
  for (const source of new Set(rows.map((fix) => fix.source))) {
    const rate = findRate(
      rows.filter((fix) => fix.source === source),
      'USD',
      currency,
    )
    if (rate) return { currency, rate: toRateText(rate) }
  }
  return undefined
}

/**
 * Returns whole units of `to` per whole unit of `from`, from one fix of the pair or from two fixes that share a
 * currency.
 */
function findRate(fixes: readonly RateRow[], from: string, to: string): Ratio | undefined {
  const directRate = findDirectRate(fixes, from, to)
  if (directRate) return directRate
  for (const bridgeCode of new Set(fixes.flatMap(({ base, quote }) => [base, quote]))) {
    const first = findDirectRate(fixes, from, bridgeCode)
    const second = findDirectRate(fixes, to, bridgeCode)
    if (first && second) return divide(first, second)
  }
  return undefined
}

function findDirectRate(fixes: readonly RateRow[], from: string, to: string): Ratio | undefined {
  const fix = fixes.find(({ base, quote }) => (base === from && quote === to) || (base === to && quote === from))
  if (!fix) return undefined
  const rate = ratio(fix.numerator, fix.denominator)
  return fix.base === from ? rate : inverse(rate)
}
