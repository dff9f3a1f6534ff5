import type { Leg } from './movement.ts'

// Undecided money is kept in its owner's hold account, so that wallet balances are always spendable. All movements of
// one hold carry the same reference.

interface Step {
  readonly wallet: bigint
  readonly hold: bigint
  /** In minor units. */
  readonly amount: bigint
}

/** Reserves money of the wallet, to be settled or released later. */
export const reserve = ({ wallet, hold, amount }: Step): Leg => ({ from: wallet, to: hold, amount, code: 'reserve' })

/** Returns reserved money to its wallet. */
export const release = ({ wallet, hold, amount }: Step): Leg => ({ from: hold, to: wallet, amount, code: 'release' })

/** Pays reserved money to its destination. */
export const settle = ({ hold, to, amount }: Omit<Step, 'wallet'> & { to: bigint }): Leg => ({
  from: hold,
  to,
  amount,
  code: 'settle',
})
