import type pg from 'pg'
import type * as contract from '@tern/contract/payments'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Transaction } from '@tern/contract/transactions'
import type { TransferRequest } from '@tern/contract/transfers'
import { walletAccount } from '@tern/ledger/chart'
import { loadBalances } from '@tern/ledger/ledger'
import { isCurrencyCode } from '@tern/money/currency'
import { defaultMinimum } from '@tern/money/minimum-target'
import { type Money, money, toDecimal } from '@tern/money/money'
import type * as z from 'zod/mini'
import type { Db } from '../../../platform/database/db.ts'
import { amountText, parseAmount } from '../../../platform/http/amount.ts'
import { isUuid } from '../../../platform/ids.ts'
import { Refusal, refuse, refuseField } from '../../../platform/refuse.ts'
import { currentRequestMessages } from '../../../platform/messages.ts'
import { type Caller, requireCaller } from '../../../platform/http/serve.ts'
import { sourceName } from '../../risk/risk.ts'
import {
  type ConfirmedRequest,
  verifyStepUp,
  revokeRefused,
  deriveRiskMovementId,
  type Send,
  buildSendCandidate,
  sendStepUp,
  undoPart,
} from '../../transfers/transfers.ts'
import { begunView, placeDeposit } from './deposits.ts'
import { type PaymentInput, checkForPayer, createIntent, hashRequest, submitBegun } from './payment-intents.ts'
import type { PaymentContext } from '../context.ts'
import { resolveFundingSource } from '../instruments/funding-source.ts'
import { findSend, buildSendRows } from '../records/payment-postings.ts'
import { sendStates, deriveTransactionId } from '../records/payment-rows.ts'
import { findByKey, storePaymentRefusal, type Request } from '../records/refused-payments.ts'
import { findTransaction, readRowView } from '../../wallets/wallets.ts'
import { failureReason, toProgress } from './submission.ts'
import type { PaymentRow } from '../row-types.ts'

interface FundedSendInput extends PaymentInput {
  readonly recipientId: number
  readonly description: string
  readonly undo_seconds?: number | undefined
  readonly minimum_target_amount?: string | undefined
}

interface OrderCall<Body extends z.ZodMiniType> extends Pick<ConfirmedRequest, 'idempotencyKey' | 'confirmation'> {
  readonly caller: Caller
  readonly body: z.output<Body>
}

/** Begins a send paid by a card, a bank account, or wallet and card. Refusals: see the contract. */
export async function directPayment(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller, body: request, idempotencyKey, confirmation }: OrderCall<typeof contract.directPaymentRequest>,
): Promise<Reply<typeof contract.directPayment>> {
  requireCaller(caller, request.userId)
  const currency = request.currency.toUpperCase()
  if (!isCurrencyCode(currency)) return refuseField('currency_not_held', 'currency')
  const { paymentSource: method, description = '' } = request
  const input = { ...request, method, amount: money(currency, BigInt(request.amount)), description }
  const send = { caller, input, source: method, idempotencyKey, confirmation }
  const payment = await beginSend(ctx, pool, send).catch(renameRecipient)
  return { ...begunView(payment), transaction_id: deriveTransactionId(payment), message: describeStatus(payment) }
}

/** Begins a deposit or a send, by its purpose. Refusals: see the contract. */
export async function createPayment(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller, body: request, idempotencyKey, confirmation }: OrderCall<typeof contract.createPaymentRequest>,
): Promise<Reply<typeof contract.createPayment>> {
  const { purpose, method, recipient_id: recipientId, description = '', ...rest } = request
  if (purpose === 'deposit') {
    if (method === 'wallet_partial') return refuseField('payment_source_unavailable', 'method')
    return placeDeposit(ctx, pool, { caller, body: { ...rest, method }, idempotencyKey, confirmation })
  }
  if (recipientId === undefined) return refuseField('invalid_request', 'recipient_id', 'recipient_not_registered')
  const amount = parseAmount('amount', request.currency, request.amount)
  const input = { ...rest, method, amount, recipientId, description }
  return begunView(await beginSend(ctx, pool, { caller, input, source: method, idempotencyKey, confirmation }))
}

interface SendOrder extends ConfirmedRequest {
  readonly caller: Caller
  readonly input: FundedSendInput
}

async function beginSend(ctx: PaymentContext, pool: pg.Pool, order: SendOrder): Promise<PaymentRow> {
  const { caller, input, idempotencyKey } = order
  const { recipientId: recipient, description, undo_seconds: undo, minimum_target_amount: minimum } = input
  const minimumPart = minimum === undefined ? {} : { minimum }
  const hash = hashRequest('send', input, { recipient, description, ...undoPart(undo), ...minimumPart })
  const request = { userId: caller.userId, idempotencyKey, hash }
  const existingPayment = await findByKey(pool, request)
  const payment =
    existingPayment ??
    (await createSend(ctx, pool, { ...order, request }).catch((error: unknown) =>
      storePaymentRefusal(ctx, pool, { request, error }),
    ))
  return submitBegun(ctx, pool, { payment, isNew: existingPayment === undefined })
}

type KeyedSend = SendOrder & { readonly request: Request; readonly requestId?: string }

/** Creates the payment of a send after checking limits, risk and step-up. Refuses like these checks. */
export async function createSend(ctx: PaymentContext, pool: pg.Pool, keyedRequest: KeyedSend): Promise<PaymentRow> {
  const { caller, input, request, requestId, ...confirmed } = keyedRequest
  const { send, ...prepared } = await prepareSend(ctx, pool, { caller, input })
  const { bank_account_id: accountId, saved_card_id: cardId } = prepared.terms
  const instrumentId = accountId ?? cardId ?? undefined
  const movementId = deriveRiskMovementId(confirmed.source, caller.userId, confirmed.idempotencyKey)
  const paidFrom = sourceName(confirmed.source, instrumentId)
  const candidate = { ...buildSendCandidate('funded_send', send), movementId, paidFrom, sessionId: caller.sessionId }
  const { decided } = await ctx.transfers.authorize(candidate)
  const stepUp = sendStepUp(caller, send, { ...confirmed, instrumentId })
  const decisionId = await verifyStepUp(ctx, pool, stepUp)
  const hold = decided.outcome === 'hold' ? { candidate, decided } : undefined
  const intent = createIntent(ctx, pool, { request, order: { ...prepared, send, hold, requestId } })
  return intent.catch((error: unknown) => revokeRefused(ctx, pool, { decisionId, error }))
}

/**
 * Status of a send to this recipient, of this amount, which the caller pays by card or bank: the payment with id
 * `payment_id`, or else the newest. Moves no money. Refuses `payment_not_found`, `payment_failed`, and malformed
 * requests.
 */
export async function findPaidTransfer(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller, request }: { readonly caller: Caller; readonly request: TransferRequest },
) {
  const { userId } = caller
  requireCaller(caller, request.sender_id, 'sender_id')
  const existingPayment = (await findRequestPayment(pool, { userId, request })) ?? refuse('payment_not_found')
  const payment = await checkForPayer(ctx, pool, existingPayment)
  if (payment.status === 'failed') return refuse('payment_failed', { reason: failureReason(payment.reason) })
  const id = deriveTransactionId(payment)
  const transaction =
    (await findTransaction(pool, { userId, id })) ??
    (await toUnlistedTransaction(ctx, pool, payment)) ??
    refuse('payment_not_found')
  return { transaction_id: id, status: transaction.status, transaction }
}

/** The user's send with this transfer or payment id, as a transfer, after polling its provider if that is due. */
export async function findFundedSend(
  ctx: PaymentContext,
  pool: pg.Pool,
  { userId, id }: { readonly userId: bigint; readonly id: string },
) {
  const { rows } = await pool.query<PaymentRow>(
    `select * from payment where user_id = $1 and purpose = 'send' and (id = $2 or transaction_id = $2)`,
    [userId, id],
  )
  if (!rows[0]) return undefined
  const payment = await checkForPayer(ctx, pool, rows[0])
  const { id: paymentId, status } = payment
  return {
    kind: 'funded_send' as const,
    id: deriveTransactionId(payment),
    state: sendStates[status],
    paymentId,
    ...toProgress(payment),
    reversed: status === 'reversed',
    unlisted: payment.is_listed ? undefined : await toUnlistedTransaction(ctx, pool, payment),
  }
}

/** Resolves recipient and price of a send, and the parts paid by the wallet and by the card or bank account. */
export async function prepareSend(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller, input }: { readonly caller: Caller; readonly input: FundedSendInput },
) {
  const { exchange, transfers } = ctx
  const { amount, quote_id: quoteId, method } = input
  const quote = quoteId === undefined ? undefined : await exchange.accept({ userId: caller.userId, quoteId })
  const request = {
    recipient_id: input.recipientId,
    amount: toDecimal(amount),
    source_currency: amount.currency,
    description: input.description,
    undo_seconds: input.undo_seconds,
    ...(quote ? { quote_id: quoteId, target_currency: quote.price.target.currency } : {}),
  }
  const send = await transfers.prepareSend({ sender: caller, request })
  const { price, sender } = send
  const minimumTarget = resolveMinimum(input, send)
  // Cards and banks pay in the sender's base currency, so that all money passes through the sender's wallet.
  if (amount.currency !== sender.wallet.baseCurrency) refuseField('currency_not_held', 'currency')
  const wallet_part_minor = method === 'wallet_partial' ? await readAvailable(pool, send) : 0n
  const charged = money(price.total.currency, price.total.minor - wallet_part_minor)
  const source = await resolveFundingSource(ctx, pool, { userId: caller.userId, input, currency: charged.currency })
  const terms = { purpose: 'send', method, quote_id: send.quoteId ?? null, wallet_part_minor, ...source } as const
  const promisedTerms = { price, priceHeldUntil: quote?.expiresAt, minimumTarget }
  return { terms, charged, wallet: sender.wallet, send: { ...send, minimumTarget }, ...promisedTerms }
}

/**
 * Minimum credit to the recipient of a send that is priced when its money arrives: a bank debit, which takes days, into
 * another currency. Defaults to `defaultMinimum`. Refuses a minimum for any other send, and one above the estimate.
 */
function resolveMinimum(
  { method, minimum_target_amount: minimumText }: FundedSendInput,
  { price }: Send,
): Money | undefined {
  const field = 'minimum_target_amount'
  const { source, target } = price
  if (method !== 'bank' || source.currency === target.currency) {
    return minimumText === undefined ? undefined : refuseField('invalid_request', field, 'minimum_not_needed')
  }
  if (minimumText === undefined) return defaultMinimum(target)
  const minimum = parseAmount(field, target.currency, minimumText)
  if (minimum.minor <= target.minor) return minimum
  const params = { estimate: amountText(target) }
  return refuseField('invalid_request', field, { code: 'minimum_above_estimate', params })
}

/** Returns the whole balance, which must be less than the amount sent. Refuses `payment_source_unavailable`. */
async function readAvailable(db: Db, { sender, price }: Send): Promise<bigint> {
  const { name } = walletAccount(sender.wallet.id, price.source.currency)
  const available = (await loadBalances(db, [name])).get(name)?.balance ?? 0n
  return available < price.source.minor ? available : refuseField('payment_source_unavailable', 'paymentSource')
}

/** Rethrows a refusal whose errors name the field `recipientId`, as the request does. */
function renameRecipient(error: unknown): never {
  if (!(error instanceof Refusal) || !error.details.errors) throw error
  const rename = (field: string) => (field === 'recipient_id' ? 'recipientId' : field)
  const errors = error.details.errors.map((problem) => ({ ...problem, field: rename(problem.field) }))
  return refuse(error.code, { ...error.details, errors })
}

function describeStatus({ status, method, redirect_url: redirectUrl }: PaymentRow): string {
  const { transfers } = currentRequestMessages().activity
  if (status === 'completed') return transfers.arrived
  if (redirectUrl !== null) return transfers.to_be_paid
  return method === 'bank' ? transfers.bank_on_its_way : transfers.payment_on_its_way
}

/** Newest payment of the user that matches a transfer request. */
async function findRequestPayment(
  db: Db,
  { userId, request }: { readonly userId: bigint; readonly request: TransferRequest },
): Promise<PaymentRow | undefined> {
  const { source_currency: currency, payment_id: paymentId, payment_source: method } = request
  const amount = parseAmount('amount', currency, request.amount)
  if (paymentId !== undefined && !isUuid(paymentId)) return undefined
  const { rows } = await db.query<PaymentRow>(
    `select * from payment
      where user_id = $1 and purpose = 'send' and recipient_id = $2 and method = $3 and currency = $4
        and locked_price ->> 'source' = $5 and ($6::uuid is null or id = $6)
      order by id desc limit 1`,
    [userId, request.recipient_id, method, currency, toDecimal(amount), paymentId ?? null],
  )
  return rows[0]
}

/** The sender's transaction of a send that is not stored as a transaction yet. */
async function toUnlistedTransaction(
  ctx: PaymentContext,
  db: Db,
  payment: PaymentRow,
): Promise<Transaction | undefined> {
  const send = await findSend(ctx, db, payment)
  if (!send) return undefined
  const [senderRow] = buildSendRows(payment, send)
  const status = sendStates[payment.status] === 'failed' ? 'FAILED' : 'PENDING'
  return readRowView(db, {
    row: { ...senderRow, status },
    id: deriveTransactionId(payment),
    at: payment.created_at,
    counterparty: send.recipient,
  })
}
