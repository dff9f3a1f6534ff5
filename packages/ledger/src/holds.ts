import type { Leg } from './movement.ts'

// Money that waits for a decision lies in the hold account of its owner, so that a wallet's balance is always what can be
// spent. Two-phase movements carry the same reference in all their steps.

/** Sets `amount` minor units of the wallet aside, to be settled or released later. */
export const reserve = (step: { wallet: bigint; hold: bigint; amount: bigint }): Leg => ({
  from: step.wallet,
  to: step.hold,
  amount: step.amount,
  code: 'reserve',
})

/** Pays `amount` minor units that were set aside on to where they were meant for. */
export const settle = (step: { hold: bigint; to: bigint; amount: bigint }): Leg => ({
  from: step.hold,
  to: step.to,
  amount: step.amount,
  code: 'settle',
})

/** Pays the fee out of what was set aside. */
export const settleFee = (step: { hold: bigint; fee: bigint; amount: bigint }): Leg => ({
  from: step.hold,
  to: step.fee,
  amount: step.amount,
  code: 'fee',
})

/** Gives `amount` minor units that were set aside back to the wallet they came from. */
export const release = (step: { hold: bigint; wallet: bigint; amount: bigint }): Leg => ({
  from: step.hold,
  to: step.wallet,
  amount: step.amount,
  code: 'release',
})
