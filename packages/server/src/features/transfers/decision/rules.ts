import { newId } from '../../../platform/ids.ts'
import { payeeOfUser, requestDigest, streetHold } from '../../risk/risk.ts'
import { type Candidate, heldForCases, type TransferRule } from './decide.ts'

/** Refuses transfers out of a stopped account; the recipient sees nothing of them. */
const stoppedAccount: TransferRule = (_ctx, _db, { facts: { stop } }) => stop && { outcome: 'refuse', ...stop }

/**
 * An open or confirmed case stops all that its person sends, gets from others, exchanges or withdraws. An exchange leaves
 * nothing, but to freeze funds is to leave them as they are (EU 269/2014, article 1(f)).
 */
const stoppedByCase: TransferRule = (_ctx, _db, { facts }) => (facts.isStoppedByCase ? heldForCases : undefined)

/** Holds payments to a bank account whose holder a list may mean; screens the holder first if a list has changed. */
const listedCounterparty: TransferRule = async ({ counterparties }, _db, { transfer: { counterpartyId } }) =>
  counterpartyId !== undefined && (await counterparties.areStoppedNow(counterpartyId)) ? heldForCases : undefined

/** Holds a payment that would complete a pattern, and opens the case about it. */
const completesPattern: TransferRule = (_ctx, _db, { facts: { opens } }) => opens && { ...heldForCases, opens }

/**
 * Holds a payment while the screening lists are stale, and until its parties have been screened against fresh ones. Exchanges
 * have no payee and pass.
 */
const listsTooOld: TransferRule = async ({ lists }, db, { transfer }) => {
  const { kind, senderId, recipientId = senderId } = transfer
  return kind !== 'exchange' && (await lists.hold(db, [senderId, recipientId])) ? heldForCases : undefined
}

function digestOf({ kind, recipientId, counterpartyId, source, paidFrom = 'wallet' }: Candidate): Buffer {
  const payee = recipientId === undefined ? counterpartyId : payeeOfUser(recipientId)
  return requestDigest({ kind, payee, amount: source, source: paidFrom })
}

/**
 * Street mode: a payment above the sender's own limit, away from their places or at night, waits for a second proof. An exchange
 * pays nobody and passes.
 */
const streetMode: TransferRule = async ({ now }, db, { transfer, facts }) => {
  if (transfer.kind === 'exchange' || !facts.usesStreetMode) return undefined
  const { senderId: userId, usdMinor, network } = transfer
  const movementId = transfer.movementId ?? newId(now())
  const held = await streetHold(db, { movementId, digest: digestOf(transfer), userId, usdMinor, network }, now())
  if (!held) return undefined
  const { seconds, confirmAfterSeconds } = held
  return { outcome: 'hold', reason: 'street_mode', until: { seconds }, confirmAfterSeconds }
}

/** Also judges by street mode what a case holds: once the case is cleared, it waits for the second proof if it needs one. */
const alsoInTheStreet =
  (rule: TransferRule): TransferRule =>
  async (ctx, db, asked) => {
    const decided = await rule(ctx, db, asked)
    if (decided?.outcome !== 'hold') return decided
    const street = await streetMode(ctx, db, asked)
    return street?.outcome === 'hold' ? { ...decided, confirmAfterSeconds: street.confirmAfterSeconds } : decided
  }

/** Rules that hold for a case, then the rule for stale lists, so that a case is opened all the same. */
const caseRules = [stoppedByCase, listedCounterparty, completesPattern, listsTooOld]

/** Every rule of the product, in order. The first that answers decides. */
export const transferRules: readonly TransferRule[] = [stoppedAccount, ...caseRules.map(alsoInTheStreet), streetMode]
