import { money, parseDecimal } from '@tern/money/money'
import { splitByShares } from '@tern/money/shares'
import type { CurrencyCode } from '@tern/money/currency'

/**
 * Shares of the total in whole percents that add up to 100. Values are decimals in `base`; a null or zero value has no
 * share. All shares are undefined if no value is above zero.
 */
export function roundShares(values: readonly (string | null)[], base: CurrencyCode): (number | undefined)[] {
  const minors = values.map((value) => (value === null ? 0n : parseDecimal(base, value).minor))
  const nonzeroAmounts = minors.filter((minor) => minor > 0n)
  if (nonzeroAmounts.length === 0) return values.map(() => undefined)
  const percents = splitByShares(money(base, 100n), nonzeroAmounts)
  let next = 0
  return minors.map((minor) => {
    if (minor <= 0n) return undefined
    const percent = percents[next]
    next += 1
    return Number(percent?.minor) // not money: a percentage
  })
}
