import { transact } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { formatUserPayee, requestDigest, computeStreetHold } from '../../risk/risk.ts'
import { isAcknowledged } from '../warnings/warnings.ts'
import { type Candidate, complianceHold, type TransferRule } from './decide.ts'

/** Refuses transfers out of a stopped account. */
const stoppedAccount: TransferRule = (_ctx, _db, { facts: { stop } }) => stop && { outcome: 'refuse', ...stop }

/**
 * Refuses a send by a present sender while a warning about its payee applies and was not acknowledged for exactly this
 * payment. A scheduled send has no sender who could read one.
 */
const unreadWarning: TransferRule = (_ctx, _db, { transfer, facts: { warning } }) => {
  const { sessionId, source, movementId = '' } = transfer
  if (!warning || sessionId === undefined || isAcknowledged(warning, { source, movementId })) return undefined
  return { outcome: 'refuse', code: 'warning_open' }
}

/**
 * Holds sends, receipts, exchanges and withdrawals of a user whom an open or confirmed case stops. Includes exchanges
 * because frozen funds must not be altered (EU 269/2014, article 1(f)).
 */
const stoppedByCase: TransferRule = (_ctx, _db, { facts }) => (facts.isStoppedByCase ? complianceHold : undefined)

/** Holds payments to a bank account whose holder may be listed; screens the holder first if a list has changed. */
const listedCounterparty: TransferRule = async ({ counterparties }, pool, { transfer: { counterpartyId } }) => {
  if (counterpartyId === undefined) return undefined
  // In a transaction of its own, so that a new case remains if the payment fails.
  const isStopped = await transact(pool, (tx) => counterparties.areStopped(tx, counterpartyId))
  return isStopped ? complianceHold : undefined
}

/** Holds a payment that would complete a pattern, and opens a case about it. */
const matchesPattern: TransferRule = (_ctx, _db, { facts: { opens } }) => opens && { ...complianceHold, opens }

/**
 * Holds a payment while the screening lists are stale, and until its parties have been screened against fresh ones.
 * Exchanges have no payee and pass.
 */
const listsTooOld: TransferRule = async ({ lists }, db, { transfer }) => {
  const { kind, senderId, recipientId = senderId } = transfer
  return kind !== 'exchange' && (await lists.hold(db, [senderId, recipientId])) ? complianceHold : undefined
}

function digestTransfer({ kind, recipientId, counterpartyId, source, paidFrom = 'wallet' }: Candidate): Buffer {
  const payee = recipientId === undefined ? counterpartyId : formatUserPayee(recipientId)
  return requestDigest({ kind, payee, amount: source, source: paidFrom })
}

/**
 * Holds a payment in street mode for a second proof: above the sender's own limit, away from trusted places, or at
 * night. Exchanges pass.
 */
const streetMode: TransferRule = async ({ now }, db, { transfer, facts }) => {
  if (transfer.kind === 'exchange' || !facts.usesStreetMode) return undefined
  const { senderId: userId, usdMinor, network } = transfer
  const movementId = transfer.movementId ?? newId(now())
  const streetDecision = await computeStreetHold(
    db,
    { movementId, digest: digestTransfer(transfer), userId, usdMinor, network },
    now(),
  )
  if (!streetDecision) return undefined
  const { seconds, confirmAfterSeconds } = streetDecision
  return { outcome: 'hold', reason: 'street_mode', until: { seconds }, confirmAfterSeconds }
}

/** Extends a rule that holds for a case: once cleared, the transfer waits for street mode's second proof if needed. */
const withStreetMode =
  (rule: TransferRule): TransferRule =>
  async (ctx, db, question) => {
    const decision = await rule(ctx, db, question)
    if (decision?.outcome !== 'hold') return decision
    const streetDecision = await streetMode(ctx, db, question)
    return streetDecision?.outcome === 'hold'
      ? { ...decision, confirmAfterSeconds: streetDecision.confirmAfterSeconds }
      : decision
  }

/** Rules that hold for a case. The rule for stale lists is last, so that it prevents no case from being opened. */
const caseRules = [stoppedByCase, listedCounterparty, matchesPattern, listsTooOld]

/** All rules in order. The first decision counts. */
export const transferRules: readonly TransferRule[] = [
  stoppedAccount,
  unreadWarning,
  ...caseRules.map(withStreetMode),
  streetMode,
]
