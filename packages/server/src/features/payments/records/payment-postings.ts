import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { release, reserve } from '@tern/ledger/holds'
import { lockAccounts, releaseToken } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { money } from '@tern/money/money'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { newId } from '../../../platform/ids.ts'
import type { Tx } from '../../../platform/database/db.ts'
import { type Price, priceFrom } from '../../exchange/exchange.ts'
import { failUnfunded, type Send, startHold } from '../../transfers/transfers.ts'
import type { MoveRequest, TransactionRow, TransactionStatus } from '../../wallets/move.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import { isShownAtOnce, type PaymentRow, postingOf, settlementAccountOf, transactionIdOf } from './payment-rows.ts'

// What payments post and show. All of it is looked up before a transaction begins: inside one, no second connection is
// asked for.

type Books = Pick<PaymentContext, 'wallets' | 'exchange' | 'transfers' | 'mover'>

/** What follows from a movement, as the last statement of a transaction. */
export type Posting = (tx: Tx, at: Date) => Promise<void>

/** A posting that may be made beside another one in a transaction, which then locks the accounts of both first. */
export type LockablePosting<More extends unknown[] = []> = ((tx: Tx, at: Date, ...more: More) => Promise<void>) & {
  readonly accounts: readonly bigint[]
}

const accountsOf = (legs: readonly Leg[]): bigint[] => legs.flatMap(({ from, to }) => [from, to])

/** The price that a payment was begun at; undefined for a deposit in the wallet's own currency. */
export const priceOfPayment = ({ locked_price }: PaymentRow): Price | undefined =>
  locked_price === null ? undefined : priceFrom(locked_price)

/** Who sends what to whom with a payment; undefined when one of them is not there, or must not receive. */
export async function sendOf({ wallets }: Pick<Books, 'wallets'>, payment: PaymentRow): Promise<Send | undefined> {
  const price = priceOfPayment(payment)
  if (payment.recipient_id === null || !price) return undefined
  const [sender, recipient] = await Promise.all([
    wallets.partyOf(payment.user_id),
    wallets.partyOf(payment.recipient_id),
  ])
  if (!sender || !recipient?.verified) return undefined
  return { sender, recipient, price, quoteId: payment.quote_id ?? undefined, description: payment.description }
}

/** What the payer sees of a deposit. */
export function depositRow(payment: PaymentRow, wallet: Wallet, status: TransactionStatus): TransactionRow {
  const price = priceOfPayment(payment)
  const amount = money(payment.currency, payment.amount_minor)
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

interface HoldAccounts {
  readonly wallet: bigint
  readonly hold: bigint
}

/** Where the wallet's part of a send comes from and waits; undefined when the wallet gives nothing. */
async function holdOf({ wallets }: Pick<Books, 'wallets'>, payment: PaymentRow, wallet: Wallet) {
  if (payment.wallet_part_minor === 0n) return undefined
  return {
    wallet: await wallets.accountId(walletAccount(wallet.id, payment.currency)),
    hold: await wallets.accountId(holdAccount(wallet.id, payment.currency)),
  } satisfies HoldAccounts
}

/**
 * What is shown and set aside when a payment begins: the wallet's part of a send is reserved, and a bank debit, which
 * takes days, is announced. A card is quicker than anybody could read of it. Refuses `insufficient_funds`.
 */
export async function authorizationPostings(
  books: Books,
  payment: PaymentRow,
  parties: { wallet: Wallet; send: Send | undefined },
): Promise<Posting | undefined> {
  const { mover, transfers } = books
  const reference = transactionIdOf(payment)
  const { wallet, send } = parties
  const paidBy = { source: payment.method, paymentId: payment.id }
  const row = send ? transfers.rowsOf(send, paidBy)[0] : depositRow(payment, wallet, 'PENDING')
  const rows = [{ ...row, status: 'PENDING' }] satisfies TransactionRow[]
  const accounts = await holdOf(books, payment, wallet)
  if (accounts) {
    return async (tx, at) => {
      const movement = {
        id: postingOf.reserve(payment.id),
        requestHash: payment.request_hash,
        kind: 'payment_reserve',
        reference,
        at,
        legs: [reserve({ ...accounts, amount: payment.wallet_part_minor })],
      }
      acceptOutcome(await mover.moveWithin(tx, { movement, rows }))
    }
  }
  if (payment.method !== 'bank') return undefined
  return (tx, at) => mover.createPending(tx, { reference, postingId: postingOf.arrival(payment.id), at, rows })
}

/** Gives back and withdraws what `authorizationPostings` set aside and announced, and the quote with it. */
export async function releasePostings(books: Books, payment: PaymentRow, wallet: Wallet): Promise<LockablePosting> {
  const { mover } = books
  const reference = transactionIdOf(payment)
  const accounts = await holdOf(books, payment, wallet)
  const legs = accounts ? [release({ ...accounts, amount: payment.wallet_part_minor })] : []
  const close = async (tx: Tx, at: Date): Promise<void> => {
    if (accounts) {
      const movement = {
        id: postingOf.release(payment.id),
        requestHash: payment.request_hash,
        kind: 'payment_release',
        reference,
        at,
        legs,
      }
      await postOnce(books, tx, { movement, rows: [], settles: [{ id: reference, status: 'FAILED' }] })
    } else if (payment.method === 'bank') await mover.failPending(tx, reference)
    if (payment.quote_id !== null) await releaseToken(tx, payment.quote_id, payment.id)
    if (payment.holds_transfer) await failUnfunded(tx, reference, at)
  }
  return Object.assign(close, { accounts: accountsOf(legs) })
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
  const reference = transactionIdOf(payment)
  const isShown = isShownAtOnce(payment)
  const settles = isShown ? ([{ id: reference, status: 'COMPLETED' }] as const) : []
  const legs = send ? await sendLegs(books, payment, send) : await depositLegs(books, payment, wallet)
  return async (tx, at) => {
    const movement = {
      id: postingOf.arrival(payment.id),
      requestHash: payment.request_hash,
      kind: send ? 'transfer' : 'deposit',
      reference,
      at,
      legs,
    }
    if (!send) {
      const rows = isShown ? [] : [depositRow(payment, wallet, 'COMPLETED')]
      return postPromised(books, tx, payment, { movement, rows, settles })
    }
    const [sent, received] = books.transfers.rowsOf(send, { source: payment.method, paymentId: payment.id })
    const rows = isShown ? [received] : [sent, received]
    return postPromised(books, tx, payment, { movement, rows, settles })
  }
}

/** What came is a deposit of the sender; with what the wallet gives it is set aside until the transfer is decided on. */
async function holdPostings(books: Books, payment: PaymentRow, send: Send): Promise<Posting> {
  const { wallets, transfers } = books
  const { id, wallet } = { id: transactionIdOf(payment), wallet: send.sender.wallet }
  const deposit = await lateArrivalOf(books, payment, wallet, { code: 'payment_for_transfer' })
  const leg = reserve({
    wallet: await wallets.accountId(walletAccount(wallet.id, payment.currency)),
    hold: await wallets.accountId(holdAccount(wallet.id, payment.currency)),
    amount: payment.amount_minor,
  })
  const row = transfers.rowsOf(send, { source: payment.method, paymentId: payment.id })[0]
  const rows: TransactionRow[] = isShownAtOnce(payment) ? [] : [{ ...row, status: 'PENDING' }]
  return async (tx, at) => {
    await startHold(tx, id, at)
    await lockAccounts(tx, [...deposit.accounts, leg.to])
    await deposit(tx, at, newId(at))
    const movement = {
      id: postingOf.arrival(payment.id),
      requestHash: payment.request_hash,
      kind: 'transfer_hold',
      reference: id,
      at,
      legs: [leg],
    }
    await postPromised(books, tx, payment, { movement, rows })
  }
}

/**
 * Puts a payment that came too late into the payer's wallet, as a transaction of its own: a deposit at the price it was
 * begun at, or as it was captured what had been meant for somebody else.
 */
export async function lateArrivalOf(
  books: Books,
  payment: PaymentRow,
  wallet: Wallet,
  sendDescription: TransactionRow['description'] = { code: 'payment_for_unmade_transfer' },
): Promise<LockablePosting<[transactionId: string]>> {
  const ownDeposit: PaymentRow = { ...payment, locked_price: null, quote_id: null }
  const isSend = payment.purpose === 'send'
  const legs = await depositLegs(books, isSend ? ownDeposit : payment, wallet)
  const row = depositRow(isSend ? ownDeposit : payment, wallet, 'COMPLETED')
  const description = isSend ? sendDescription : row.description
  const arrive = async (tx: Tx, at: Date, transactionId: string): Promise<void> => {
    const movement = {
      id: postingOf.late(payment.id),
      requestHash: payment.request_hash,
      kind: 'deposit',
      reference: transactionId,
      at,
      legs,
    }
    await postOnce(books, tx, { movement, rows: [{ ...row, description }] })
  }
  return Object.assign(arrive, { accounts: accountsOf(legs) })
}

async function depositLegs({ wallets, exchange }: Books, payment: PaymentRow, wallet: Wallet): Promise<Leg[]> {
  const price = priceOfPayment(payment)
  const from = settlementAccountOf(payment)
  if (price) return exchange.legs(price, from, wallet)
  return [await inflowLeg(wallets, payment, wallet)]
}

const inflowLeg = async (wallets: Books['wallets'], payment: PaymentRow, wallet: Wallet): Promise<Leg> => ({
  from: await wallets.accountId(settlementAccountOf(payment)),
  to: await wallets.accountId(walletAccount(wallet.id, payment.currency)),
  amount: payment.amount_minor,
  code: 'deposit',
})

/** What was captured and what was held come together in the sender's wallet, and leave it as any send does. */
async function sendLegs(books: Books, payment: PaymentRow, { sender, recipient, price }: Send): Promise<Leg[]> {
  const accounts = await holdOf(books, payment, sender.wallet)
  return [
    await inflowLeg(books.wallets, payment, sender.wallet),
    ...(accounts ? [release({ ...accounts, amount: payment.wallet_part_minor })] : []),
    ...(await books.exchange.legs(price, sender.wallet, recipient.wallet)),
  ]
}

/**
 * Posts at a promised price and uses its quote up, which is reserved for the payment. Money that has come is not turned away
 * because something else has used the quote, as could happen before quotes were reserved: what was promised is kept.
 */
async function postPromised(books: Books, tx: Tx, payment: PaymentRow, request: MoveRequest): Promise<void> {
  if (payment.quote_id !== null) {
    const movement = { ...request.movement, once: payment.quote_id, holder: payment.id }
    const outcome = await books.mover.moveWithin(tx, { ...request, movement })
    if (outcome.status === 'posted') return
    if (outcome.status !== 'refused' || outcome.reason !== 'already_used') acceptOutcome(outcome)
  }
  await postOnce(books, tx, request)
}

async function postOnce({ mover }: Books, tx: Tx, request: MoveRequest): Promise<void> {
  const outcome = acceptOutcome(await mover.moveWithin(tx, request))
  if (outcome !== 'posted') throw new Error(`${request.movement.kind} ${request.movement.id} was posted before`)
}
