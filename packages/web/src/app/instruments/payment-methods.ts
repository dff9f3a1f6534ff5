import { type BankAccount, paymentMethods, type SavedCard } from '@tern/contract/banking'
import type { CurrencyCode } from '@tern/money/currency'
import { paymentMethods as texts } from '#messages/payment-methods.ts'
import { buildQuery } from '../session/query.ts'

export const paymentMethodsQuery = (userId: number) => buildQuery(['payment-methods', userId], paymentMethods, {})

/** True once the card's expiry month is over, in UTC. */
export const hasExpired = ({ exp_month: month, exp_year: year }: SavedCard, now: Date): boolean =>
  now.getTime() >= Date.UTC(year, month)

/** Preselected card: the default unless it has expired, else the first valid one; undefined if none is valid. */
export const findDefaultCard = (cards: readonly SavedCard[], now: Date): SavedCard | undefined => {
  const validCards = cards.filter((card) => !hasExpired(card, now))
  return validCards.find((card) => card.is_default) ?? validCards[0]
}

/** Preselected bank account: the default if it is in `currency`, else the first that is. */
export const findDefaultBankAccount = (
  accounts: readonly BankAccount[],
  currency: CurrencyCode,
): BankAccount | undefined => {
  const matchingAccounts = accounts.filter((account) => account.currency === currency)
  return matchingAccounts.find((account) => account.is_default) ?? matchingAccounts[0]
}

/** The chosen account if it is in `currency`, else the preselected one. */
export const findChosenBankAccount = (accounts: readonly BankAccount[], currency: CurrencyCode, chosen?: string) =>
  accounts.find((account) => account.id === chosen && account.currency === currency) ??
  findDefaultBankAccount(accounts, currency)

/** Such as "Harbour Bank ··6789". */
export const accountName = ({ bank_name: bank, last4 }: Pick<BankAccount, 'bank_name' | 'last4'>): string =>
  texts.shortly(bank, last4)

/** Such as "Visa ··4242". */
export const cardName = ({ brand, last4 }: Pick<SavedCard, 'brand' | 'last4'>): string => texts.shortly(brand, last4)
