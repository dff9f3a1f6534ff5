import '../../css/exchange-review.css'
import type { Quote } from '@tern/contract/exchange'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { prices } from '#messages/prices.ts'
import { OrderNote } from '../../app/orders/OrderNote.tsx'
import type { DatedQuote } from '../../app/orders/dated-quote.ts'
import { describeQuoteSource } from '../../app/rates/rate-source.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { ActionBar } from '../../ui/layout/ActionBar.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { conversionFlow } from '../../ui/money/conversion.ts'
import { ConversionFlow } from '../../ui/money/ConversionFlow.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { costEntry, feeEntry, rateEntry, rateLine } from './price-lines.tsx'
import { comparePrices } from './swap-form.ts'
import { reviewBar } from './swap-bar.ts'
import { MinuteBar, TimeLeft } from './TimeLeft.tsx'
import type { Swap } from './use-swap.ts'

type Review = Extract<Swap['stage'], { name: 'review' }>

/** Review before confirmation. An expired price is never replaced silently. */
export function SwapReview({ swap, review }: { swap: Swap; review: Review }) {
  const { priced, renewed, isRenewed, failure } = review
  if (renewed) return <PriceChange swap={swap} before={priced.quote} renewed={renewed} />
  const { quote, holdsUntilMs } = priced
  const { state } = swap
  const isSending = state.status === 'sending'
  const isOpen = isSending || state.status === 'unknown'
  return (
    <section className="sheet max-xl:max-w-140" aria-labelledby="swap-review">
      {!isOpen && failure === undefined && <MinuteBar endMs={holdsUntilMs} />}
      <div className="grid gap-5 py-6 px-[clamp(16px,4vw,24px)]">
        <FocusedHeading className="display-s" id="swap-review">
          {texts.reviewTitle}
        </FocusedHeading>
        <div className="[--flight-ground-color:var(--sheet)] [&_.flow-legs_b]:text-[1.375rem]/7 [&_.flow-legs_small]:leading-4.5 [&_.flow-legs_small]:block">
          <ConversionFlow {...buildFlow(quote)} />
        </div>
        <DefinitionList small entries={reviewEntries(quote)} />
        {isRenewed && <Note live>{texts.renewed}</Note>}
        {failure !== undefined && (
          <Note tone="error">
            <b>{texts.expired}</b> {failure}
          </Note>
        )}
        <OrderNote
          state={state}
          texts={texts}
          refused={{
            verb: 'exchange',
            amount: quote.source_amount,
            currency: quote.source_currency,
            onReduce(amount) {
              swap.goBack()
              swap.changeText('source', amount)
            },
          }}
        />
        <div className="md:[&_.action-bar>.button]:flex-1 grid gap-3">
          {!isOpen && failure === undefined && <TimeLeft key={holdsUntilMs} endMs={holdsUntilMs} onEnd={swap.renew} />}
          <div className="flex gap-3 [&>:last-child]:flex-1">
            {state.status !== 'unknown' && (
              <Button big disabled={isSending} onClick={swap.goBack}>
                {texts.back}
              </Button>
            )}
            {failure === undefined ? (
              <ActionBar {...reviewBar(quote)}>
                <Button look="primary" big processing={isSending} onClick={swap.confirm}>
                  {state.status === 'unknown' ? texts.tryAgain : texts.confirm}
                </Button>
              </ActionBar>
            ) : (
              <ActionBar title={texts.noPrice} detail={texts.bar.nothingTaken}>
                <Button look="primary" big onClick={swap.renew}>
                  {texts.checkAgain}
                </Button>
              </ActionBar>
            )}
          </div>
        </div>
      </div>
    </section>
  )
}

/** Flow of the amounts without the fee, which is one of `reviewEntries`. */
const buildFlow = (quote: Quote) =>
  conversionFlow(quote, { first: texts.exchanged, middle: texts.between, end: texts.get })

const reviewEntries = (quote: Quote) => [
  { term: prices.amount, value: formatExact(quote.source_amount, quote.source_currency) },
  feeEntry(quote),
  { term: texts.youPayInAll, value: formatExact(quote.total, quote.fee_currency), sum: true },
  { term: texts.youGet, value: formatExact(quote.target_amount, quote.target_currency) },
  { term: texts.rate, value: rateLine(quote) },
  { term: texts.source, value: describeQuoteSource(quote).name },
  costEntry(quote),
]

/** The price expired during review: old price, new price and difference. */
function PriceChange({ swap, before, renewed }: { swap: Swap; before: Quote; renewed: DatedQuote }) {
  const { quote } = renewed
  const { amount, currency, isHigher } = comparePrices(before, quote)
  const difference = formatExact(amount, currency)
  const isPaid = before.source_amount !== quote.source_amount
  return (
    <section className="sheet max-xl:max-w-140" aria-labelledby="swap-changed">
      <MinuteBar endMs={renewed.holdsUntilMs} />
      <div className="grid gap-5 py-6 px-[clamp(16px,4vw,24px)]">
        <Note tone="warning">
          <FocusedHeading className="font-medium" id="swap-changed">
            {texts.expired}
          </FocusedHeading>
          <p>{texts.priceNow}</p>
        </Note>
        <DefinitionList
          small
          entries={[
            rateEntry(quote, before),
            { term: texts.source, value: describeQuoteSource(quote).name },
            {
              term: isPaid ? texts.youPayInAll : texts.youGet,
              value: (
                <>
                  {isPaid
                    ? formatExact(quote.total, quote.fee_currency)
                    : formatExact(quote.target_amount, quote.target_currency)}
                  <small className="font-normal text-tiny block text-ink-3">
                    {isHigher ? texts.more(difference) : texts.less(difference)}
                  </small>
                </>
              ),
              sum: true,
            },
          ]}
        />
        <div className="md:[&_.action-bar>.button]:flex-1 grid gap-3">
          <TimeLeft key={renewed.holdsUntilMs} endMs={renewed.holdsUntilMs} onEnd={swap.renew} />
          <div className="flex gap-3 [&>:last-child]:flex-1">
            <Button big onClick={swap.goBack}>
              {texts.cancel}
            </Button>
            <ActionBar title={texts.bar.newPrice} detail={isHigher ? texts.more(difference) : texts.less(difference)}>
              <Button look="primary" big onClick={swap.accept}>
                {texts.accept}
              </Button>
            </ActionBar>
          </div>
        </div>
      </div>
    </section>
  )
}
