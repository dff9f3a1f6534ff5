import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { release, reserve } from '@tern/ledger/holds'
import { lockAccounts, releaseToken } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { type Price, priceFrom } from '../../exchange/exchange.ts'
import { failUnfunded, type Send, startHold } from '../../transfers/transfers.ts'
import type { MoveRequest, TransactionRow, TransactionStatus } from '../../wallets/move.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import {
  amountOf,
  isShownAtOnce,
  type PaymentRow,
  postingOf,
  settlementAccountOf,
  transactionIdOf,
} from './payment-rows.ts'

// What payments post and show: authorization, release and settlement. Everything is looked up before a transaction begins,
// since no second connection is asked for inside one.

type Books = Pick<PaymentContext, 'wallets' | 'exchange' | 'transfers' | 'mover'>

/** The part of a payment that never changes once it is begun. */
export type PaymentTerms = Omit<PaymentRow, Changing>
type Changing =
  | 'status'
  | 'reason'
  | 'session_id'
  | 'redirect_url'
  | 'capture_id'
  | 'last_polled_at'
  | 'submitted_token'
  | 'cancel_requested_at'

/** A posting, made last in a transaction. */
export type Posting = (tx: Tx, at: Date) => Promise<void>

/** A posting that may share a transaction with another one, which then locks the accounts of both first. */
export type LockablePosting<More extends unknown[] = []> = ((tx: Tx, at: Date, ...more: More) => Promise<void>) & {
  readonly accounts: readonly bigint[]
}

const lockable = <More extends unknown[]>(
  legs: readonly Leg[],
  posting: (tx: Tx, at: Date, ...more: More) => Promise<void>,
): LockablePosting<More> => Object.assign(posting, { accounts: legs.flatMap(({ from, to }) => [from, to]) })

const priceOf = ({ locked_price: price }: PaymentTerms): Price | undefined =>
  price === null ? undefined : priceFrom(price)

/** Who sends what to whom with a payment; undefined when one of them is not there, or must not receive. */
export async function sendOf({ wallets }: Pick<Books, 'wallets'>, payment: PaymentTerms): Promise<Send | undefined> {
  const price = priceOf(payment)
  if (payment.recipient_id === null || !price) return undefined
  const [sender, recipient] = await Promise.all([
    wallets.partyOf(payment.user_id),
    wallets.partyOf(payment.recipient_id),
  ])
  if (!sender || !recipient?.verified) return undefined
  return { sender, recipient, price, quoteId: payment.quote_id ?? undefined, description: payment.description }
}

function depositRow(payment: PaymentTerms, wallet: Wallet, status: TransactionStatus): TransactionRow {
  const price = priceOf(payment)
  const amount = amountOf(payment)
  const isConverted = price !== undefined && price.source.currency !== price.target.currency
  return {
    userId: payment.user_id,
    kind: 'DEPOSIT',
    status,
    recipientId: payment.user_id,
    walletId: wallet.id,
    toWalletId: wallet.id,
    description: { code: payment.method === 'bank' ? 'bank_deposit' : 'card_deposit' },
    source: price?.source ?? amount,
    target: price?.target ?? amount,
    ...(price?.crossing ? { stablecoinAmount: price.crossing.inflow.minor } : {}),
    ...(isConverted ? { rate: price.rate } : {}),
    fee: price?.fee ?? money(amount.currency, 0n),
    paymentSource: payment.method,
    paymentId: payment.id,
    ...(payment.quote_id === null ? {} : { quoteId: payment.quote_id }),
  }
}

const movementOf = (payment: PaymentTerms, id: string, kind: string, at: Date, legs: readonly Leg[]) =>
  ({ id, requestHash: payment.request_hash, kind, reference: transactionIdOf(payment), at, legs }) as const

async function holdOf({ wallets }: Pick<Books, 'wallets'>, payment: PaymentTerms, wallet: Wallet) {
  const { wallet_part_minor: amount } = payment
  return amount === 0n ? undefined : holdAccounts(wallets, payment, wallet, amount)
}

const holdAccounts = async (wallets: Books['wallets'], { currency }: PaymentTerms, { id }: Wallet, amount: bigint) => ({
  wallet: await wallets.accountId(walletAccount(id, currency)),
  hold: await wallets.accountId(holdAccount(id, currency)),
  amount,
})

/** What is shown and held first. Card payments settle too fast to show as pending. Refuses `insufficient_funds`. */
export async function authorizationPostings(
  books: Books,
  payment: PaymentTerms,
  { wallet, send }: { wallet: Wallet; send: Send | undefined },
): Promise<Posting | undefined> {
  const { mover, transfers } = books
  const paidBy = { source: payment.method, paymentId: payment.id }
  const row = send ? transfers.rowsOf(send, paidBy)[0] : depositRow(payment, wallet, 'PENDING')
  const rows = [{ ...row, status: 'PENDING' }] satisfies TransactionRow[]
  const hold = await holdOf(books, payment, wallet)
  if (hold) {
    return async (tx, at) => {
      const movement = movementOf(payment, postingOf.reserve(payment.id), 'payment_reserve', at, [reserve(hold)])
      acceptOutcome(await mover.moveWithin(tx, { movement, rows }))
    }
  }
  if (payment.method !== 'bank') return undefined
  const reference = transactionIdOf(payment)
  return (tx, at) => mover.createPending(tx, { reference, postingId: postingOf.arrival(payment.id), at, rows })
}

/** Undoes `authorizationPostings`, and frees the quote. */
export async function releasePostings(books: Books, payment: PaymentRow, wallet: Wallet): Promise<LockablePosting> {
  const reference = transactionIdOf(payment)
  const hold = await holdOf(books, payment, wallet)
  const legs = hold ? [release(hold)] : []
  return lockable(legs, async (tx, at) => {
    if (hold) {
      const movement = movementOf(payment, postingOf.release(payment.id), 'payment_release', at, legs)
      await postOnce(books, tx, { movement, rows: [], settles: [{ id: reference, status: 'FAILED' }] })
    } else if (payment.method === 'bank') await books.mover.failPending(tx, reference)
    if (payment.quote_id !== null) await releaseToken(tx, payment.quote_id, payment.id)
    if (payment.holds_transfer) await failUnfunded(tx, reference, at)
  })
}

/** Carries a payment that has come to where it was meant for; undefined when a send cannot reach its recipient. */
export async function settlementPostings(
  books: Books,
  payment: PaymentRow,
  wallet: Wallet,
): Promise<Posting | undefined> {
  const send = payment.purpose === 'send' ? await sendOf(books, payment) : undefined
  if (payment.purpose === 'send' && !send) return undefined
  if (send && payment.holds_transfer) return holdPostings(books, payment, send)
  const isShown = isShownAtOnce(payment)
  const settles = isShown ? ([{ id: transactionIdOf(payment), status: 'COMPLETED' }] as const) : []
  const legs = send ? await sendLegs(books, payment, send) : await depositLegs(books, payment, wallet)
  return async (tx, at) => {
    const movement = movementOf(payment, postingOf.arrival(payment.id), send ? 'transfer' : 'deposit', at, legs)
    if (!send) {
      const rows = isShown ? [] : [depositRow(payment, wallet, 'COMPLETED')]
      return postPromised(books, tx, payment, { movement, rows, settles })
    }
    const [sent, received] = books.transfers.rowsOf(send, { source: payment.method, paymentId: payment.id })
    return postPromised(books, tx, payment, { movement, rows: isShown ? [received] : [sent, received], settles })
  }
}

/** What came is a deposit of the sender; with what the wallet gives it is set aside until the transfer is decided on. */
async function holdPostings(books: Books, payment: PaymentRow, send: Send): Promise<Posting> {
  const { wallets, transfers } = books
  const { wallet } = send.sender
  const id = transactionIdOf(payment)
  const deposit = await lateArrivalOf(books, payment, wallet, { code: 'payment_for_transfer' })
  const legs = [reserve(await holdAccounts(wallets, payment, wallet, payment.amount_minor))]
  const [row] = transfers.rowsOf(send, { source: payment.method, paymentId: payment.id })
  const rows: TransactionRow[] = isShownAtOnce(payment) ? [] : [{ ...row, status: 'PENDING' }]
  const accounts = [...deposit.accounts, ...legs.map(({ to }) => to)]
  return async (tx, at) => {
    await startHold(tx, id, at)
    await lockAccounts(tx, accounts)
    await deposit(tx, at, newId(at))
    const movement = movementOf(payment, postingOf.arrival(payment.id), 'transfer_hold', at, legs)
    await postPromised(books, tx, payment, { movement, rows })
  }
}

/** Puts a late payment into the payer's wallet: a deposit at its locked price, a send as it was captured. */
export async function lateArrivalOf(
  books: Books,
  payment: PaymentRow,
  wallet: Wallet,
  sendDescription: TransactionRow['description'] = { code: 'payment_for_unmade_transfer' },
): Promise<LockablePosting<[transactionId: string]>> {
  const isSend = payment.purpose === 'send'
  const deposit: PaymentRow = isSend ? { ...payment, locked_price: null, quote_id: null } : payment
  const legs = await depositLegs(books, deposit, wallet)
  const row = depositRow(deposit, wallet, 'COMPLETED')
  const description = isSend ? sendDescription : row.description
  return lockable(legs, async (tx, at, transactionId) => {
    const movement = movementOf(payment, postingOf.late(payment.id), 'deposit', at, legs)
    await postOnce(books, tx, { movement: { ...movement, reference: transactionId }, rows: [{ ...row, description }] })
  })
}

async function depositLegs({ wallets, exchange }: Books, payment: PaymentRow, wallet: Wallet): Promise<Leg[]> {
  const price = priceOf(payment)
  if (price) return exchange.legs(price, settlementAccountOf(payment), wallet)
  return [await inflowLeg(wallets, payment, wallet)]
}

const inflowLeg = async (wallets: Books['wallets'], payment: PaymentRow, wallet: Wallet): Promise<Leg> => ({
  from: await wallets.accountId(settlementAccountOf(payment)),
  to: await wallets.accountId(walletAccount(wallet.id, payment.currency)),
  amount: payment.amount_minor,
  code: 'deposit',
})

async function sendLegs(books: Books, payment: PaymentRow, { sender, recipient, price }: Send): Promise<Leg[]> {
  const hold = await holdOf(books, payment, sender.wallet)
  return [
    await inflowLeg(books.wallets, payment, sender.wallet),
    ...(hold ? [release(hold)] : []),
    ...(await books.exchange.legs(price, sender.wallet, recipient.wallet)),
  ]
}

/** Posts at the locked price and uses up its quote. Old quotes were not reserved: a used one still holds. */
async function postPromised(books: Books, tx: Tx, payment: PaymentRow, request: MoveRequest): Promise<void> {
  if (payment.quote_id !== null) {
    const movement = { ...request.movement, once: payment.quote_id, holder: payment.id }
    const outcome = await books.mover.moveWithin(tx, { ...request, movement })
    if (outcome.status === 'posted') return
    if (outcome.status !== 'refused' || outcome.reason !== 'already_used') acceptOutcome(outcome)
  }
  await postOnce(books, tx, request)
}

/** Posts what cannot have been posted before. */
export async function postOnce({ mover }: Pick<Books, 'mover'>, tx: Tx, request: MoveRequest): Promise<void> {
  const outcome = acceptOutcome(await mover.moveWithin(tx, request))
  if (outcome !== 'posted') throw new Error(`${request.movement.kind} ${request.movement.id} was posted before`)
}
