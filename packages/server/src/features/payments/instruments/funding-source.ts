import type { CurrencyCode } from '@tern/money/currency'
import { refuseField } from '../../../platform/refuse.ts'
import { chooseProvider, type PaymentContext } from '../context.ts'
import type { Order } from '../pay-ins/payment-intents.ts'
import { instrumentsOf, usableAccount } from './instruments.ts'

/** What a payment is to be made with, as it is asked for. */
export interface FundingSource {
  readonly bankAccountId?: string | undefined
  readonly paymentMethodId?: string | undefined
  readonly saveCard?: boolean | undefined
  readonly quote_id?: string | undefined
}

/**
 * What pays in `currency`, and its provider; the rules choose it for a new card. Refuses `bank_account_needed`,
 * `payment_method_not_found` and `currency_not_supported`.
 */
export async function resolveFundingSource(
  context: PaymentContext,
  userId: bigint,
  asked: FundingSource & { readonly method: Order['method'] },
  currency: CurrencyCode,
): Promise<Pick<Order, 'provider' | 'bankAccountId' | 'savedCardId' | 'saveCard'>> {
  if (asked.method === 'bank') {
    const account = await usableAccount(context, userId, asked.bankAccountId)
    if (account.currency !== currency) {
      refuseField('currency_not_supported', 'bankAccountId', {
        code: 'account_currency',
        params: { currency: account.currency },
      })
    }
    return { provider: account.provider, bankAccountId: account.id }
  }
  if (asked.paymentMethodId === undefined) {
    const provider = await chooseProvider(context, userId, { method: 'card', currency })
    return { provider, saveCard: asked.saveCard ?? false }
  }
  const cards = await instrumentsOf(context, 'saved_card', userId)
  const card = cards.find(({ id }) => id === asked.paymentMethodId)
  if (!card) return refuseField('payment_method_not_found', 'paymentMethodId')
  return { provider: card.provider, savedCardId: card.id }
}
