import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { release, reserve } from '@tern/ledger/holds'
import { releaseToken } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { type Money, money } from '@tern/money/money'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { acceptOutcome } from '../../../platform/outcome.ts'
import { type Price, readPrice } from '../../exchange/exchange.ts'
import { failUnfunded, type Send, sendRows } from '../../transfers/transfers.ts'
import type { Description } from '../../wallets/description.ts'
import type { MoveRequest, NewTransaction, TransactionStatus } from '../../wallets/move.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import {
  toAmount,
  computeVisibility,
  type PaymentVisibility,
  loadListing,
  mayBeAnnounced,
  markListed,
  type PaymentTerms,
  postingIds,
  chooseSettlementAccount,
  deriveTransactionId,
} from './payment-rows.ts'
import type { PaymentRow } from '../row-types.ts'

// Postings and `transaction` rows of payments: authorization, release, and the legs of arriving money.

type PostingContext = Pick<PaymentContext, 'wallets' | 'exchange' | 'transfers' | 'mover'>

export const listLegAccounts = (legs: readonly Leg[]): bigint[] => legs.flatMap(({ from, to }) => [from, to])

/** Locked price; undefined for a payment without one. */
export const findPrice = ({ locked_price: price }: PaymentTerms): Price | undefined =>
  price === null ? undefined : readPrice(price)

/** Parties and price of a send; undefined if a party has no account any more, or the recipient is not verified. */
export async function findSend(
  { wallets }: Pick<PostingContext, 'wallets'>,
  db: Db,
  payment: PaymentTerms,
): Promise<Send | undefined> {
  const price = findPrice(payment)
  if (payment.recipient_id === null || !price) return undefined
  const [sender, recipient] = await Promise.all([
    wallets.findParty(db, payment.user_id),
    wallets.findParty(db, payment.recipient_id),
  ])
  if (!sender || !recipient?.verified) return undefined
  return { sender, recipient, price, quoteId: payment.quote_id ?? undefined, description: payment.description }
}

/** `transaction` rows of a funded send, for its sender and its recipient. */
export const buildSendRows = ({ method, id }: PaymentTerms, send: Send) =>
  sendRows(send, { source: method, paymentId: id })

/** `transaction` row of a wallet's owner for money from or to a card or bank account. */
export function buildOwnRow(
  kind: 'DEPOSIT' | 'WITHDRAW',
  { id: walletId, userId }: Wallet,
  amount: Money,
  more: Pick<NewTransaction, 'status' | 'description' | 'paymentSource' | 'paymentId'>,
): NewTransaction {
  const isDeposit = kind === 'DEPOSIT'
  return {
    ...{ userId, kind, walletId, source: amount, target: amount, fee: money(amount.currency, 0n) },
    ...(isDeposit ? { recipientId: userId, toWalletId: walletId } : { senderId: userId, fromWalletId: walletId }),
    ...more,
  }
}

/** `transaction` row of a deposit, for its payer or for the requester whom a guest pays. */
export function depositRow(payment: PaymentTerms, wallet: Wallet, status: TransactionStatus): NewTransaction {
  const { id: paymentId, method, quote_id: quoteId } = payment
  const description: Description =
    payment.payer_name === null
      ? { code: method === 'bank' ? ('bank_deposit' as const) : ('card_deposit' as const) }
      : { code: 'guest_payment', params: { name: payment.payer_name } }
  const row = buildOwnRow('DEPOSIT', wallet, toAmount(payment), {
    status,
    description,
    paymentSource: method,
    paymentId,
  })
  const price = findPrice(payment)
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

interface MovementFacts {
  readonly id: string
  readonly kind: string
  readonly at: Date
  readonly legs: readonly Leg[]
}

/** Ledger movement that refers to a payment's transaction. */
export const buildMovement = (payment: PaymentTerms, facts: MovementFacts) => ({
  requestHash: payment.request_hash,
  reference: deriveTransactionId(payment),
  ...facts,
})

type HoldStep = typeof reserve | typeof release

/** Leg that reserves an amount in a wallet, or releases it. */
export async function buildHoldLeg(
  { wallets }: Pick<PostingContext, 'wallets'>,
  db: Db,
  { step, wallet: { id }, amount: { currency, minor } }: { step: HoldStep; wallet: Wallet; amount: Money },
): Promise<Leg> {
  const wallet = await wallets.accountId(db, walletAccount(id, currency))
  const hold = await wallets.accountId(db, holdAccount(id, currency))
  return step({ wallet, hold, amount: minor })
}

interface WalletPayment<Payment = PaymentRow> {
  readonly payment: Payment
  readonly wallet: Wallet
}

/** Legs that reserve or release the wallet's part of a payment; none without such a part. */
export async function buildFundingLegs(
  ctx: Pick<PostingContext, 'wallets'>,
  tx: Tx,
  { step, payment, wallet }: WalletPayment<PaymentTerms> & { readonly step: HoldStep },
): Promise<Leg[]> {
  const { currency, wallet_part_minor: part } = payment
  return part === 0n ? [] : [await buildHoldLeg(ctx, tx, { step, wallet, amount: money(currency, part) })]
}

type AuthorizedTerms = WalletPayment<PaymentTerms> & { readonly send?: Send | undefined }

/**
 * Posts and lists a payment at its start. Card payments without a wallet part are listed once their provider processes
 * them. Refuses `insufficient_funds`.
 */
export async function postAuthorization(
  ctx: PostingContext,
  tx: Tx,
  { payment, wallet, send }: AuthorizedTerms,
): Promise<void> {
  const visibility = computeVisibility(payment)
  const rows = pendingRows({ payment, wallet, send }, visibility)
  const legs = await buildFundingLegs(ctx, tx, { step: reserve, payment, wallet })
  if (legs.length > 0) {
    const { created_at: at } = payment
    const movement = buildMovement(payment, { id: postingIds.reserve(payment.id), kind: 'payment_reserve', at, legs })
    acceptOutcome(await ctx.mover.moveWithin(tx, { movement, rows }))
  } else if (visibility.is_listed) await ctx.mover.createPending(tx, buildPendingListing(payment, rows))
}

const buildPendingListing = (payment: PaymentTerms, rows: readonly NewTransaction[]) => ({
  reference: deriveTransactionId(payment),
  postingId: postingIds.arrival(payment.id),
  at: payment.created_at,
  rows,
})

/** Pending `transaction` rows of the parties to which `visibility` shows a payment. */
function pendingRows({ payment, wallet, send }: AuthorizedTerms, visibility: PaymentVisibility): NewTransaction[] {
  const [payers, recipients] = send ? buildSendRows(payment, send) : [depositRow(payment, wallet, 'PENDING')]
  const rows = [visibility.is_listed && payers, visibility.is_announced && recipients]
  return rows
    .filter((row) => row !== false && row !== undefined)
    .map((row) => Object.assign(row, { status: 'PENDING' as const }))
}

/** Lists a payment as pending when its provider starts to process it. */
export async function listProcessing(ctx: PostingContext, tx: Tx, { payment, wallet }: WalletPayment): Promise<void> {
  // Requesters see a guest's payment only once it has settled.
  if (payment.purpose === 'request') return
  const send = await findSend(ctx, tx, payment)
  if (payment.purpose === 'send' && !send) return
  await listPending(ctx, tx, { payment, wallet, send, isAnnounced: mayBeAnnounced(payment) })
}

/** Lists a payment as pending for its payer, and for the recipient if `isAnnounced`, unless they see it already. */
export async function listPending(
  ctx: PostingContext,
  tx: Tx,
  { isAnnounced, ...authorized }: AuthorizedTerms & { readonly isAnnounced: boolean },
): Promise<void> {
  const { payment } = authorized
  const previousListing = await markListed(tx, payment, isAnnounced)
  const visibility = {
    is_listed: !previousListing.is_listed,
    is_announced: isAnnounced && !previousListing.is_announced,
  }
  const rows = pendingRows(authorized, visibility)
  if (rows.length > 0) await ctx.mover.createPending(tx, buildPendingListing(payment, rows))
}

/** Reverses `postAuthorization`, and releases the quote. */
export async function releaseFunding(
  ctx: PostingContext,
  tx: Tx,
  { payment, wallet, at }: WalletPayment & { readonly at: Date },
): Promise<void> {
  const reference = deriveTransactionId(payment)
  const legs = await buildFundingLegs(ctx, tx, { step: release, payment, wallet })
  if (legs.length > 0) {
    const movement = buildMovement(payment, { id: postingIds.release(payment.id), kind: 'payment_release', at, legs })
    await postMovementOnce(ctx, tx, { movement, rows: [], settles: [{ id: reference, status: 'FAILED' }] })
  } else if ((await loadListing(tx, payment)).is_listed) await ctx.mover.failPending(tx, reference)
  if (payment.quote_id !== null) await releaseToken(tx, payment.quote_id, payment.id)
  if (payment.holds_transfer) await failUnfunded(tx, reference, at)
}

/** A payment as a deposit of its payer: for a send, the captured amount without a conversion. */
export const toCaptured = (payment: PaymentRow): PaymentRow =>
  payment.purpose === 'send' ? { ...payment, locked_price: null, quote_id: null } : payment

/** Legs of a deposit or guest's payment into the wallet, converted if it has a price. */
export async function depositLegs(ctx: PostingContext, db: Db, { payment, wallet }: WalletPayment): Promise<Leg[]> {
  const price = findPrice(payment)
  if (price) return ctx.exchange.legs(db, { price, from: chooseSettlementAccount(payment), to: wallet })
  return [await inflowLeg(ctx, db, { payment, wallet })]
}

/** Leg that credits the captured amount to the wallet. */
export const inflowLeg = async (
  { wallets }: Pick<PostingContext, 'wallets'>,
  db: Db,
  { payment, wallet }: WalletPayment,
): Promise<Leg> => ({
  from: await wallets.accountId(db, chooseSettlementAccount(payment)),
  to: await wallets.accountId(db, walletAccount(wallet.id, payment.currency)),
  amount: payment.amount_minor,
  code: 'deposit',
})

/** Row of a late payment: the money of a send is described as a deposit for a transfer that was not made. */
export const toLateRow = ({ purpose }: PaymentRow, row: NewTransaction): NewTransaction =>
  purpose === 'send' ? { ...row, description: { code: 'payment_for_unmade_transfer' } } : row

/**
 * Posts a movement at the locked price and uses up its quote. If the quote is already used, which is possible for old
 * payments that did not reserve it, the movement is posted at the same price.
 */
export async function postPromised(
  ctx: Pick<PostingContext, 'mover'>,
  tx: Tx,
  payment: PaymentRow,
  request: MoveRequest,
): Promise<void> {
  if (payment.quote_id !== null) {
    const movement = { ...request.movement, once: payment.quote_id, holder: payment.id }
    const outcome = await ctx.mover.moveWithin(tx, { ...request, movement })
    if (outcome.status === 'posted') return
    if (outcome.status !== 'refused' || outcome.reason !== 'already_used') acceptOutcome(outcome)
  }
  await postMovementOnce(ctx, tx, request)
}

/** Posts a movement; throws if it was posted before. */
export async function postMovementOnce(
  { mover }: Pick<PostingContext, 'mover'>,
  tx: Tx,
  request: MoveRequest,
): Promise<void> {
  const outcome = acceptOutcome(await mover.moveWithin(tx, request))
  if (outcome !== 'posted') throw new Error(`${request.movement.kind} ${request.movement.id} was posted before`)
}
