import type { releaseReason } from '@tern/contract/transactions'
import type { holdReason } from '@tern/contract/transactions'
import type { transferKind, transferState } from '@tern/contract/transfers'
import type * as z from 'zod/mini'

// State machine of transfers, which every change of state follows.

export type TransferKind = z.output<typeof transferKind>
export type TransferState = z.output<typeof transferState>
export type HoldReason = z.output<typeof holdReason>
export type ReleaseReason = z.output<typeof releaseReason>

export const transferEvents = [
  /** `decide` has no objection, the money has arrived, or the decider has approved. */
  'settle',
  /** `decide` holds it; a funded send is held once its money has arrived. */
  'hold',
  'refuse',
  'cancel',
  'reject',
  'expire',
  /** The payment was not made, or the bank refused a payout or reversed the debit of a held deposit. */
  'fail',
  /** The money stays with the sender: it arrived too late, or the send was cancelled or has no recipient. */
  'keep',
  /** The bank has received the money of a payout or return. */
  'complete',
  /** The bank returned a payout. */
  'return',
  /** A held bank deposit is returned to its account. */
  'send_back',
] as const
export type TransferEvent = (typeof transferEvents)[number]

export type Effect =
  /** Money moves from sender to recipient. */
  | 'post'
  /** Reserves amount and fee; the transaction is listed as pending. */
  | 'reserve'
  /** Moves the reserved money to its destination. */
  | 'post_reserved'
  /** Returns the reservation to the wallet, and reverses limit usage. */
  | 'release'
  | 'request_funds'
  /** Credits money from outside to the sender as a deposit. */
  | 'credit_sender'
  | 'order_payout'
  /** Releases a held deposit to the wallet, converted at its promised price. */
  | 'credit_deposit'
  /** Orders the return of a held deposit to its bank account. */
  | 'order_return'
  | 'fail_payout'

export interface Transition {
  readonly next: TransferState
  readonly effects: readonly Effect[]
}

type Transitions = Partial<Record<TransferState, Partial<Record<TransferEvent, Transition>>>>

const to = (next: TransferState, ...effects: Effect[]): Transition => ({ next, effects })

const heldTransitions = (settled: Transition, ...released: Effect[]): Partial<Record<TransferEvent, Transition>> => {
  const release = to('released', ...released)
  return { settle: settled, cancel: release, reject: release, expire: release }
}

const internalTransitions: Transitions = {
  created: { settle: to('settled', 'post'), hold: to('held', 'reserve'), refuse: to('failed') },
  held: heldTransitions(to('settled', 'post_reserved'), 'release'),
}

const table: Readonly<Record<TransferKind, Transitions>> = {
  wallet_send: internalTransitions,
  exchange: internalTransitions,
  funded_send: {
    created: {
      settle: to('awaiting_funding', 'request_funds'),
      hold: to('awaiting_funding', 'request_funds'),
      refuse: to('failed'),
    },
    awaiting_funding: {
      settle: to('settled', 'post'),
      hold: to('held', 'credit_sender', 'reserve'),
      fail: to('failed', 'release'),
      keep: to('failed', 'release', 'credit_sender'),
    },
    held: heldTransitions(to('settled', 'post_reserved'), 'release'),
    failed: { keep: to('failed', 'credit_sender') },
  },
  payout: {
    created: { settle: to('processing', 'reserve', 'order_payout'), hold: to('held', 'reserve'), refuse: to('failed') },
    held: heldTransitions(to('processing', 'order_payout'), 'fail_payout', 'release'),
    // `hold`: a payout can still be held before its bank has the order.
    processing: { complete: to('settled', 'post_reserved'), fail: to('failed', 'release'), hold: to('held') },
    settled: { return: to('failed', 'credit_sender') },
  },
  // Deposits that are not held are not transfers.
  deposit: {
    created: { hold: to('held', 'reserve') },
    // `fail`: the bank reversed the debit meanwhile.
    held: {
      settle: to('settled', 'credit_deposit'),
      send_back: to('processing', 'order_return'),
      fail: to('failed', 'credit_deposit'),
    },
    processing: { complete: to('released') },
  },
}

/** Transition for an event in a state; undefined if it is not allowed. */
export const findTransition = (
  kind: TransferKind,
  state: TransferState,
  event: TransferEvent,
): Transition | undefined => table[kind][state]?.[event]

interface HoldPolicy {
  readonly decidedBy: 'sender' | 'operator'
  /** `escalate`: the case goes to a lead, with a new deadline. */
  readonly atDeadline: 'settle' | 'release' | 'escalate'
  /** True if the sender may cancel the transfer while it is held. */
  readonly isCancelable: boolean
}

/** Decider, effect of the deadline, and cancelability of a held transfer, by the reason of its hold. */
export const holdPolicies = {
  undo: { decidedBy: 'sender', atDeadline: 'settle', isCancelable: true },
  scheduled: { decidedBy: 'sender', atDeadline: 'settle', isCancelable: true },
  review: { decidedBy: 'operator', atDeadline: 'release', isCancelable: true },
  compliance: { decidedBy: 'operator', atDeadline: 'escalate', isCancelable: false },
  street_mode: { decidedBy: 'sender', atDeadline: 'release', isCancelable: true },
} as const satisfies Record<HoldReason, HoldPolicy>

/** Reasons for a release, by event. */
export const releaseReasons = { cancel: 'cancelled', reject: 'rejected', expire: 'expired' } as const satisfies Partial<
  Record<TransferEvent, ReleaseReason>
>
