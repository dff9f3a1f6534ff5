import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { release, reserve } from '@tern/ledger/holds'
import { lockAccounts, releaseToken } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { type Money, money } from '@tern/money/money'
import type { Tx } from '../../../platform/database/db.ts'
import { updateRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { areStopped } from '../../compliance/compliance.ts'
import { type Price, priceFrom } from '../../exchange/exchange.ts'
import { failUnfunded, heldForCases, recordHold, type Send, sendRows, startHold } from '../../transfers/transfers.ts'
import type { Description } from '../../wallets/description.ts'
import type { MoveRequest, TransactionRow, TransactionStatus } from '../../wallets/move.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import {
  amountOf,
  listedAtOnce,
  type Listing,
  listingOf,
  mayBeAnnounced,
  noteListed,
  type PaymentRow,
  type PaymentTerms,
  postingOf,
  settlementAccountOf,
  transactionIdOf,
} from './payment-rows.ts'

// What payments post and show: authorization, release and settlement. Everything is looked up before a transaction begins,
// since no second connection is asked for inside one.

type Books = Pick<PaymentContext, 'pool' | 'wallets' | 'exchange' | 'mover' | 'now'>

/** A posting, made last in a transaction. */
export type Posting = (tx: Tx, at: Date) => Promise<void>

/** A posting that may share a transaction with another one, which then locks the accounts of both first. */
export type LockablePosting = Posting & { readonly accounts: readonly bigint[] }

export const lockable = (legs: readonly Leg[], posting: Posting): LockablePosting =>
  Object.assign(posting, { accounts: legs.flatMap(({ from, to }) => [from, to]) })

/** The price that was agreed on; undefined of what is taken as it is. */
export const priceOf = ({ locked_price: price }: PaymentTerms): Price | undefined =>
  price === null ? undefined : priceFrom(price)

/** Who sends what to whom with a payment; undefined when one of them is not there, or must not receive. */
export async function sendOf(
  { pool, wallets }: Pick<Books, 'pool' | 'wallets'>,
  payment: PaymentTerms,
): Promise<Send | undefined> {
  const price = priceOf(payment)
  if (payment.recipient_id === null || !price) return undefined
  const [sender, recipient] = await Promise.all([
    wallets.findParty(pool, payment.user_id),
    wallets.findParty(pool, payment.recipient_id),
  ])
  if (!sender || !recipient?.verified) return undefined
  return { sender, recipient, price, quoteId: payment.quote_id ?? undefined, description: payment.description }
}

/** Rows of a settled send, paid for by a payment, that the sender and the recipient see. */
export const paidSendRows = ({ method, id }: PaymentTerms, send: Send) =>
  sendRows(send, { source: method, paymentId: id })

/** What the owner of a wallet sees of money that comes into it from outside, or leaves it. */
export function ownRow(
  kind: 'DEPOSIT' | 'WITHDRAW',
  { id: walletId, userId }: Wallet,
  amount: Money,
  more: Pick<TransactionRow, 'status' | 'description' | 'paymentSource' | 'paymentId'>,
): TransactionRow {
  const isIn = kind === 'DEPOSIT'
  return {
    ...{ userId, kind, walletId, source: amount, target: amount, fee: money(amount.currency, 0n) },
    ...(isIn ? { recipientId: userId, toWalletId: walletId } : { senderId: userId, fromWalletId: walletId }),
    ...more,
  }
}

/** What its payer sees of a deposit, or the requester of a guest's payment. */
export function depositRow(payment: PaymentTerms, wallet: Wallet, status: TransactionStatus): TransactionRow {
  const { id: paymentId, method, quote_id: quoteId } = payment
  const description: Description =
    payment.payer_name === null
      ? { code: method === 'bank' ? ('bank_deposit' as const) : ('card_deposit' as const) }
      : { code: 'guest_payment', params: { name: payment.payer_name } }
  const row = ownRow('DEPOSIT', wallet, amountOf(payment), { status, description, paymentSource: method, paymentId })
  const price = priceOf(payment)
  if (!price) return row
  const { source, target, fee, crossing, rate } = price
  return {
    ...row,
    ...{ source, target, fee },
    ...(crossing ? { stablecoinAmount: crossing.inflow.minor } : {}),
    ...(source.currency === target.currency ? {} : { rate }),
    ...(quoteId === null ? {} : { quoteId }),
  }
}

/** A movement of a payment's transaction. */
export const movementOf = (payment: PaymentTerms, id: string, kind: string, at: Date, legs: readonly Leg[]) =>
  ({ id, requestHash: payment.request_hash, kind, reference: transactionIdOf(payment), at, legs }) as const

type HoldStep = typeof reserve | typeof release

/** Sets an amount in a wallet aside, or frees it. */
export async function holdLeg(
  { pool, wallets }: Pick<Books, 'pool' | 'wallets'>,
  step: HoldStep,
  { id }: Wallet,
  { currency, minor }: Money,
) {
  const wallet = await wallets.accountId(pool, walletAccount(id, currency))
  return step({ wallet, hold: await wallets.accountId(pool, holdAccount(id, currency)), amount: minor })
}

/** The same for what the wallet adds to a payment, if it adds anything. */
async function walletPartLegs(books: Books, step: HoldStep, payment: PaymentTerms, wallet: Wallet) {
  const { currency, wallet_part_minor: part } = payment
  return part === 0n ? [] : [await holdLeg(books, step, wallet, money(currency, part))]
}

/** What is shown and held first. A card payment is shown once its provider processes it. Refuses `insufficient_funds`. */
export async function authorizationPostings(
  books: Books,
  payment: PaymentTerms,
  { wallet, send }: { wallet: Wallet; send?: Send | undefined },
): Promise<Posting | undefined> {
  const { mover } = books
  const { is_listed: isListed, is_announced: isAnnounced } = listedAtOnce(payment)
  const rows = pendingRows(payment, { wallet, send }, { isListed, isAnnounced })
  const legs = await walletPartLegs(books, reserve, payment, wallet)
  if (legs.length > 0) {
    return async (tx, at) => {
      const movement = movementOf(payment, postingOf.reserve(payment.id), 'payment_reserve', at, legs)
      acceptOutcome(await mover.moveWithin(tx, { movement, rows }))
    }
  }
  if (!isListed) return undefined
  return (tx) => mover.createPending(tx, announcementOf(payment, rows))
}

const announcementOf = (payment: PaymentTerms, rows: readonly TransactionRow[]) => ({
  reference: transactionIdOf(payment),
  postingId: postingOf.arrival(payment.id),
  at: payment.created_at,
  rows,
})

interface Parties {
  readonly wallet: Wallet
  readonly send?: Send | undefined
}

/** Rows that show a payment before it settles. */
function pendingRows(
  payment: PaymentTerms,
  { wallet, send }: Parties,
  { isListed, isAnnounced }: { isListed: boolean; isAnnounced: boolean },
): TransactionRow[] {
  const [payers, recipients] = send ? paidSendRows(payment, send) : [depositRow(payment, wallet, 'PENDING')]
  const rows = [isListed && payers, isAnnounced && recipients].filter((row) => row !== false && row !== undefined)
  return rows.map((row) => Object.assign(row, { status: 'PENDING' as const }))
}

/** Lists a payment that its provider is processing now, as pending; undefined when a send cannot reach its recipient. */
export async function processingPostings(books: Books, payment: PaymentRow, wallet: Wallet) {
  const send = await sendOf(books, payment)
  // The requester hears of a guest's payment once it is made.
  if (payment.purpose === 'request' || (payment.purpose === 'send' && !send)) return undefined
  return async (tx: Tx, listed: Listing): Promise<void> => {
    const isAnnounced = mayBeAnnounced(payment) && !listed.is_announced
    const rows = pendingRows(payment, { wallet, send }, { isListed: !listed.is_listed, isAnnounced })
    if (rows.length > 0) await books.mover.createPending(tx, announcementOf(payment, rows))
  }
}

/** Undoes `authorizationPostings`, and frees the quote. */
export async function releasePostings(books: Books, payment: PaymentRow, wallet: Wallet): Promise<LockablePosting> {
  const reference = transactionIdOf(payment)
  const legs = await walletPartLegs(books, release, payment, wallet)
  return lockable(legs, async (tx, at) => {
    if (legs.length > 0) {
      const movement = movementOf(payment, postingOf.release(payment.id), 'payment_release', at, legs)
      await postOnce(books, tx, { movement, rows: [], settles: [{ id: reference, status: 'FAILED' }] })
    } else if ((await listingOf(tx, payment)).is_listed) await books.mover.failPending(tx, reference)
    if (payment.quote_id !== null) await releaseToken(tx, payment.quote_id, payment.id)
    if (payment.holds_transfer) await failUnfunded(tx, reference, at)
  })
}

/**
 * Lists a send whose money came and that is not made, so that its sender sees it fail: as pending first. Undefined when
 * it cannot reach its recipient. Nothing for what is listed already.
 */
export async function unmadePostings(books: Books, payment: PaymentRow, wallet: Wallet) {
  const send = await sendOf(books, payment)
  if (!send) return undefined
  return async (tx: Tx): Promise<void> => {
    const { is_listed: isListed } = await noteListed(tx, payment, false)
    const rows = pendingRows(payment, { wallet, send }, { isListed: !isListed, isAnnounced: false })
    if (rows.length > 0) await books.mover.createPending(tx, announcementOf(payment, rows))
  }
}

/**
 * Carries a payment that has come to where it was meant for; undefined when a send cannot reach its recipient. With
 * `isRepriced` its pending rows get the price that it has now.
 */
export async function settlementPostings(books: Books, payment: PaymentRow, wallet: Wallet, isRepriced = false) {
  const post = (
    kind: 'deposit' | 'transfer',
    legs: Leg[],
    payers: TransactionRow,
    recipients?: TransactionRow,
  ): LockablePosting => {
    const id = postingOf.arrival(payment.id)
    return lockable(legs, async (tx, at) => {
      if (isRepriced) await books.mover.pricePending(tx, transactionIdOf(payment), payers)
      const { is_listed: isListed, is_announced: isAnnounced } = await noteListed(tx, payment, recipients !== undefined)
      const rows = [!isListed && payers, !isAnnounced && recipients].filter((row) => row !== false && row !== undefined)
      const isShown = isListed || isAnnounced
      const settles = isShown ? ([{ id: transactionIdOf(payment), status: 'COMPLETED' }] as const) : []
      await postPromised(books, tx, payment, { movement: movementOf(payment, id, kind, at, legs), rows, settles })
    })
  }
  if (payment.purpose !== 'send') {
    return post('deposit', await depositLegs(books, payment, wallet), depositRow(payment, wallet, 'COMPLETED'))
  }
  const send = await sendOf(books, payment)
  if (!send) return undefined
  if (payment.holds_transfer) return holdPostings(books, payment, send, isRepriced)
  const [sent, received] = paidSendRows(payment, send)
  const legs = [
    await inflowLeg(books, payment, send.sender.wallet),
    ...(await walletPartLegs(books, release, payment, send.sender.wallet)),
    ...(await books.exchange.legs(books.pool, {
      price: send.price,
      from: send.sender.wallet,
      to: send.recipient.wallet,
    })),
  ]
  return post('transfer', legs, sent, received)
}

/** The same for a send that has to wait, although that was not known when it was begun; undefined for deposits. */
export const holdingPostings = async (books: Books, payment: PaymentRow, wallet: Wallet, isRepriced: boolean) =>
  payment.purpose === 'send'
    ? settlementPostings(books, { ...payment, holds_transfer: true }, wallet, isRepriced)
    : undefined

/**
 * Holds a funded send if a case now stops one of its parties or the lists are stale. The payment is locked; returns its new
 * state.
 */
export async function holdIfStopped(
  { lists }: Pick<PaymentContext, 'lists'>,
  tx: Tx,
  payment: PaymentRow,
): Promise<PaymentRow> {
  const { user_id: senderId, recipient_id: recipientId, holds_transfer: isHeld, sent_usd_minor: usdMinor } = payment
  const price = priceOf(payment)
  if (isHeld || recipientId === null || !price) return payment
  const people = [senderId, recipientId]
  if (!(await areStopped(tx, people)) && !(await lists.hold(tx, people))) return payment
  const { source, target, total: amount } = price
  const candidate = {
    kind: 'funded_send',
    senderId,
    recipientId,
    source,
    target,
    usdMinor: usdMinor ?? price.usdMinor,
  } as const
  const { id: paymentId, description, request_hash: requestHash, created_at: at } = payment
  const held = { id: transactionIdOf(payment), candidate, amount, price, paymentId, description, requestHash, at }
  await recordHold(tx, { ...held, quoteId: payment.quote_id ?? undefined }, heldForCases)
  await updateRow(tx, 'payment', payment.id, { holds_transfer: true })
  return { ...payment, holds_transfer: true }
}

/** What came is a deposit of the sender; with what the wallet gives it is set aside until the transfer is decided on. */
async function holdPostings(
  books: Books,
  payment: PaymentRow,
  send: Send,
  isRepriced: boolean,
): Promise<LockablePosting> {
  const { wallet } = send.sender
  const id = transactionIdOf(payment)
  const deposit = await lateArrivalOf(books, payment, wallet, { sendCode: 'payment_for_transfer' })
  const legs = [await holdLeg(books, reserve, wallet, amountOf(payment))]
  const [row] = paidSendRows(payment, send)
  const accounts = [...deposit.accounts, ...legs.map(({ to }) => to)]
  const posting: Posting = async (tx, at) => {
    await startHold(tx, { id, at, ...(isRepriced ? { price: send.price, quoteId: send.quoteId } : {}) })
    if (isRepriced) await books.mover.pricePending(tx, id, row)
    await lockAccounts(tx, accounts)
    await deposit(tx, at)
    const movement = movementOf(payment, postingOf.arrival(payment.id), 'transfer_hold', at, legs)
    const { is_listed: isListed } = await noteListed(tx, payment, false)
    const rows: TransactionRow[] = isListed ? [] : [{ ...row, status: 'PENDING' }]
    await postPromised(books, tx, payment, { movement, rows })
  }
  return Object.assign(posting, { accounts })
}

/** The posting of a late payment, as a transaction of its own. */
export type LateArrival = LockablePosting & { readonly transactionId: string }

interface LateTerms {
  /** As what a send is shown. */
  readonly sendCode?: 'payment_for_transfer'
  /** A deposit has a price of this moment, whose quote it uses up. */
  readonly isRepriced?: boolean
}

/** Puts a late payment into the payer's wallet: a deposit at its locked price, a send as it was captured. */
export async function lateArrivalOf(
  books: Books,
  payment: PaymentRow,
  wallet: Wallet,
  { sendCode, isRepriced }: LateTerms = {},
): Promise<LateArrival> {
  const transactionId = newId(books.now())
  const isSend = payment.purpose === 'send'
  const deposit: PaymentRow = isSend ? { ...payment, locked_price: null, quote_id: null } : payment
  const legs = await depositLegs(books, deposit, wallet)
  const row = depositRow(deposit, wallet, 'COMPLETED')
  const rows = [isSend ? { ...row, description: { code: sendCode ?? ('payment_for_unmade_transfer' as const) } } : row]
  const posting = lockable(legs, async (tx, at) => {
    const movement = movementOf(payment, postingOf.late(payment.id), 'deposit', at, legs)
    const once = isRepriced && deposit.quote_id !== null ? { once: deposit.quote_id } : {}
    await postOnce(books, tx, { movement: { ...movement, ...once, reference: transactionId }, rows })
  })
  return Object.assign(posting, { transactionId })
}

async function depositLegs(books: Books, payment: PaymentRow, wallet: Wallet): Promise<Leg[]> {
  const price = priceOf(payment)
  if (price) return books.exchange.legs(books.pool, { price, from: settlementAccountOf(payment), to: wallet })
  return [await inflowLeg(books, payment, wallet)]
}

/** What a card or a bank paid, into the wallet as it was captured. */
export const inflowLeg = async ({ pool, wallets }: Books, payment: PaymentRow, wallet: Wallet): Promise<Leg> => ({
  from: await wallets.accountId(pool, settlementAccountOf(payment)),
  to: await wallets.accountId(pool, walletAccount(wallet.id, payment.currency)),
  amount: payment.amount_minor,
  code: 'deposit',
})

/** Posts at the locked price and uses up its quote. Old quotes were not reserved: a used one still holds. */
export async function postPromised(books: Books, tx: Tx, payment: PaymentRow, request: MoveRequest): Promise<void> {
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
