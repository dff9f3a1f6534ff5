import type { Quote } from '@tern/contract/exchange'
import type { CurrencyCode } from '@tern/money/currency'
import { bar } from '#messages/transfers/bar.ts'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import type { LiveQuote } from '../../app/orders/quotes.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'

/** The two lines of the bar under a step of a send, and what its button does. */
export interface SendBar {
  readonly title: string
  readonly detail?: string | undefined
  /** The lines are about to change. */
  readonly isBusy?: boolean
  readonly action: 'next' | 'retry' | 'unfreeze'
}

type Priced = Pick<Quote, 'target_amount' | 'target_currency' | 'total' | 'fee_currency'>

interface RecipientStepState {
  readonly isFrozen: boolean
  /** What the recipient is called; undefined until one is chosen who can be paid. */
  readonly name: string | undefined
  /** The amount is one, and in a currency that is known. */
  readonly hasAmount: boolean
  readonly isCryptoMissing: boolean
  readonly source: CurrencyCode
  /** Decimal string of the source currency. */
  readonly balance: string
  /** What the balance lacks, as a decimal string of the source currency; undefined when it suffices. */
  readonly shortfall: string | undefined
  /** How the missing part can be paid: with the wallet, without it, or not at all. */
  readonly rest: 'card' | 'outside' | undefined
  readonly live: Pick<LiveQuote, 'isLoading'> & {
    readonly priced?: { readonly quote: Priced } | undefined
    readonly failure?: object | undefined
    readonly refused?: { readonly amount?: string | undefined; readonly recipient_id?: string | undefined } | undefined
  }
  /** The last price for the same recipient, shown while the next one comes. */
  readonly last: Priced | undefined
}

const frozen: SendBar = { title: bar.frozen, detail: bar.nothingLeaves, action: 'unfreeze' }

const gets = (name: string, quote: Priced): string =>
  bar.gets(name, formatExact(quote.target_amount, quote.target_currency))

const total = (quote: Priced): string => bar.totalToPay(formatExact(quote.total, quote.fee_currency))

const ways = { card: bar.restByCard, outside: bar.byCardOrBank }

/** The bar of the first step: the chosen balance. */
export function walletBar({ isFrozen, source, balance }: Pick<RecipientStepState, 'isFrozen' | 'source' | 'balance'>) {
  if (isFrozen) return frozen
  return { title: transfers.balance(formatExact(balance, source)), action: 'next' } satisfies SendBar
}

/** The bar of the second step: the first thing that is missing, else the price. */
export function recipientBar(state: RecipientStepState): SendBar {
  const { name, source, live, last, shortfall, rest } = state
  if (state.isFrozen) return frozen
  if (name === undefined || live.refused?.recipient_id)
    return { title: bar.chooseRecipient, detail: bar.thenPrice, action: 'next' }
  const balance = transfers.balance(formatExact(state.balance, source))
  if (state.isCryptoMissing) return { title: transfers.chooseCrypto, detail: bar.thenPrice, action: 'next' }
  if (!state.hasAmount) return { title: bar.enterAmount, detail: balance, action: 'next' }
  if (shortfall !== undefined) {
    const title = bar.overBalance(formatExact(shortfall, source))
    return { title, detail: rest ? ways[rest] : bar.addMoney, action: 'next' }
  }
  if (live.refused?.amount) return { title: bar.checkAmount, detail: balance, action: 'next' }
  if (live.failure) return { title: prices.failedTitle, detail: bar.nothingSent, action: 'retry' }
  const quote = live.priced?.quote
  if (quote) return { title: gets(name, quote), detail: total(quote), action: 'next' }
  return { title: last ? gets(name, last) : prices.loading, detail: bar.updating, isBusy: true, action: 'next' }
}

/** The bar of the review: what leaves, then what arrives; `isEstimate` of a price that is made later. */
export function reviewBar(quote: Priced, name: string, isEstimate: boolean, isFrozen: boolean): SendBar {
  if (isFrozen) return frozen
  const arrives = formatExact(quote.target_amount, quote.target_currency)
  return { title: total(quote), detail: (isEstimate ? bar.getsAbout : bar.gets)(name, arrives), action: 'next' }
}
