import type pg from 'pg'
import type { cardDeposit, deposit, depositByCard, depositRequest } from '@tern/contract/payments'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type * as z from 'zod/mini'
import { parseAmount } from '../../../platform/http/amount.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { type Caller, requireCaller } from '../../../platform/http/serve.ts'
import { requireNotFrozen } from '../../risk/risk.ts'
import { type ConfirmedRequest, verifyStepUp, revokeRefused } from '../../transfers/transfers.ts'
import { findWallet, type Wallet } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import { resolveFundingSource } from '../instruments/funding-source.ts'
import { stepUpForPull } from './pull-step-up.ts'
import { findByKey, storePaymentRefusal, type Request } from '../records/refused-payments.ts'
import { type PaymentInput, createIntent, hashRequest, submitBegun } from './payment-intents.ts'
import { toOwnerStatus } from './submission.ts'
import type { PaymentRow } from '../row-types.ts'

/** Card deposit as requested; callers inside the process may pass amounts beyond the range of JSON numbers. */
export type CardDeposit = Omit<z.output<typeof cardDeposit>, 'amount'> & { readonly amount: number | bigint }

type Deposit = PaymentInput & { readonly method: 'card' | 'bank'; readonly userId?: number | undefined }

interface CardDepositOrder {
  readonly caller: Caller
  readonly body: CardDeposit
  readonly idempotencyKey: string | undefined
  readonly confirmation?: string | undefined
}

interface DepositOrder extends Pick<ConfirmedRequest, 'idempotencyKey' | 'confirmation'> {
  readonly caller: Caller
  readonly body: z.output<typeof depositRequest>
}

/** Currencies that can be deposited besides the wallet's own; these are converted. */
const convertedCurrencies: ReadonlySet<CurrencyCode> = new Set(['USD', 'EUR', 'GBP'])

/** Begins a deposit by card. Refusals: see `depositByCard` in the contract. */
export async function depositFromCard(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller, body, idempotencyKey, confirmation }: CardDepositOrder,
): Promise<Reply<typeof depositByCard>> {
  const { amount, currency, ...rest } = body
  const code = currency.toUpperCase()
  if (!isCurrencyCode(code)) return refuseField('currency_not_supported', 'currency')
  // Saved cards are charged at once, so a retry without a key would charge again.
  if (rest.paymentMethodId !== undefined && idempotencyKey === undefined) {
    return refuseField('idempotency_key_required', 'Idempotency-Key')
  }
  const input = { ...rest, method: 'card', amount: money(code, BigInt(amount)) } as const
  const key = idempotencyKey ?? crypto.randomUUID()
  return beginDeposit(ctx, pool, { caller, input, idempotencyKey: key, confirmation })
}

/** Begins a deposit by card or bank debit. Refusals: see `deposit` in the contract. */
export async function placeDeposit(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller, body, idempotencyKey, confirmation }: DepositOrder,
): Promise<Reply<typeof deposit>> {
  const { amount, currency, ...rest } = body
  const input = { ...rest, amount: parseAmount('amount', currency, amount) }
  return beginDeposit(ctx, pool, { caller, input, idempotencyKey, confirmation })
}

interface DepositCall extends Pick<ConfirmedRequest, 'idempotencyKey' | 'confirmation'> {
  readonly caller: Caller
  readonly input: Deposit
}

async function beginDeposit(ctx: PaymentContext, pool: pg.Pool, order: DepositCall): Promise<Reply<typeof deposit>> {
  const { caller, input, idempotencyKey } = order
  requireCaller(caller, input.userId)
  if (!caller.verified) refuse('verification_required')
  const request = { userId: caller.userId, idempotencyKey, hash: hashRequest('deposit', input) }
  const existingPayment = await findByKey(pool, request)
  const payment =
    existingPayment ??
    (await createDeposit(ctx, pool, { ...order, request }).catch((error: unknown) =>
      storePaymentRefusal(ctx, pool, { request, error }),
    ))
  return begunView(await submitBegun(ctx, pool, { payment, isNew: existingPayment === undefined }))
}

async function createDeposit(
  ctx: PaymentContext,
  pool: pg.Pool,
  { caller, input, idempotencyKey, confirmation, request }: DepositCall & { readonly request: Request },
): Promise<PaymentRow> {
  const { userId } = caller
  await requireNotFrozen(pool, userId)
  const { method, quote_id = null } = input
  const wallet = (await findWallet(pool, userId)) ?? refuse('not_found')
  const { price, expiresAt: priceHeldUntil } = (await depositPrice(ctx, { wallet, input })) ?? {}
  const charged = price?.total ?? input.amount
  const source = await resolveFundingSource(ctx, pool, { userId, input, currency: charged.currency })
  const terms = { purpose: 'deposit', method, quote_id, ...source } as const
  const order = { terms, charged, wallet, price, priceHeldUntil }
  const pull = { ...source, charged, price }
  const stepUp = await stepUpForPull(ctx, pool, { caller, pull, source: method, idempotencyKey, confirmation })
  if (!stepUp) return createIntent(ctx, pool, { request, order })
  const decisionId = await verifyStepUp(ctx, pool, stepUp)
  return createIntent(ctx, pool, { request, order }).catch((error: unknown) =>
    revokeRefused(ctx, pool, { decisionId, error }),
  )
}

/** Quote for converting a deposit; undefined in the wallet's own currency, which needs no conversion. */
async function depositPrice(
  { exchange }: PaymentContext,
  { wallet, input }: { readonly wallet: Wallet; readonly input: PaymentInput },
) {
  const { userId, baseCurrency } = wallet
  const { amount, quote_id: quoteId } = input
  const mismatch = (field: string) => refuseField('quote_mismatch', field)
  if (amount.currency === baseCurrency) return quoteId === undefined ? undefined : mismatch('quote_id')
  if (!convertedCurrencies.has(amount.currency)) refuseField('currency_not_supported', 'currency')
  if (quoteId === undefined) {
    return refuseField('invalid_request', 'quote_id', { code: 'quote_needed', params: { currency: baseCurrency } })
  }
  const quote = await exchange.accept({ userId, quoteId })
  const { price, recipientId } = quote
  if (recipientId !== undefined || price.target.currency !== baseCurrency) mismatch('quote_id')
  if (price.source.currency !== amount.currency) mismatch('currency')
  if (price.source.minor !== amount.minor) mismatch('amount')
  return quote
}

export const begunView = (payment: PaymentRow): Reply<typeof deposit> => ({
  success: true,
  payment_id: payment.id,
  status: toOwnerStatus(payment),
  redirectUrl: payment.status === 'pending' ? payment.redirect_url : null,
  transaction_id: payment.transaction_id,
})
