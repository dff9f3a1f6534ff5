import { only, type Tx } from '../../../platform/database/db.ts'
import {
  areStopped,
  type Compliance,
  type Counterparties,
  linkToStops,
  type ListGate,
} from '../../compliance/compliance.ts'
import { readStreetPolicy } from '../../risk/risk.ts'
import { type HeldTransfer, holdForCases, holdForSecondProof, keepSecondProof, peopleOf } from './held-rows.ts'

/** Checks that may keep a held transfer from settling. */
export interface WaitOptions {
  readonly counterparties: Pick<Counterparties, 'areStopped'>
  readonly lists: Pick<ListGate, 'hold' | 'areTooOld' | 'expectedBy'>
  readonly screenBehind: Compliance['screenBehind']
}

/**
 * Whether a held transfer that is due to settle keeps waiting: for cases that stop its parties, for fresh lists, or, if it was held
 * for no other reason, for the second proof of street mode.
 */
export async function waitsOn(options: WaitOptions, tx: Tx, held: HeldTransfer, at: Date): Promise<boolean> {
  if (held.kind === 'deposit') return depositWaitsOn(options, tx, held, at)
  const people = peopleOf(held)
  const isExchange = held.kind === 'exchange'
  const areListsTooOld = !isExchange && (await options.lists.areTooOld(tx))
  // It may have been held for stale lists, with its parties not yet screened since.
  if (!areListsTooOld && held.hold_reason === 'compliance') await options.screenBehind(tx, people)
  if (areListsTooOld || (await areStopped(tx, people)) || (!isExchange && (await options.lists.hold(tx, people)))) {
    const waits = await holdForCases(tx, held, { at, expectedBy: options.lists.expectedBy() })
    if (waits && held.hold_reason === 'street_mode') await keepSecondProof(tx, held, at)
    return true
  }
  if (held.hold_reason !== 'compliance') return false
  if (held.kind === 'funded_send' && (await payerWaitsOn(options, tx, held, at))) return true
  const { confirm_hours: hours } = await readStreetPolicy(tx)
  return holdForSecondProof(tx, held, hours, at)
}

/** Whether a deposit waits for lists, or for a case that a changed list opens about the holder of its bank account. */
const depositWaitsOn = async (options: WaitOptions, tx: Tx, held: HeldTransfer, at: Date): Promise<boolean> =>
  (await options.lists.areTooOld(tx)) || payerWaitsOn(options, tx, held, at)

/** Whether a case under the lists in force stops the holder of the bank account that paid, if any. */
async function payerWaitsOn(
  { counterparties }: WaitOptions,
  tx: Tx,
  { id, payment_id: paymentId }: HeldTransfer,
  at: Date,
): Promise<boolean> {
  const { rows } = await tx.query<{ id: string | null }>('select bank_account_id as id from payment where id = $1', [
    paymentId,
  ])
  const { id: counterpartyId } = only(rows)
  if (counterpartyId === null || !(await counterparties.areStopped(tx, counterpartyId))) return false
  await linkToStops(tx, id, { people: [], counterpartyId }, at)
  return true
}
