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

/** What may keep a held transfer from settling. */
export interface WaitOptions {
  readonly counterparties: Pick<Counterparties, 'areStopped'>
  readonly lists: Pick<ListGate, 'hold' | 'areTooOld' | 'expectedBy'>
  readonly screenBehind: Compliance['screenBehind']
}

/**
 * Whether a held transfer that would settle waits on: for cases that stop its people, for lists that are fresh enough to find such
 * cases, or, where nothing else held it, for the second proof of street mode.
 */
export async function waitsOn(options: WaitOptions, tx: Tx, held: HeldTransfer, at: Date): Promise<boolean> {
  if (held.kind === 'deposit') return depositWaitsOn(options, tx, held, at)
  const people = peopleOf(held)
  const isExchange = held.kind === 'exchange'
  const areListsTooOld = !isExchange && (await options.lists.areTooOld(tx))
  // It may have been held for want of lists, and its people not compared with them since.
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

/** Whether a deposit waits for lists, or for a case about the holder of its bank account that a list which changed since opens. */
const depositWaitsOn = async (options: WaitOptions, tx: Tx, held: HeldTransfer, at: Date): Promise<boolean> =>
  (await options.lists.areTooOld(tx)) || payerWaitsOn(options, tx, held, at)

/** Whether a case stops the holder of the bank account that paid, if one did, screened by the lists in force: then it waits for that. */
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
