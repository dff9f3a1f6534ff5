import type { Money } from './money.ts'
import { money } from './money.ts'
import { ratio, scaleBy } from './ratio.ts'

/** How a send reaches the recipient; determines the fee. */
export type SendRoute = 'same_currency' | 'stablecoin_bridge' | 'direct_conversion'

/** The price list: 0.5 % in the same currency, 1 % through the bridge, 2 % converted directly. */
export const feeBasisPoints: Readonly<Record<SendRoute, bigint>> = {
  same_currency: 50n,
  stablecoin_bridge: 100n,
  direct_conversion: 200n,
}

/** The fee added to `amount`, in its currency, rounded half up to the minor unit. */
export const feeOf = (amount: Money, basisPoints: bigint): Money =>
  money(amount.currency, basisPoints === 0n ? 0n : scaleBy(amount.minor, ratio(basisPoints, 10_000n), 'half_up'))
