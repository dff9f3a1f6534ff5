import type { BankAccount, paymentMethods, SavedCard } from '@tern/contract/banking'
import type { Quote } from '@tern/contract/exchange'
import type { CallInput, Reply } from '@tern/contract/protocol/endpoint'
import type { payLinkFromOutside } from '@tern/contract/requests/link-funding'
import type { Wallet } from '@tern/contract/wallets'
import { compare, isPositive, parseDecimal, subtract, toDecimal } from '@tern/money/money'
import { findChosenBankAccount, findDefaultCard } from '../../../../app/instruments/payment-methods.ts'

/** Way to pay a request; `wallet_partial` is the whole balance with a card for the rest. */
export type PaymentWay = 'wallet' | 'card' | 'bank' | 'wallet_partial'

export interface Funding {
  readonly way?: PaymentWay
  /** Id of a saved card; null is a new one. */
  readonly cardId?: string | null
  readonly bankAccountId?: string
  readonly keepsCard: boolean
}

type QuotedAmounts = Pick<Quote, 'source_amount' | 'source_currency' | 'target_currency' | 'total'>
type Methods = Reply<typeof paymentMethods>

/** Reason why a way is not available. */
export type Blocker = 'balance' | 'other_currency'

const parseBalance = ({ base_currency: currency, fiat_balance: balance }: Wallet) => parseDecimal(currency, balance)

/**
 * Ways to pay at this price, in display order. Wallet and card are combined only while the balance is below the amount.
 */
export function listPaymentWays(
  price: QuotedAmounts,
  wallet: Wallet,
): readonly { readonly way: PaymentWay; readonly blocker?: Blocker }[] {
  const balance = parseBalance(wallet)
  const isShort = compare(parseDecimal(wallet.base_currency, price.total), balance) > 0
  const isBalanceTooLow = compare(parseDecimal(wallet.base_currency, price.source_amount), balance) > 0
  const needsConversion = price.source_currency !== price.target_currency
  return [
    isShort ? { way: 'wallet', blocker: 'balance' } : { way: 'wallet' },
    { way: 'card' },
    needsConversion ? { way: 'bank', blocker: 'other_currency' } : { way: 'bank' },
    ...(isBalanceTooLow && isPositive(balance) ? [{ way: 'wallet_partial' } as const] : []),
  ]
}

/** Effective way: the chosen one while available, otherwise the wallet, otherwise a card. */
export function choosePaymentWay({ way }: Funding, price: QuotedAmounts, wallet: Wallet): PaymentWay {
  const availableWays = new Set(
    listPaymentWays(price, wallet).flatMap((candidate) => (candidate.blocker ? [] : [candidate.way])),
  )
  return way && availableWays.has(way) ? way : availableWays.has('wallet') ? 'wallet' : 'card'
}

export const needsCard = (way: PaymentWay): boolean => way === 'card' || way === 'wallet_partial'

/** Card that pays: the chosen or the default one; undefined is a new one. */
export const findCard = ({ cardId }: Funding, { cards }: Methods, now: Date): SavedCard | undefined =>
  cardId === undefined ? findDefaultCard(cards, now) : cards.find(({ id }) => id === cardId)

/** Bank account that pays; undefined while none in the wallet's currency is linked. */
export const findBankAccount = (funding: Funding, methods: Methods, wallet: Wallet): BankAccount | undefined =>
  findChosenBankAccount(methods.bank_accounts, wallet.base_currency, funding.bankAccountId)

/** Decimal amount charged to the card if the wallet pays its whole balance. */
export const computeCardAmount = (price: QuotedAmounts, wallet: Wallet): string =>
  toDecimal(subtract(parseDecimal(wallet.base_currency, price.total), parseBalance(wallet)))

/** Payment source in the request body; payments from the wallet have none. */
export type Source = Omit<CallInput<typeof payLinkFromOutside>['body'], 'quote_id'>

/** Request body of an external source; undefined for the wallet, or while the bank account is missing. */
export function buildSource(funding: Funding, way: PaymentWay, methods: Methods, wallet: Wallet): Source | undefined {
  if (way === 'wallet') return undefined
  if (way === 'bank') {
    const account = findBankAccount(funding, methods, wallet)
    return account && { method: way, bankAccountId: account.id }
  }
  const card = findCard(funding, methods, new Date())
  return card ? { method: way, paymentMethodId: card.id } : { method: way, saveCard: funding.keepsCard }
}
