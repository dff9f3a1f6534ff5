import { type BankAccount, bankLinkStatus, paymentMethods, type SavedCard } from '@tern/contract/banking'
import type { CurrencyCode } from '@tern/money/currency'
import { queryOptions } from '@tanstack/react-query'
import { callApi } from '../session/session.ts'

/** The person's saved cards and linked bank accounts. */
export const paymentMethodsQuery = (userId: number) =>
  queryOptions({
    queryKey: ['payment-methods', userId],
    queryFn: ({ signal }) => callApi(paymentMethods, {}, signal),
  })

// About a minute and a half in all; what takes longer appears in the lists when the page is next opened.
const pausesMs = [1000, 1000, 2000, 3000, 5000, 8000, 15_000, 15_000, 15_000, 30_000]

/** What became of linking a bank account, asked again with growing pauses while nobody knows. */
export const bankLinkQuery = (linkId: string) =>
  queryOptions({
    queryKey: ['bank-link', linkId],
    queryFn: ({ signal }) => callApi(bankLinkStatus, { params: { id: linkId } }, signal),
    refetchInterval: ({ state }) => {
      if (state.data && state.data.status !== 'pending') return false
      return pausesMs[state.dataUpdateCount + state.errorUpdateCount - 1] ?? false
    },
    retry: false,
  })

/** True once the month on the card is over. */
export const hasExpired = ({ exp_month: month, exp_year: year }: SavedCard, now: Date): boolean =>
  now.getTime() >= Date.UTC(year, month)

/** The card to begin with: the default one unless it has expired. Undefined means a new card. */
export const usualCard = (cards: readonly SavedCard[], now: Date): SavedCard | undefined => {
  const good = cards.filter((card) => !hasExpired(card, now))
  return good.find((card) => card.is_default) ?? good[0]
}

/** The bank account to begin with: the default one where that is in `currency`, else the first that is. */
export const usualBankAccount = (accounts: readonly BankAccount[], currency: CurrencyCode): BankAccount | undefined => {
  const fitting = accounts.filter((account) => account.currency === currency)
  return fitting.find((account) => account.is_default) ?? fitting[0]
}
