import { newId } from '../../../platform/ids.ts'
import { payeeOfUser, requestDigest, streetHold } from '../../risk/risk.ts'
import { type Candidate, heldForCases, type TransferRule } from './decide.ts'
import { listsTooOld } from './list-rule.ts'

/** Nothing leaves an account that is stopped; the recipient sees nothing of it. */
const stoppedAccount: TransferRule = (_transfer, _context, { stop }) => stop && { outcome: 'refuse', ...stop }

/**
 * An open or confirmed case stops all that its person sends, gets from others, exchanges or withdraws. An exchange leaves
 * nothing, but to freeze funds is to leave them as they are (EU 269/2014, article 1(f)).
 */
const stoppedByCase: TransferRule = (_transfer, _context, { isStoppedByCase }) =>
  isStoppedByCase ? heldForCases : undefined

/** Nothing leaves to somebody without an account whom a list may mean; they are screened first where a list has changed. */
const listedCounterparty: TransferRule = async ({ counterpartyId }, { counterparties }) =>
  counterpartyId !== undefined && (await counterparties.areStoppedNow(counterpartyId)) ? heldForCases : undefined

/** Money that would complete a pattern waits with the case about it. What is exchanged stays its owner's. */
const completesPattern: TransferRule = (_transfer, _context, { opens }) => opens && { ...heldForCases, opens }

const digestOf = ({ kind, recipientId, counterpartyId, source, paidFrom = 'wallet' }: Candidate): Buffer => {
  const payee = recipientId === undefined ? counterpartyId : payeeOfUser(recipientId)
  return requestDigest({ kind, payee, amount: source, source: paidFrom })
}

/**
 * Street mode: what is above the sender's own limit, away from their places or at night, waits for a second proof. What is exchanged
 * stays theirs, and is judged when it leaves.
 */
const streetMode: TransferRule = async (transfer, { pool, now }, { usesStreetMode }) => {
  if (transfer.kind === 'exchange' || !usesStreetMode) return undefined
  const { senderId: userId, usdMinor, network } = transfer
  const movementId = transfer.movementId ?? newId(now())
  const held = await streetHold(pool, { movementId, digest: digestOf(transfer), userId, usdMinor, network }, now())
  if (!held) return undefined
  const { seconds, confirmAfterSeconds } = held
  return { outcome: 'hold', reason: 'street_mode', until: { seconds }, confirmAfterSeconds }
}

/**
 * What a case would hold is judged by street mode too: what that would have held waits for its second proof once the case is
 * cleared.
 */
const alsoInTheStreet =
  (rule: TransferRule): TransferRule =>
  async (transfer, context, facts) => {
    const decided = await rule(transfer, context, facts)
    if (decided?.outcome !== 'hold') return decided
    const street = await streetMode(transfer, context, facts)
    return street?.outcome === 'hold' ? { ...decided, confirmAfterSeconds: street.confirmAfterSeconds } : decided
  }

/** Rules that hold for a case, then the rule for stale lists, so that a case is opened all the same. */
const caseRules = [stoppedByCase, listedCounterparty, completesPattern, listsTooOld]

/** Every rule that `decide` asks, in this order. The first that answers decides. */
export const transferRules: readonly TransferRule[] = [stoppedAccount, ...caseRules.map(alsoInTheStreet), streetMode]
