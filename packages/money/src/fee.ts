import type { Money } from './money.ts'
import { money } from './money.ts'
import { ratio, scaleBy } from './ratio.ts'

/** A send's route, which determines its fee. */
export type SendRoute = 'same_currency' | 'stablecoin_bridge' | 'direct_conversion'

/** Prices: 0.5 % in one currency, 1 % through the bridge, 2 % direct. */
export const feeBasisPoints: Readonly<Record<SendRoute, bigint>> = {
  same_currency: 50n,
  stablecoin_bridge: 100n,
  direct_conversion: 200n,
}

/** World Bank, Remittance Prices Worldwide, issue 47, Q3 2023: what banks take on average to send 200 USD abroad, 11.48 %. */
export const averageBankBasisPoints = 1148n

/** The fee on top of `amount`, rounded half up to the minor unit. */
export const feeOf = (amount: Money, basisPoints: bigint): Money =>
  money(amount.currency, basisPoints === 0n ? 0n : scaleBy(amount.minor, ratio(basisPoints, 10_000n), 'half_up'))

/** The largest amount that `total` can pay together with the fee on top of it. */
export function mostBeforeFee(total: Money, basisPoints: bigint): Money {
  const least = (total.minor * 10_000n) / (10_000n + basisPoints)
  // Rounding half up moves the fee by half a unit at most, so the answer is this amount or one beside it.
  const fits = (minor: bigint) => minor + feeOf(money(total.currency, minor), basisPoints).minor <= total.minor
  const minor = [least + 1n, least, least - 1n].find((amount) => amount > 0n && fits(amount))
  return money(total.currency, minor ?? 0n)
}

/** What of `amount` is beyond the part without a fee. */
export const beyond = (amount: Money, free: Money): Money =>
  money(amount.currency, amount.minor > free.minor ? amount.minor - free.minor : 0n)

/** The fee on top of what of `amount` is beyond the part without one, rounded half up to the minor unit. */
export const feeBeyond = (amount: Money, free: Money, basisPoints: bigint): Money =>
  feeOf(beyond(amount, free), basisPoints)

/** The largest amount that `total` can pay together with the fee on top of what is beyond the part without one. */
export const mostBeforeFeeBeyond = (total: Money, free: Money, basisPoints: bigint): Money =>
  total.minor <= free.minor
    ? total
    : money(
        total.currency,
        free.minor + mostBeforeFee(money(total.currency, total.minor - free.minor), basisPoints).minor,
      )
