import type { cardDeposit, deposit, depositByCard, depositRequest } from '@tern/contract/payments'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type * as z from 'zod/mini'
import { parseAmount } from '../../../platform/http/amount.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import { type Caller, requireCaller } from '../../../platform/http/serve.ts'
import { requireNotFrozen } from '../../risk/risk.ts'
import { type Confirmed, keepIfMade, passStepUp } from '../../transfers/transfers.ts'
import { findWallet, type Wallet } from '../../wallets/wallets.ts'
import type { PaymentContext } from '../context.ts'
import { resolveFundingSource } from '../instruments/funding-source.ts'
import type { PaymentRow } from '../records/payment-rows.ts'
import { stepUpForPull } from './pull-step-up.ts'
import { type Asked, beginPayment, hashOf } from './payment-intents.ts'
import { stateOf } from './submission.ts'

/** A card deposit as it is asked for; amounts from inside the process may be larger than a JSON number holds. */
export type CardDeposit = Omit<z.output<typeof cardDeposit>, 'amount'> & { readonly amount: number | bigint }

type Deposit = Asked & { readonly method: 'card' | 'bank'; readonly userId?: number | undefined }

/** The wallet's own currency can always be deposited; these are converted. */
const convertedCurrencies: ReadonlySet<CurrencyCode> = new Set(['USD', 'EUR', 'GBP'])

/** Begins a deposit by card. Refuses what the contract's `depositByCard` lists. */
export async function depositFromCard(
  context: PaymentContext,
  caller: Caller,
  { amount, currency, ...rest }: CardDeposit,
  idempotencyKey: string | undefined,
  confirmation?: string,
): Promise<Reply<typeof depositByCard>> {
  const code = currency.toUpperCase()
  if (!isCurrencyCode(code)) return refuseField('currency_not_supported', 'currency')
  // A saved card is charged at once: repeated without a key, it would be charged again.
  if (rest.paymentMethodId !== undefined && idempotencyKey === undefined) {
    return refuseField('idempotency_key_required', 'Idempotency-Key')
  }
  const asked = { ...rest, method: 'card', amount: money(code, BigInt(amount)) } as const
  return beginDeposit(context, caller, asked, { idempotencyKey: idempotencyKey ?? crypto.randomUUID(), confirmation })
}

/** Begins a deposit by card or bank debit. Refuses what the contract's `deposit` lists. */
export async function depositFrom(
  context: PaymentContext,
  caller: Caller,
  { amount, currency, ...rest }: z.output<typeof depositRequest>,
  idempotencyKey: string,
  confirmation?: string,
): Promise<Reply<typeof deposit>> {
  const asked = { ...rest, amount: parseAmount('amount', currency, amount) }
  return beginDeposit(context, caller, asked, { idempotencyKey, confirmation })
}

async function beginDeposit(
  context: PaymentContext,
  caller: Caller,
  asked: Deposit,
  { idempotencyKey, confirmation }: Pick<Confirmed, 'idempotencyKey' | 'confirmation'>,
) {
  const { userId } = caller
  requireCaller(caller, asked.userId)
  if (!caller.verified) refuse('verification_required')
  const request = { userId, idempotencyKey, hash: hashOf('deposit', asked) }
  const payment = await beginPayment(context, request, async (create) => {
    await requireNotFrozen(context.pool, userId)
    const { method, quote_id = null } = asked
    const wallet = (await findWallet(context.pool, userId)) ?? refuse('not_found')
    const { price, expiresAt: priceHeldUntil } = (await depositPrice(context, wallet, asked)) ?? {}
    const charged = price?.total ?? asked.amount
    const source = await resolveFundingSource(context, userId, asked, charged.currency)
    const terms = { purpose: 'deposit', method, quote_id, ...source } as const
    const begin = () => create({ terms, charged, wallet, price, priceHeldUntil })
    const confirmed = { source: method, idempotencyKey, confirmation }
    const stepUp = await stepUpForPull(context, caller, { ...source, charged, price }, confirmed)
    return stepUp ? keepIfMade(context, context.pool, await passStepUp(context, context.pool, stepUp), begin) : begin()
  })
  return begunView(payment)
}

/** The quote that a deposit is converted at; undefined in the wallet's own currency, which costs nothing. */
async function depositPrice({ exchange }: PaymentContext, { userId, baseCurrency }: Wallet, asked: Asked) {
  const { amount, quote_id: quoteId } = asked
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

/** How a payment stands, as whoever began it is told. */
export const begunView = (payment: PaymentRow): Reply<typeof deposit> => ({
  success: true,
  payment_id: payment.id,
  status: stateOf(payment),
  redirectUrl: payment.status === 'pending' ? payment.redirect_url : null,
  transaction_id: payment.transaction_id,
})
