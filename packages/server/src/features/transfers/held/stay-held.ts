import { onlyRow, type Tx } from '../../../platform/database/db.ts'
import { areStopped, linkToOpenCases } from '../../compliance/compliance.ts'
import { readStreetPolicy } from '../../risk/risk.ts'
import type { HeldContext } from './context.ts'
import { type HeldTransfer, holdForCases, holdForSecondProof, recordSecondProof, listParties } from './held-rows.ts'

type WaitContext = Pick<HeldContext, 'counterparties' | 'lists' | 'screenOutdated'>

interface DueHold {
  readonly held: HeldTransfer
  readonly at: Date
}

/**
 * True if a transfer that is due to settle must stay held: for cases that stop its parties, for fresh lists, or for
 * street mode's second proof. Records the new reason.
 */
export async function mustStayHeld(ctx: WaitContext, tx: Tx, dueHold: DueHold): Promise<boolean> {
  const { held, at } = dueHold
  if (held.kind === 'deposit') return (await ctx.lists.areTooOld(tx)) || payerMustWait(ctx, tx, dueHold)
  const people = listParties(held)
  const isExchange = held.kind === 'exchange'
  const areListsTooOld = !isExchange && (await ctx.lists.areTooOld(tx))
  // If the transfer was held for stale lists, its parties may not have been screened since.
  if (!areListsTooOld && held.hold_reason === 'compliance') await ctx.screenOutdated(tx, people)
  if (areListsTooOld || (await areStopped(tx, people)) || (!isExchange && (await ctx.lists.hold(tx, people)))) {
    const isWaiting = await holdForCases(tx, held, { at, listDeadline: ctx.lists.expectedBy() })
    if (isWaiting && held.hold_reason === 'street_mode') await recordSecondProof(tx, held, at)
    return true
  }
  if (held.hold_reason !== 'compliance') return false
  if (held.kind === 'funded_send' && (await payerMustWait(ctx, tx, dueHold))) return true
  const { confirm_hours: hours } = await readStreetPolicy(tx)
  return holdForSecondProof(tx, held, hours, at)
}

/** True if a case under the current lists stops the holder of the bank account that paid. */
async function payerMustWait(
  { counterparties }: WaitContext,
  tx: Tx,
  { held: { id, payment_id: paymentId }, at }: DueHold,
): Promise<boolean> {
  const { rows } = await tx.query<{ id: string | null }>('select bank_account_id as id from payment where id = $1', [
    paymentId,
  ])
  const { id: counterpartyId } = onlyRow(rows)
  if (counterpartyId === null || !(await counterparties.areStopped(tx, counterpartyId))) return false
  await linkToOpenCases(tx, id, { people: [], counterpartyId }, at)
  return true
}
