import type { Wallet } from '@tern/contract/wallets'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { prices } from '#messages/prices.ts'
import { Form } from '../../app/forms/Form.tsx'
import { OrderNote } from '../../app/orders/OrderNote.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { formatExact, formatExactWithSign } from '../../ui/money/exact-amount.ts'
import { NoPrice } from './NoPrice.tsx'
import { costEntry, feeEntry, rateEntry, sourceEntry } from './price-lines.tsx'
import { availableOf, fieldAmount, sourcesOf, targetsOf } from './swap-form.ts'
import { MinuteBar, TimeLeft } from './TimeLeft.tsx'
import type { Swap } from './use-swap.ts'

/** Both amounts, either of which may be typed, and the whole price between them. */
export function SwapForm({ swap, wallet }: { swap: Swap; wallet: Wallet }) {
  const { values, live } = swap
  const { from, to, side, text } = values
  const quote = live.priced?.quote
  const paid = side === 'source' ? text : fieldAmount(quote?.source_amount ?? '')
  const got = side === 'target' ? text : fieldAmount(quote?.target_amount ?? '')
  const errorAt = (part: typeof side) => (side === part ? swap.error : undefined)
  return (
    <Form className="sheet swap" aria-label={texts.swap} submitCount={swap.attempts} onSubmit={swap.toReview}>
      <MinuteBar endMs={live.priced?.holdsUntilMs} />
      <div className="swap-body">
        <MoneyField
          className={swapField(paid)}
          label={texts.from}
          currency={from}
          currencies={sourcesOf(wallet, from)}
          currencyLabel={texts.currencyFrom}
          onCurrencyChange={(currency) => swap.choose('from', currency)}
          value={paid}
          onValueChange={(amount) => swap.type('source', amount)}
          error={errorAt('source') ?? swap.notEnough}
          hint={<span className="tabular">{texts.available(formatExactWithSign(swap.available, from))}</span>}
          action={
            <button
              type="button"
              className="max-button"
              aria-label={texts.maxLabel(formatExactWithSign(swap.most, from))}
              onClick={swap.max}
            >
              {texts.max}
            </button>
          }
        />
        <div className="swap-rail">
          <button
            type="button"
            className="flip-button"
            aria-label={texts.flip(to, from)}
            title={texts.flip(to, from)}
            onClick={swap.flip}
          >
            <ExtraIcon name="flip" />
          </button>
          <Between swap={swap} />
        </div>
        <MoneyField
          className={swapField(got)}
          label={texts.to}
          currency={to}
          currencies={targetsOf(wallet, from)}
          currencyLabel={texts.currencyTo}
          onCurrencyChange={(currency) => swap.choose('to', currency)}
          value={got}
          onValueChange={(amount) => swap.type('target', amount)}
          error={errorAt('target')}
          hint={<span className="tabular">{texts.youHave(formatExactWithSign(availableOf(wallet, to), to))}</span>}
        />
        <OrderNote state={swap.state} texts={texts} />
        <Actions live={live} />
      </div>
    </Form>
  )
}

/** How long the price holds, and the way on. */
function Actions({ live }: Pick<Swap, 'live'>) {
  const isAwaited = live.isLoading === true || live.failure !== undefined
  return (
    <div className="swap-actions">
      {live.priced && <TimeLeft endMs={live.priced.holdsUntilMs} />}
      <Button look="primary" big wide type="submit" aria-disabled={isAwaited || undefined}>
        {texts.review}
      </Button>
    </div>
  )
}

/** Amounts with many digits are set smaller, so that all of them stand in the field. */
const swapField = (amount: string): string =>
  amount.length > 18 ? 'swap-field swap-longest' : amount.length > 11 ? 'swap-field swap-long' : 'swap-field'

/** The price, why there is none, or what to do for one. */
function Between({ swap: { live, renewal, values } }: { swap: Swap }) {
  const quote = live.priced?.quote
  if (live.failure) return <NoPrice failure={live.failure} from={values.from} to={values.to} />
  if (live.isLoading) {
    return (
      <div className="swap-skeleton" role="status" aria-label={prices.loading} aria-busy="true">
        {['w-3/5', 'w-4/5', 'w-2/5', 'w-3/5', 'w-4/5'].map((width, index) => (
          <SkeletonLine key={index} className={width} />
        ))}
      </div>
    )
  }
  if (!quote) return <p className="swap-hint small muted">{texts.priceHint}</p>
  return (
    <>
      <p className="visually-hidden" role="status">
        {prices.summary(
          texts.youGet,
          formatExact(quote.target_amount, quote.target_currency),
          formatExact(quote.total, quote.fee_currency),
        )}
      </p>
      <DefinitionList
        small
        entries={[
          rateEntry(quote, renewal?.before),
          sourceEntry(quote),
          feeEntry(quote),
          costEntry(quote),
          { term: texts.youPayInAll, value: formatExact(quote.total, quote.fee_currency), sum: true },
        ]}
      />
    </>
  )
}
