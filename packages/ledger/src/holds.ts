import type { Leg } from './movement.ts'

// Undecided money lies in its owner's hold account, so that wallet balances are always spendable. All steps carry the
// same reference.

/** Reserves `amount` minor units of the wallet, to be settled or released later. */
export const reserve = (step: { wallet: bigint; hold: bigint; amount: bigint }): Leg => ({
  from: step.wallet,
  to: step.hold,
  amount: step.amount,
  code: 'reserve',
})

/** Pays `amount` reserved minor units to their destination. */
export const settle = (step: { hold: bigint; to: bigint; amount: bigint }): Leg => ({
  from: step.hold,
  to: step.to,
  amount: step.amount,
  code: 'settle',
})

/** Pays the fee from reserved money. */
export const settleFee = (step: { hold: bigint; fee: bigint; amount: bigint }): Leg => ({
  from: step.hold,
  to: step.fee,
  amount: step.amount,
  code: 'fee',
})

/** Returns `amount` reserved minor units to their wallet. */
export const release = (step: { hold: bigint; wallet: bigint; amount: bigint }): Leg => ({
  from: step.hold,
  to: step.wallet,
  amount: step.amount,
  code: 'release',
})
