import type { paymentMethods } from '@tern/contract/banking'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { Quote } from '@tern/contract/exchange'
import type { Wallet } from '@tern/contract/wallets'
import { compare, isPositive, parseDecimal, subtract, toDecimal } from '@tern/money/money'
import { findChosenBankAccount, findDefaultCard } from '../../../app/instruments/payment-methods.ts'
import { findBalance } from '../send-form.ts'

/** Ways to pay a transfer; `wallet_partial` is the whole balance with a card for the rest. */
export const paymentSources = ['wallet', 'card', 'bank', 'wallet_partial'] as const
type PaymentSource = (typeof paymentSources)[number]

export interface FundingSource {
  readonly source: PaymentSource
  /** Id of a saved card; null is a new one, undefined means no choice yet. */
  readonly cardId?: string | null | undefined
  readonly bankAccountId?: string | undefined
  /** Saves a new card for later payments. */
  readonly keepsCard: boolean
  /** Minimum amount that must arrive, as typed, for transfers priced on arrival; undefined means the default. */
  readonly least?: string | undefined
}

export const walletSource: FundingSource = { source: 'wallet', keepsCard: false }

export const needsCard = (source: PaymentSource): boolean => source === 'card' || source === 'wallet_partial'

/** Card or bank account that pays: the chosen one, otherwise the default. A card without an id is a new one. */
export function choosePayer(
  { source, cardId, bankAccountId }: FundingSource,
  methods: Reply<typeof paymentMethods>,
  currency: Quote['source_currency'],
  now: Date,
): { cardId: string | undefined; bankAccountId: string | undefined } {
  const { cards, bank_accounts: accounts } = methods
  const chosenCard = cardId === undefined ? findDefaultCard(cards, now) : cards.find(({ id }) => id === cardId)
  return {
    cardId: needsCard(source) ? chosenCard?.id : undefined,
    bankAccountId: source === 'bank' ? findChosenBankAccount(accounts, currency, bankAccountId)?.id : undefined,
  }
}

type QuotedAmounts = Pick<Quote, 'source_amount' | 'source_currency' | 'total'>

/** Reason why a way to pay is not available. */
type Blocker = 'other_currency' | 'balance_is_enough' | 'balance_is_empty'

/**
 * Reason why `source` cannot pay: cards and banks pay only in the wallet's main currency, and wallet and card together
 * only amounts above a non-empty balance. Undefined if it can.
 */
export function findBlocker(source: PaymentSource, quote: QuotedAmounts, wallet: Wallet): Blocker | undefined {
  if (source === 'wallet') return undefined
  const currency = quote.source_currency
  if (currency !== wallet.base_currency) return 'other_currency'
  if (source !== 'wallet_partial') return undefined
  const balance = parseDecimal(currency, findBalance(wallet, currency))
  if (!isPositive(balance)) return 'balance_is_empty'
  return compare(parseDecimal(currency, quote.source_amount), balance) <= 0 ? 'balance_is_enough' : undefined
}

/** Checks whether amount plus fee exceeds the balance. */
export function isAboveBalance(quote: QuotedAmounts, wallet: Wallet): boolean {
  const currency = quote.source_currency
  return compare(parseDecimal(currency, quote.total), parseDecimal(currency, findBalance(wallet, currency))) > 0
}

/** Split between wallet (its whole balance) and card (the rest of the total), as decimal strings. */
export function splitTotal(quote: QuotedAmounts, wallet: Wallet): { fromWallet: string; fromCard: string } {
  const currency = quote.source_currency
  const balance = parseDecimal(currency, findBalance(wallet, currency))
  return {
    fromWallet: toDecimal(balance),
    fromCard: toDecimal(subtract(parseDecimal(currency, quote.total), balance)),
  }
}
