import type { Wallet } from '@tern/contract/wallets'
import { Suspense } from 'react'
import { exchange as texts } from '#messages/exchange/exchange.ts'
import { Form } from '../../app/forms/Form.tsx'
import { OrderNote } from '../../app/orders/OrderNote.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { MoneyField } from '../../ui/forms/MoneyField.tsx'
import { ActionBar } from '../../ui/layout/ActionBar.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { findAvailable, fieldAmount, listSourceCurrencies, listTargets } from './swap-form.ts'
import { swapBar } from './swap-bar.ts'
import type { Swap } from './use-swap.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'

// Loaded lazily: shown once an amount is entered.
const MinuteBar = lazyComponent(() => import('./TimeLeft.tsx'), 'MinuteBar')
const TimeLeft = lazyComponent(() => import('./TimeLeft.tsx'), 'TimeLeft')
const SwapPrice = lazyComponent(() => import('./SwapPrice.tsx'), 'SwapPrice')
const NoPrice = lazyComponent(() => import('./NoPrice.tsx'), 'NoPrice')

/** Both amounts, either of them editable, with the full price between them. */
export function SwapForm({ swap, wallet }: { swap: Swap; wallet: Wallet }) {
  const { values, live } = swap
  const { from, to, side, text } = values
  const quote = live.priced?.quote
  const sourceText = side === 'source' ? text : fieldAmount(quote?.source_amount ?? '')
  const targetText = side === 'target' ? text : fieldAmount(quote?.target_amount ?? '')
  const findSideError = (part: typeof side) => (side === part ? swap.error : undefined)
  return (
    <Form
      className="sheet max-xl:max-w-140"
      aria-label={texts.swap}
      submitCount={swap.attempts}
      onSubmit={swap.toReview}
    >
      <Suspense>{live.priced && <MinuteBar endMs={live.priced.holdsUntilMs} />}</Suspense>
      <div className="grid gap-5 py-6 px-[clamp(16px,4vw,24px)]">
        <MoneyField
          className={swapField(sourceText)}
          label={texts.from}
          currency={from}
          currencies={listSourceCurrencies(wallet, from)}
          currencyLabel={texts.currencyFrom}
          onCurrencyChange={(currency) => swap.choose('from', currency)}
          value={sourceText}
          onValueChange={(amount) => swap.changeText('source', amount)}
          error={findSideError('source') ?? swap.shortfallText}
          hint={<span className="tabular">{texts.available(formatExact(swap.available, from))}</span>}
          action={
            <Button look="ghost" aria-label={texts.maxLabel(formatExact(swap.maximum, from))} onClick={swap.max}>
              {texts.max}
            </Button>
          }
        />
        <div className="swap-rail">
          <button
            type="button"
            className="border border-line-strong size-(--touch) absolute top-[calc(50%-22px)] start-[-22.5px] grid place-items-center rounded-[50%] bg-sheet text-sea hover:border-sea hover:bg-sea-wash"
            aria-label={texts.flip(to, from)}
            title={texts.flip(to, from)}
            onClick={swap.flip}
          >
            <ExtraIcon name="flip" />
          </button>
          <SwapMiddle swap={swap} />
        </div>
        <MoneyField
          className={swapField(targetText)}
          label={texts.to}
          currency={to}
          currencies={listTargets(wallet, from)}
          currencyLabel={texts.currencyTo}
          onCurrencyChange={(currency) => swap.choose('to', currency)}
          value={targetText}
          onValueChange={(amount) => swap.changeText('target', amount)}
          error={findSideError('target')}
          hint={<span className="tabular">{texts.youHave(formatExact(findAvailable(wallet, to), to))}</span>}
        />
        <OrderNote state={swap.state} texts={texts} />
        <div className="md:[&_.action-bar>.button]:flex-1 grid gap-3">
          <Suspense>{live.priced && <TimeLeft endMs={live.priced.holdsUntilMs} />}</Suspense>
          <ActionBar {...swapBar(swap)}>
            <Button look="primary" big type="submit" processing={swap.isAwaited}>
              {live.failure ? texts.checkAgain : texts.review}
            </Button>
          </ActionBar>
        </div>
      </div>
    </Form>
  )
}

/** Long amounts use a smaller font so that they fit the field. */
const swapField = (amount: string): string =>
  amount.length > 18
    ? 'swap-field grid grid-cols-[auto_1fr] gap-x-3 [&_.input]:text-[16px]'
    : amount.length > 11
      ? 'swap-field grid grid-cols-[auto_1fr] gap-x-3 [&_.input]:text-[22px]'
      : 'swap-field grid grid-cols-[auto_1fr] gap-x-3'

/** The price, the reason for its absence, or a hint. */
function SwapMiddle({ swap: { live, renewal, values } }: { swap: Swap }) {
  const { failure, priced, isLoading } = live
  if (!failure && !priced && !isLoading) return <p className="small muted py-6">{texts.priceHint}</p>
  return (
    <Suspense fallback={<PriceSkeleton />}>
      {failure && <NoPrice failure={failure} from={values.from} to={values.to} />}
      {isLoading && <PriceSkeleton />}
      {priced && <SwapPrice quote={priced.quote} before={renewal?.before} />}
    </Suspense>
  )
}

function PriceSkeleton() {
  return (
    <div className="mt-4 grid gap-6" aria-busy="true" aria-hidden="true">
      {['w-3/5', 'w-4/5', 'w-2/5', 'w-3/5', 'w-4/5'].map((width, index) => (
        <SkeletonLine key={index} className={width} />
      ))}
    </div>
  )
}
