import type { Check } from '@tern/contract/compliance/checks'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Transaction } from '@tern/contract/transactions'
import type { transferStatus } from '@tern/contract/transfers'
import type pg from 'pg'
import { refuse } from '../../platform/refuse.ts'
import { findTransaction } from '../wallets/wallets.ts'
import { computeConfirmFrom, findHeld, type HeldTransfer } from './held/held-rows.ts'
import type { HeldContext, OwnTransfer } from './held/context.ts'
import { endIfDue } from './held/held-transfers.ts'
import { holdPolicies, type TransferKind, type TransferState } from './decision/transitions.ts'

/** A transfer as its sender sees it. */
export type TransferView = Reply<typeof transferStatus>

/** Transfer with a payment or payout: funded by a card or bank account, or paid to a bank account. */
export interface OutsideTransfer
  extends
    Pick<TransferView, 'id' | 'reason'>,
    Partial<Pick<TransferView, 'captured' | 'reversed' | 'redirectUrl' | 'expected_on'>> {
  readonly kind: TransferKind
  /** State of the payment or payout, regardless of a hold. */
  readonly state: TransferState
  readonly paymentId: string
  /** Transaction to show while the list has none. */
  readonly unlisted?: Transaction | undefined
}

/**
 * Reads the status of a user's transfer; ends it first if its deadline has passed, without waiting for a worker.
 * Refuses `not_found`.
 */
export async function readTransferStatus(
  ctx: HeldContext,
  pool: pg.Pool,
  { userId, id }: OwnTransfer,
): Promise<TransferView> {
  const externalTransfer = await ctx.payments.findTransfer({ userId, id })
  const transferId = externalTransfer?.id ?? id
  const transferBefore = await findHeld(pool, transferId)
  if (transferBefore) await endIfDue(ctx, pool, transferBefore)
  const [listedTransaction, heldTransfer] = await Promise.all([
    findTransaction(pool, { userId, id: transferId }),
    findHeld(pool, transferId),
  ])
  const check = heldTransfer?.hold_reason === 'compliance' ? await ctx.cases.ofTransfer(userId, transferId) : undefined
  const transaction = listedTransaction ?? externalTransfer?.unlisted ?? refuse('not_found')
  const kind = heldTransfer?.kind ?? externalTransfer?.kind ?? toTransferKind(transaction) ?? refuse('not_found')
  return {
    id: transaction.id,
    kind,
    state: heldTransfer?.state ?? externalTransfer?.state ?? stateByStatus[transaction.status],
    hold: heldTransfer ? toHoldView(heldTransfer, check, ctx.now()) : null,
    release_reason: heldTransfer?.release_reason ?? transaction.release_reason,
    reason: externalTransfer?.reason ?? null,
    transaction,
    payment_id: externalTransfer?.paymentId ?? heldTransfer?.payment_id ?? null,
    captured: externalTransfer?.captured ?? false,
    reversed: externalTransfer?.reversed ?? false,
    redirectUrl: externalTransfer?.redirectUrl ?? null,
    expected_on: externalTransfer?.expected_on ?? null,
  }
}

/** State of a transfer that was never held. A `created` one is an exchange order that waits for its rate. */
const stateByStatus = { PENDING: 'created', COMPLETED: 'settled', FAILED: 'released' } as const

/** Kind of a wallet transfer for its payer; undefined for all other transactions. */
const toTransferKind = ({ transaction_type: type, payment_id: paymentId }: Transaction): TransferKind | undefined =>
  paymentId !== null ? undefined : type === 'SEND' ? 'wallet_send' : type === 'EXCHANGE' ? 'exchange' : undefined

function toHoldView(heldTransfer: HeldTransfer, check: Check | undefined, at: Date): TransferView['hold'] {
  const { state, hold_reason: reason, held_until: until } = heldTransfer
  if (state !== 'held' && state !== 'awaiting_funding') return null
  const { decidedBy, atDeadline } = holdPolicies[reason]
  const lasts_ms = until.getTime() - (heldTransfer.held_at ?? heldTransfer.created_at).getTime()
  const remaining_ms = state === 'held' ? Math.max(0, until.getTime() - at.getTime()) : lasts_ms
  const confirmFrom = computeConfirmFrom(heldTransfer)
  return {
    reason,
    decided_by: decidedBy,
    until: until.toISOString(),
    lasts_ms,
    remaining_ms,
    at_deadline: atDeadline,
    check: check ?? null,
    confirm_from: confirmFrom ? confirmFrom.toISOString() : null,
  }
}
