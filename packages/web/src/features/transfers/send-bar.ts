import type { Quote } from '@tern/contract/exchange'
import type { CurrencyCode } from '@tern/money/currency'
import { bar } from '#messages/transfers/bar.ts'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import type { LiveQuote } from '../../app/orders/quotes.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'

/** Action bar of a send's step, with the effect of its button. */
export interface SendBar {
  readonly title: string
  readonly detail?: string | undefined
  /** The lines are about to change. */
  readonly isBusy?: boolean
  readonly action: 'next' | 'retry' | 'unfreeze'
}

type QuotedAmounts = Pick<Quote, 'target_amount' | 'target_currency' | 'total' | 'fee_currency'>

interface RecipientStepState {
  readonly isFrozen: boolean
  /** Short name of the recipient; undefined until a payable one is chosen. */
  readonly name: string | undefined
  /** The amount is valid and its currency is set. */
  readonly hasAmount: boolean
  readonly isCryptoMissing: boolean
  readonly source: CurrencyCode
  /** Decimal string in the source currency. */
  readonly balance: string
  /** Shortfall of the balance, as a decimal string in the source currency; undefined if it suffices. */
  readonly shortfall: string | undefined
  /** Payment of the shortfall: together with the wallet, without it, or not possible. */
  readonly rest: 'card' | 'outside' | undefined
  readonly live: Pick<LiveQuote, 'isLoading'> & {
    readonly priced?: { readonly quote: QuotedAmounts } | undefined
    readonly failure?: object | undefined
    readonly refused?: { readonly amount?: string | undefined; readonly recipient_id?: string | undefined } | undefined
  }
  /** Last price for the same recipient, shown while the next one loads. */
  readonly lastQuote: QuotedAmounts | undefined
}

const frozenBar: SendBar = { title: bar.frozen, detail: bar.nothingLeaves, action: 'unfreeze' }

const describeGain = (name: string, quote: QuotedAmounts): string =>
  bar.gets(name, formatExact(quote.target_amount, quote.target_currency))

const describeTotal = (quote: QuotedAmounts): string => bar.totalToPay(formatExact(quote.total, quote.fee_currency))

const restLabels = { card: bar.restByCard, outside: bar.byCardOrBank }

/** Bar of the first step: the chosen balance. */
export function walletBar({ isFrozen, source, balance }: Pick<RecipientStepState, 'isFrozen' | 'source' | 'balance'>) {
  if (isFrozen) return frozenBar
  return { title: transfers.balance(formatExact(balance, source)), action: 'next' } satisfies SendBar
}

/** Bar of the second step: the first missing input, otherwise the price. */
export function recipientBar(state: RecipientStepState): SendBar {
  const { name, source, live, lastQuote, shortfall, rest } = state
  if (state.isFrozen) return frozenBar
  if (name === undefined || live.refused?.recipient_id)
    return { title: bar.chooseRecipient, detail: bar.thenPrice, action: 'next' }
  const balance = transfers.balance(formatExact(state.balance, source))
  if (state.isCryptoMissing) return { title: transfers.chooseCrypto, detail: bar.thenPrice, action: 'next' }
  if (!state.hasAmount) return { title: bar.enterAmount, detail: balance, action: 'next' }
  if (shortfall !== undefined) {
    const title = bar.overBalance(formatExact(shortfall, source))
    return { title, detail: rest ? restLabels[rest] : bar.addMoney, action: 'next' }
  }
  if (live.refused?.amount) return { title: bar.checkAmount, detail: balance, action: 'next' }
  if (live.failure) return { title: prices.failedTitle, detail: bar.nothingSent, action: 'retry' }
  const quote = live.priced?.quote
  if (quote) return { title: describeGain(name, quote), detail: describeTotal(quote), action: 'next' }
  return {
    title: lastQuote ? describeGain(name, lastQuote) : prices.loading,
    detail: bar.updating,
    isBusy: true,
    action: 'next',
  }
}

/** Bar of the review: amount debited, then amount received; `isEstimate` for a price set later. */
export function reviewBar(quote: QuotedAmounts, name: string, isEstimate: boolean, isFrozen: boolean): SendBar {
  if (isFrozen) return frozenBar
  const targetText = formatExact(quote.target_amount, quote.target_currency)
  return {
    title: describeTotal(quote),
    detail: (isEstimate ? bar.getsAbout : bar.gets)(name, targetText),
    action: 'next',
  }
}
