// Money that a movement brought into the wallet or took from it, in each currency.

import type { CurrencyCode } from '@tern/money/currency'
import type { BalanceChange } from './movement.ts'

/** Amounts in minor units, signed for the wallet's owner. Their sum is the change of both parts of the balance. */
export interface Flow {
  readonly currency: CurrencyCode
  /** Money from outside that left again by the same posting, such as a card payment that was sent on; never negative. */
  readonly funding: bigint
  readonly fee: bigint
  /** All other money, without fees. */
  readonly principal: bigint
}

/** Returns the flows that are not zero, in the order of the changes. */
export function listFlows(changes: readonly BalanceChange[]): Flow[] {
  const currencies = [...new Set(changes.map(({ currency }) => currency))]
  return currencies
    .map((currency): Flow => {
      const own = changes.filter((change) => change.currency === currency)
      const amount = own.reduce((sum, change) => sum + change.amount, 0n)
      const fee = own.reduce((sum, change) => sum + change.fee, 0n)
      const funding = sumFunding(own)
      return { currency, funding, fee, principal: amount - fee - funding }
    })
    .filter(({ funding, fee, principal }) => funding !== 0n || fee !== 0n || principal !== 0n)
}

/** Sums money that enters a part and leaves it again, unless it came from the other part. */
function sumFunding(changes: readonly BalanceChange[]): bigint {
  const outgoing = changes.filter(({ amount }) => amount < 0n)
  return changes.reduce((sum, { part, amount }) => {
    if (amount < 0n || !outgoing.some((change) => change.part === part)) return sum
    const released = outgoing.filter((change) => change.part !== part).reduce((all, change) => all - change.amount, 0n)
    return amount > released ? sum + amount - released : sum
  }, 0n)
}
