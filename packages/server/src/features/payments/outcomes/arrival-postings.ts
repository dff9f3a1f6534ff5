import { release, reserve } from '@tern/ledger/holds'
import { lockAccounts } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import type { Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { startHold } from '../../transfers/transfers.ts'
import type { NewTransaction } from '../../wallets/move.ts'
import type { PaymentContext } from '../context.ts'
import { postHeldPull } from '../held-pulls/held-pulls.ts'
import {
  listLegAccounts,
  toCaptured,
  depositLegs,
  depositRow,
  buildFundingLegs,
  buildHoldLeg,
  inflowLeg,
  toLateRow,
  buildMovement,
  postMovementOnce,
  postPromised,
  buildSendRows,
} from '../records/payment-postings.ts'
import { toAmount, markListed, postingIds, deriveTransactionId } from '../records/payment-rows.ts'
import type { ArrivedPayment } from './settle-arrival.ts'

/** Posting plan for money that has arrived. */
export interface Arrival {
  /**
   * Destination: as ordered, on hold for the transfer that it pays, on hold for a check of the bank account's holder,
   * or the payer's wallet.
   */
  readonly as: 'settlement' | 'transfer_hold' | 'held_pull' | 'deposit'
  /** True if the money stays with the payer, because the payment or its send has failed. */
  readonly isLate: boolean
  readonly transactionId: string
  readonly legs: readonly Leg[]
}

export async function planArrival(
  ctx: PaymentContext,
  tx: Tx,
  { arrived, isLate }: { readonly arrived: ArrivedPayment; readonly isLate: boolean },
): Promise<Arrival> {
  const { payment, priced, payer, stop, send } = arrived
  const { wallet } = payer
  const transactionId = isLate ? newId(arrived.at) : deriveTransactionId(payment)
  const planned = { isLate, transactionId }
  if (stop === 'in_check') {
    const reserveLeg = await buildHoldLeg(ctx, tx, { step: reserve, wallet, amount: toAmount(payment) })
    return { ...planned, as: 'held_pull', legs: [await inflowLeg(ctx, tx, { payment, wallet }), reserveLeg] }
  }
  if (isLate)
    return { ...planned, as: 'deposit', legs: await depositLegs(ctx, tx, { payment: toCaptured(priced), wallet }) }
  if (!send) return { ...planned, as: 'settlement', legs: await depositLegs(ctx, tx, { payment: priced, wallet }) }
  const inflow = await inflowLeg(ctx, tx, { payment, wallet })
  if (payment.holds_transfer) {
    const reserveLeg = await buildHoldLeg(ctx, tx, { step: reserve, wallet, amount: toAmount(payment) })
    return { ...planned, as: 'transfer_hold', legs: [inflow, reserveLeg] }
  }
  const releaseLegs = await buildFundingLegs(ctx, tx, { step: release, payment, wallet })
  const sendLegs = await ctx.exchange.legs(tx, { price: send.price, from: wallet, to: send.recipient.wallet })
  return { ...planned, as: 'settlement', legs: [inflow, ...releaseLegs, ...sendLegs] }
}

export interface ArrivalPosting {
  readonly arrived: ArrivedPayment
  readonly arrival: Arrival
}

export function postArrival(ctx: PaymentContext, tx: Tx, { arrived, arrival }: ArrivalPosting): Promise<void> {
  switch (arrival.as) {
    case 'settlement':
      return postSettlement(ctx, tx, { arrived, arrival })
    case 'transfer_hold':
      return postTransferHold(ctx, tx, { arrived, arrival })
    case 'held_pull':
      return postHeldPull(ctx, tx, { arrived, arrival })
    case 'deposit':
      return postDeposit(ctx, tx, { arrived, arrival })
  }
}

export const isRepriced = ({ payment, priced }: ArrivedPayment): boolean => priced.locked_price !== payment.locked_price

/** Posts money as ordered. Transactions listed as pending get the final price. */
async function postSettlement(ctx: PaymentContext, tx: Tx, { arrived, arrival }: ArrivalPosting): Promise<void> {
  const { priced, payer, send, at } = arrived
  const { legs, transactionId } = arrival
  const [ownRow, receivedRow] = send
    ? buildSendRows(priced, send)
    : ([depositRow(priced, payer.wallet, 'COMPLETED'), undefined] as const)
  if (isRepriced(arrived)) await ctx.mover.pricePending(tx, transactionId, ownRow)
  const visibility = await markListed(tx, priced, receivedRow !== undefined)
  const rows = visibility.is_listed ? [] : [ownRow]
  if (receivedRow && !visibility.is_announced) rows.push(receivedRow)
  const kind = send ? 'transfer' : 'deposit'
  const movement = buildMovement(priced, { id: postingIds.arrival(priced.id), kind, at, legs })
  const isShown = visibility.is_listed || visibility.is_announced
  const settles = isShown ? ([{ id: transactionId, status: 'COMPLETED' }] as const) : []
  await postPromised(ctx, tx, priced, { movement, rows, settles })
}

/** Posts the captured amount of a send as a deposit of its sender, and holds it until the send is decided. */
async function postTransferHold(ctx: PaymentContext, tx: Tx, { arrived, arrival }: ArrivalPosting): Promise<void> {
  const { priced, send, payer, at } = arrived
  if (!send) throw new Error(`the held payment ${priced.id} sends nothing`)
  const { transactionId: id, legs } = arrival
  const [row] = buildSendRows(priced, send)
  await startHold(tx, { id, at, ...(isRepriced(arrived) ? { price: send.price, quoteId: send.quoteId } : {}) })
  if (isRepriced(arrived)) await ctx.mover.pricePending(tx, id, row)
  await lockAccounts(tx, listLegAccounts(legs))
  await postMovementOnce(ctx, tx, {
    movement: {
      ...buildMovement(priced, { id: postingIds.late(priced.id), kind: 'deposit', at, legs: legs.slice(0, 1) }),
      reference: newId(at),
    },
    rows: [
      { ...depositRow(toCaptured(priced), payer.wallet, 'COMPLETED'), description: { code: 'payment_for_transfer' } },
    ],
  })
  const hold = { id: postingIds.arrival(priced.id), kind: 'transfer_hold', at, legs: legs.slice(1) }
  const { is_listed: isListed } = await markListed(tx, priced, false)
  const rows: NewTransaction[] = isListed ? [] : [{ ...row, status: 'PENDING' }]
  await postPromised(ctx, tx, priced, { movement: buildMovement(priced, hold), rows })
}

/** Posts late money to the payer's wallet: a deposit at its final price, a send as captured. */
async function postDeposit(ctx: PaymentContext, tx: Tx, { arrived, arrival }: ArrivalPosting): Promise<void> {
  const { priced, payer, at } = arrived
  const { legs, transactionId } = arrival
  const deposit = toCaptured(priced)
  const movement = buildMovement(priced, { id: postingIds.late(priced.id), kind: 'deposit', at, legs })
  // A repriced deposit has a new quote, which this posting uses up.
  const once = isRepriced(arrived) && deposit.quote_id !== null ? { once: deposit.quote_id } : {}
  await postMovementOnce(ctx, tx, {
    movement: { ...movement, ...once, reference: transactionId },
    rows: [toLateRow(priced, depositRow(deposit, payer.wallet, 'COMPLETED'))],
  })
}
