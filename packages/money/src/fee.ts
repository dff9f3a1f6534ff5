import type { Money } from './money.ts'
import { money } from './money.ts'
import { ratio, scaleBy } from './ratio.ts'

/** Route of a send, which determines its fee. */
export type SendRoute = 'same_currency' | 'stablecoin_bridge' | 'direct_conversion'

/** Fees: 0.5 % in one currency, 1 % through the bridge, 2 % direct. */
export const feeBasisPoints: Readonly<Record<SendRoute, bigint>> = {
  same_currency: 50n,
  stablecoin_bridge: 100n,
  direct_conversion: 200n,
}

/** Average bank price for sending 200 USD, 11.48 %: World Bank, Remittance Prices Worldwide, issue 47, Q3 2023. */
export const averageBankBasisPoints = 1148n

/** Returns the fee on top of `amount`, rounded half up to the minor unit. */
export const computeFee = (amount: Money, basisPoints: bigint): Money =>
  money(amount.currency, basisPoints === 0n ? 0n : scaleBy(amount.minor, ratio(basisPoints, 10_000n), 'half_up'))

/** Returns the largest amount that `total` can pay together with the fee on top of it. */
export function maxBeforeFee(total: Money, basisPoints: bigint): Money {
  const estimate = (total.minor * 10_000n) / (10_000n + basisPoints)
  // Rounding half up moves the fee by at most half a unit, so the result is this amount or one next to it.
  const fitsTotal = (minor: bigint) =>
    minor + computeFee(money(total.currency, minor), basisPoints).minor <= total.minor
  const minor = [estimate + 1n, estimate, estimate - 1n].find((amount) => amount > 0n && fitsTotal(amount))
  return money(total.currency, minor ?? 0n)
}

/** Returns the part of `amount` that exceeds the fee-free amount `free`. */
export const amountAbove = (amount: Money, free: Money): Money =>
  money(amount.currency, amount.minor > free.minor ? amount.minor - free.minor : 0n)

/** Returns the fee on top of the part of `amount` above `free`, rounded half up to the minor unit. */
export const feeAbove = (amount: Money, free: Money, basisPoints: bigint): Money =>
  computeFee(amountAbove(amount, free), basisPoints)

/** Returns the largest amount that `total` can pay together with the fee on its part above `free`. */
export const maxBeforeFeeAbove = (total: Money, free: Money, basisPoints: bigint): Money =>
  total.minor <= free.minor
    ? total
    : money(
        total.currency,
        free.minor + maxBeforeFee(money(total.currency, total.minor - free.minor), basisPoints).minor,
      )
