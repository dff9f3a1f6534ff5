import type { PayoutState } from '@tern/providers/payout/port'
import type { Ground, Taking } from './ground.ts'

/** Payouts at the provider: ordered, asked about, and what follows from how they end. */
export interface Payouts {
  /** What follows from a state of a payout; undefined when it is none of ours, or nothing follows from it. */
  taking(state: Exclude<PayoutState, { status: 'unknown' }>): Promise<Taking | undefined>
  /** Orders a payout at the provider that was written down before; repeated, it is ordered once. */
  submit(payoutId: string): Promise<void>
  /** Orders again, or asks about, one payout that is pending or was completed. */
  check(payoutId: string): Promise<void>
  /** Checks all pending ones that were last asked about before this moment. */
  checkPending(askedBefore: Date): Promise<void>
}

export function createPayouts(_ground: Ground): Payouts {
  const later = () => Promise.reject(new Error('being built'))
  return { taking: later, submit: later, check: later, checkPending: () => Promise.resolve() }
}
