import type { releaseReason } from '@tern/contract/transactions'
import type { holdReason } from '@tern/contract/transactions'
import type { transferKind, transferState } from '@tern/contract/transfers'
import type * as z from 'zod/mini'

// What may happen to a transfer, and what follows. Nothing else decides about the states of a transfer.

export type TransferKind = z.output<typeof transferKind>
export type TransferState = z.output<typeof transferState>
export type HoldReason = z.output<typeof holdReason>
export type ReleaseReason = z.output<typeof releaseReason>

export const transferEvents = [
  /** Nothing stands in the way: `decide` says so, the money has come, or whoever may decide has approved. */
  'settle',
  /** `decide` wants it to wait; of a funded send, its money has come and has to wait. */
  'hold',
  'refuse',
  'cancel',
  'reject',
  'expire',
  /** The payment was not made, or the bank did not take the payout. */
  'fail',
  /** The money came too late, for nobody, or after the sender had cancelled: it is the sender's. */
  'keep',
  /** The bank has the money of a payout. */
  'complete',
  /** The bank sent a payout back. */
  'return',
  /** What came from a bank account goes back there. */
  'send_back',
] as const
export type TransferEvent = (typeof transferEvents)[number]

export type Effect =
  /** Money moves from sender to recipient. */
  | 'post'
  /** The amount and the fee are set aside and shown as pending. */
  | 'reserve'
  /** What was set aside moves to the recipient. */
  | 'post_reserved'
  /** What was set aside is in the wallet again, and counts against no limit. */
  | 'release'
  | 'request_funds'
  /** What came from outside is a deposit of the sender. */
  | 'credit_sender'
  | 'order_payout'
  /** What was set aside of a deposit is in the wallet, at its promised price where it is converted. */
  | 'credit_deposit'
  /** What was set aside of a deposit goes to the bank account that it came from. */
  | 'order_return'
  | 'fail_payout'

export interface Transition {
  readonly next: TransferState
  readonly effects: readonly Effect[]
}

type Transitions = Partial<Record<TransferState, Partial<Record<TransferEvent, Transition>>>>

const to = (next: TransferState, ...effects: Effect[]): Transition => ({ next, effects })

const whileHeld = (settled: Transition, ...released: Effect[]): Partial<Record<TransferEvent, Transition>> => {
  const release = to('released', ...released)
  return { settle: settled, cancel: release, reject: release, expire: release }
}

const withinWallets: Transitions = {
  created: { settle: to('settled', 'post'), hold: to('held', 'reserve'), refuse: to('failed') },
  held: whileHeld(to('settled', 'post_reserved'), 'release'),
}

const table: Readonly<Record<TransferKind, Transitions>> = {
  wallet_send: withinWallets,
  exchange: withinWallets,
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
    held: whileHeld(to('settled', 'post_reserved'), 'release'),
    failed: { keep: to('failed', 'credit_sender') },
  },
  payout: {
    created: { settle: to('processing', 'reserve', 'order_payout'), hold: to('held', 'reserve'), refuse: to('failed') },
    held: whileHeld(to('processing', 'order_payout'), 'fail_payout', 'release'),
    // Held after all: its bank has not been asked yet.
    processing: { complete: to('settled', 'post_reserved'), fail: to('failed', 'release'), hold: to('held') },
    settled: { return: to('failed', 'credit_sender') },
  },
  // One that nothing holds is no transfer.
  deposit: {
    created: { hold: to('held', 'reserve') },
    // `fail`: its bank took it back meanwhile.
    held: {
      settle: to('settled', 'credit_deposit'),
      send_back: to('processing', 'order_return'),
      fail: to('failed', 'credit_deposit'),
    },
    processing: { complete: to('released') },
  },
}

/** What follows when this happens to a transfer in this state; undefined when it cannot. */
export const transitionOf = (kind: TransferKind, state: TransferState, event: TransferEvent): Transition | undefined =>
  table[kind][state]?.[event]

interface HoldPolicy {
  readonly decidedBy: 'sender' | 'operator'
  /** `escalate`: the case that it waits for goes to a lead, by a further deadline. */
  readonly atDeadline: 'settle' | 'release' | 'escalate'
  /** Whether its sender may cancel it meanwhile. */
  readonly isCancelable: boolean
}

/** Who decides about a held transfer, and what happens when nobody has by its deadline. */
export const holdPolicies = {
  undo: { decidedBy: 'sender', atDeadline: 'settle', isCancelable: true },
  scheduled: { decidedBy: 'sender', atDeadline: 'settle', isCancelable: true },
  review: { decidedBy: 'operator', atDeadline: 'release', isCancelable: true },
  compliance: { decidedBy: 'operator', atDeadline: 'escalate', isCancelable: false },
  street_mode: { decidedBy: 'sender', atDeadline: 'release', isCancelable: true },
} as const satisfies Record<HoldReason, HoldPolicy>

/** What happened to a transfer that was released. */
export const releaseReasons = { cancel: 'cancelled', reject: 'rejected', expire: 'expired' } as const satisfies Partial<
  Record<TransferEvent, ReleaseReason>
>
