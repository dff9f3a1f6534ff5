import type { cardDeposit, deposit, depositByCard, depositRequest } from '@tern/contract/payments'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type CurrencyCode, isCurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type * as z from 'zod/mini'
import { parseAmount } from '../../../platform/http/amount.ts'
import { requestHash } from '../../../platform/http/idempotency.ts'
import { refuse, refuseField } from '../../../platform/refuse.ts'
import type { Caller } from '../../../platform/http/serve.ts'
import type { Wallet } from '../../wallets/wallets.ts'
import type { BankAccounts } from '../instruments/bank-accounts.ts'
import type { PaymentIntents, Order } from './payment-intents.ts'
import type { PaymentContext } from '../context.ts'
import { type FundingSource, resolveFundingSource } from '../instruments/funding-source.ts'
import type { PaymentRow } from '../records/payment-rows.ts'
import type { SavedCards } from '../instruments/saved-cards.ts'
import { stateOf } from './submission.ts'

/** A card deposit as it is asked for; amounts from inside the process may be larger than a JSON number holds. */
export type CardDeposit = Omit<z.output<typeof cardDeposit>, 'amount'> & { readonly amount: number | bigint }

export interface Deposits {
  /** Begins a deposit by card. Refuses what the contract's `depositByCard` lists. */
  depositByCard(
    caller: Caller,
    request: CardDeposit,
    idempotencyKey: string | undefined,
  ): Promise<Reply<typeof depositByCard>>
  /** Begins a deposit by card or bank debit. Refuses what the contract's `deposit` lists. */
  deposit(
    caller: Caller,
    request: z.output<typeof depositRequest>,
    idempotencyKey: string,
  ): Promise<Reply<typeof deposit>>
}

export interface PaymentParts {
  readonly paymentIntents: PaymentIntents
  readonly savedCards: SavedCards
  readonly bankAccounts: BankAccounts
}

/** Beside the currency of the wallet, which can always be put in, these are converted. */
const convertedCurrencies: ReadonlySet<CurrencyCode> = new Set(['USD', 'EUR', 'GBP'])

interface Asked extends FundingSource {
  readonly method: 'card' | 'bank'
  readonly amount: Money
  readonly userId?: number | undefined
}

export function createDeposits(context: PaymentContext, parts: PaymentParts): Deposits {
  const { wallets } = context
  const { paymentIntents } = parts

  async function decide(caller: Caller, asked: Asked): Promise<Order> {
    const wallet = (await wallets.walletOf(caller.userId)) ?? refuse('not_found')
    const price = await depositPrice(context, caller, wallet, asked)
    const charged = price?.total ?? asked.amount
    const means = await resolveFundingSource(parts, caller.userId, asked, charged.currency)
    return { purpose: 'deposit', method: asked.method, charged, wallet, price, quoteId: asked.quote_id, ...means }
  }

  async function begin(caller: Caller, asked: Asked, idempotencyKey: string): Promise<Reply<typeof deposit>> {
    if (asked.userId !== undefined && BigInt(asked.userId) !== caller.userId) refuseField('not_your_account', 'userId')
    if (!caller.verified) refuse('verification_required')
    const { method, amount, bankAccountId, paymentMethodId, saveCard, quote_id: quoteId } = asked
    const hash = requestHash({
      purpose: 'deposit',
      method,
      amount: amount.minor.toString(),
      currency: amount.currency,
      bankAccountId: bankAccountId ?? null,
      paymentMethodId: paymentMethodId ?? null,
      saveCard: saveCard ?? false,
      quote: quoteId ?? null,
    })
    const request = { userId: caller.userId, idempotencyKey, hash }
    return begunView(await paymentIntents.begin(request, () => decide(caller, asked)))
  }

  return {
    depositByCard(caller, { amount, currency, ...rest }, idempotencyKey) {
      const code = currency.toUpperCase()
      if (!isCurrencyCode(code)) return refuseField('currency_not_supported', 'currency')
      const asked = { ...rest, method: 'card', amount: money(code, BigInt(amount)) } as const
      // A saved card is charged at once: asked for again without a key, it would be charged again.
      if (rest.paymentMethodId !== undefined && idempotencyKey === undefined) {
        return refuseField('idempotency_key_required', 'Idempotency-Key')
      }
      return begin(caller, asked, idempotencyKey ?? crypto.randomUUID())
    },
    async deposit(caller, { amount, currency, ...rest }, idempotencyKey) {
      return begin(caller, { ...rest, amount: parseAmount('amount', currency, amount) }, idempotencyKey)
    },
  }
}

/** How a payment stands, as whoever began it is told. */
export const begunView = (payment: PaymentRow): Reply<typeof deposit> => ({
  success: true,
  payment_id: payment.id,
  status: stateOf(payment),
  redirectUrl: payment.status === 'pending' ? payment.redirect_url : null,
  transaction_id: payment.transaction_id,
})

/** What a deposit is converted at; undefined in the wallet's own currency, which costs nothing. */
async function depositPrice(
  { exchange }: PaymentContext,
  caller: Caller,
  wallet: Wallet,
  { amount, quote_id: quoteId }: Asked,
) {
  const { baseCurrency } = wallet
  if (amount.currency === baseCurrency) {
    return quoteId === undefined ? undefined : refuseField('quote_mismatch', 'quote_id')
  }
  if (!convertedCurrencies.has(amount.currency)) refuseField('currency_not_supported', 'currency')
  if (quoteId === undefined) {
    return refuseField('invalid_request', 'quote_id', { code: 'quote_needed', params: { currency: baseCurrency } })
  }
  const { price, recipientId } = await exchange.accept(caller.userId, quoteId)
  const mismatch = (field: string) => refuseField('quote_mismatch', field)
  if (recipientId !== undefined || price.target.currency !== baseCurrency) mismatch('quote_id')
  if (price.source.currency !== amount.currency) mismatch('currency')
  if (price.source.minor !== amount.minor) mismatch('amount')
  return price
}
