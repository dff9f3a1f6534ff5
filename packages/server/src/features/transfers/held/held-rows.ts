import type { Money } from '@tern/money/money'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { isUuid } from '../../../platform/ids.ts'
import { linkToOpenCases, openCase } from '../../compliance/compliance.ts'
import { type Price, priceText } from '../../exchange/exchange.ts'
import { type Description, serializeDescription } from '../../wallets/description.ts'
import { type Candidate, complianceHold, type Hold } from '../decision/decide.ts'
import { type ReleaseReason, type TransferEvent, findTransition } from '../decision/transitions.ts'
import type { TransferRow } from '../row-types.ts'

/** Transfer that is or was held, as stored. */
export type HeldTransfer = TransferRow & {
  /** Seconds until street mode's second proof can be given, if it needs one. */
  readonly confirm_after_seconds?: number | null
}

interface NewHold {
  /** Id of the transaction. */
  readonly id: string
  readonly candidate: Candidate
  /** Held amount, fee included. */
  readonly amount: Money
  readonly price?: Price | undefined
  readonly quoteId?: string | undefined
  readonly paymentId?: string
  readonly description: Description
  readonly requestHash: Buffer
  readonly at: Date
}

/** Stores a transfer and its hold, which begins now or, for a funded send, when its money arrives. */
export async function recordHold(tx: Tx, newHold: NewHold, hold: Hold): Promise<void> {
  const { reason, until, opens, confirmAfterSeconds } = hold
  const { id, candidate, amount, price, quoteId, paymentId, description, requestHash, at } = newHold
  const { kind, senderId, recipientId, usdMinor } = candidate
  const state = findTransition(kind, 'created', 'hold')?.next
  const deadline = until instanceof Date ? until : new Date(at.getTime() + until.seconds * 1000)
  await insertRow(tx, 'transfer', {
    ...{ id, kind, state, sender_id: senderId, recipient_id: recipientId, payment_id: paymentId, quote_id: quoteId },
    ...{ amount_minor: amount.minor, currency: amount.currency, usd_minor: usdMinor },
    ...{ locked_price: price && priceText(price), description: serializeDescription(description) },
    ...{ request_hash: requestHash, hold_reason: reason, held_until: deadline, created_at: at, updated_at: at },
    held_at: state === 'held' ? at : null,
  })
  if (confirmAfterSeconds !== undefined)
    await insertRow(tx, 'street_hold', { transfer_id: id, confirm_after_seconds: confirmAfterSeconds })
  if (reason !== 'compliance') return
  // A deposit is not held for cases about its owner, only for those about the holder of the bank account.
  const people = kind === 'deposit' ? [] : recipientId === undefined ? [senderId] : [senderId, recipientId]
  await linkToOpenCases(tx, id, { people, counterpartyId: candidate.counterpartyId }, at)
  if (opens) await openCase(tx, { ...opens, transferId: id }, at)
}

/**
 * Holds an unsubmitted payout for the cases that stop its owner or the holder of its bank account. Reuses the row of an
 * earlier hold.
 */
export async function recordOrderedHold(tx: Tx, newHold: NewHold, at: Date): Promise<void> {
  const next = findTransition('payout', 'processing', 'hold')?.next
  const { rowCount } = await tx.query(
    `update transfer set state = $2, hold_reason = 'compliance', held_at = $3, updated_at = $3, decided_at = null,
         decided_by = null, decision_note = null where id = $1 and state = 'processing'`,
    [newHold.id, next, at],
  )
  const { senderId, counterpartyId } = newHold.candidate
  if (rowCount === 1) await linkToOpenCases(tx, newHold.id, { people: [senderId], counterpartyId }, at)
  else await recordHold(tx, newHold, complianceHold)
}

/**
 * Changes the reason of a held transfer to `compliance`: it waits for the cases that stop its sender or recipient or,
 * without a case, for fresh lists, due by `listDeadline`. False if it has ended, or its reason has changed meanwhile.
 */
export async function holdForCases(
  tx: Tx,
  heldTransfer: HeldTransfer,
  { at, listDeadline }: { at: Date; listDeadline: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update transfer set hold_reason = 'compliance', updated_at = $2,
         held_until = case hold_reason when 'compliance' then held_until else $4 end
      where id = $1 and state = 'held' and hold_reason = $3`,
    [heldTransfer.id, at, heldTransfer.hold_reason, listDeadline],
  )
  if (rowCount !== 1) return false
  await linkToOpenCases(tx, heldTransfer.id, { people: listParties(heldTransfer) }, at)
  return true
}

/**
 * Turns a `compliance` hold into one for street mode's second proof, which can be given for `confirmHours`. False if
 * the transfer needs no proof, or already has it.
 */
export async function holdForSecondProof(tx: Tx, { id }: HeldTransfer, confirmHours: number, at: Date) {
  const { rowCount } = await tx.query(
    `update transfer
        set hold_reason = 'street_mode', held_at = $2, updated_at = $2,
            held_until = $2::timestamptz + make_interval(hours => $3, secs => confirm_after_seconds)
       from street_hold
      where id = $1 and state = 'held' and hold_reason = 'compliance' and transfer_id = id and confirmed_at is null`,
    [id, at, confirmHours],
  )
  return rowCount === 1
}

/** Records the second proof, so that a later hold for a case does not require it again. */
export async function recordSecondProof(tx: Tx, { id }: HeldTransfer, at: Date): Promise<void> {
  await tx.query('update street_hold set confirmed_at = $2 where transfer_id = $1', [id, at])
}

/** Returns the sender and, if there is one, the recipient. */
export const listParties = ({
  sender_id: senderId,
  recipient_id: recipientId,
}: Pick<HeldTransfer, 'sender_id' | 'recipient_id'>) => (recipientId === null ? [senderId] : [senderId, recipientId])

/** Moves a transfer out of `awaiting_funding`. Its deadline counts from the arrival of its money. */
async function endFunding(tx: Tx, { id, at, price, quoteId }: FundedSend, event: 'hold' | 'fail'): Promise<void> {
  const next = findTransition('funded_send', 'awaiting_funding', event)?.next
  const { rowCount } = await tx.query(
    `update transfer set state = $2, updated_at = $3, held_at = $4,
         held_until = coalesce($4::timestamptz + (held_until - created_at), held_until),
         locked_price = coalesce($5, locked_price), quote_id = coalesce($6, quote_id)
      where id = $1 and state = 'awaiting_funding'`,
    [id, next, at, next === 'held' ? at : null, price && priceText(price), quoteId],
  )
  if (rowCount !== 1) throw new Error(`transfer ${id} does not await its funding`)
  // The latest deadline of the open cases that were linked during funding replaces the hold's.
  await tx.query(
    `update transfer set held_until = due.until
       from (select max(coalesce(c.need_by, c.decide_by)) as until
               from compliance_case_transfer l join compliance_case c on c.id = l.case_id
              where l.transfer_id = $1 and c.state = 'open') as due
      where id = $1 and state = 'held' and hold_reason = 'compliance' and due.until is not null`,
    [id],
  )
}

interface FundedSend {
  readonly id: string
  readonly at: Date
  /** Set if the send was priced when its money arrived. */
  readonly price?: Price | undefined
  readonly quoteId?: string | undefined
}

/** Starts the hold of a funded send whose money has arrived. */
export const startHold = (tx: Tx, fundedSend: FundedSend): Promise<void> => endFunding(tx, fundedSend, 'hold')

/** Fails a funded send whose money did not arrive. */
export const failUnfunded = (tx: Tx, id: string, at: Date): Promise<void> => endFunding(tx, { id, at }, 'fail')

/** Returns any user's transfer that is or was held; undefined if there is none with this id. */
export async function findHeld(db: Db, id: string): Promise<HeldTransfer | undefined> {
  if (!isUuid(id)) return undefined
  const { rows } = await db.query<HeldTransfer>(
    'select transfer.*, confirm_after_seconds from transfer left join street_hold on transfer_id = id where id = $1',
    [id],
  )
  return rows[0]
}

/** Earliest time for the second proof of street mode; undefined for other holds. */
export function computeConfirmFrom({
  confirm_after_seconds: seconds,
  hold_reason: reason,
  held_at: heldAt,
  created_at: createdAt,
}: Pick<HeldTransfer, 'confirm_after_seconds' | 'hold_reason' | 'held_at' | 'created_at'>): Date | undefined {
  return typeof seconds === 'number' && reason === 'street_mode'
    ? new Date((heldAt ?? createdAt).getTime() + seconds * 1000)
    : undefined
}

/** Decider of a held transfer: its sender, its deadline, or an operator with a note. */
export interface HoldDecider {
  readonly name: string
  readonly note?: string
}

interface HoldDecision {
  readonly event: TransferEvent
  readonly reason: ReleaseReason | null
  readonly by: HoldDecider
  readonly at: Date
  readonly onlyBefore: boolean
}

/**
 * Locks a held transfer and records its outcome. False if it was decided before, if its hold reason has changed or,
 * with `onlyBefore`, if its deadline has passed.
 */
export async function decideRow(
  tx: Tx,
  { id, kind, hold_reason: holdReason }: HeldTransfer,
  { event, reason, by, at, onlyBefore }: HoldDecision,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update transfer set state = $2, release_reason = $3, decided_by = $4, decision_note = $5, decided_at = $6, updated_at = $6
      where id = $1 and state = 'held' and hold_reason = $8 and (held_until > $6 or not $7)`,
    [id, findTransition(kind, 'held', event)?.next, reason, by.name, by.note ?? null, at, onlyBefore, holdReason],
  )
  return rowCount === 1
}
