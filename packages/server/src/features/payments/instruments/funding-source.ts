import type { CurrencyCode } from '@tern/money/currency'
import { refuseField } from '../../../platform/refuse.ts'
import type { BankAccounts } from './bank-accounts.ts'
import type { Order } from '../pay-ins/payment-intents.ts'
import type { SavedCards } from './saved-cards.ts'

/** With what a payment is to be made, as it is asked for. */
export interface FundingSource {
  readonly bankAccountId?: string | undefined
  readonly paymentMethodId?: string | undefined
  readonly saveCard?: boolean | undefined
  readonly quote_id?: string | undefined
}

/**
 * The bank account or card of this user that pays in `currency`. Refuses `bank_account_needed`,
 * `payment_method_not_found`, and `currency_not_supported` where the bank account is kept in another currency.
 */
export async function resolveFundingSource(
  { bankAccounts, savedCards }: { bankAccounts: BankAccounts; savedCards: SavedCards },
  userId: bigint,
  asked: FundingSource & { readonly method: Order['method'] },
  currency: CurrencyCode,
): Promise<Pick<Order, 'bankAccountId' | 'savedCardId' | 'saveCard'>> {
  if (asked.method === 'bank') {
    const account = await bankAccounts.usableAccount(userId, asked.bankAccountId)
    if (account.currency !== currency) {
      refuseField('currency_not_supported', 'bankAccountId', {
        code: 'account_currency',
        params: { currency: account.currency },
      })
    }
    return { bankAccountId: account.id }
  }
  if (asked.paymentMethodId === undefined) return { saveCard: asked.saveCard ?? false }
  await savedCards.requireCard(userId, asked.paymentMethodId)
  return { savedCardId: asked.paymentMethodId }
}
