import type { Holding } from '@tern/contract/exchange/rates'
import type { Wallet } from '@tern/contract/wallets'
import { type CurrencyCode, isFiatCode } from '@tern/money/currency'
import { holdings as texts } from '#messages/exchange/holdings.ts'
import { lineFactsOf, type RateHistory } from '../../app/rates/rate-queries.ts'
import { changeOf, unitsOf } from '../../app/rates/rate-scale.ts'
import { sourceOf } from '../../app/rates/rate-source.ts'
import { formatChange, formatDecimalPercent } from '../../app/rates/rate-words.ts'
import { FlatLine, inPercent, Sparkline } from '../../app/rates/Sparkline.tsx'
import { formatMoney, isolate, isZero } from '../../ui/format/format.ts'
import { exactPlaces, formatExact } from '../../ui/money/exact-amount.ts'
import { formatRate } from '../../ui/money/rates.ts'
import { currencyName } from './currency-name.ts'

export interface HoldingRowProps {
  asset: Wallet['assets'][number]
  base: CurrencyCode
  holding: Holding | undefined
  /** Whether it is known what everything is worth. */
  isKnown: boolean
  history: RateHistory | undefined
  scale: { ground: bigint; top: bigint }
}

const fewestPlaces = (currency: CurrencyCode) => (currency === 'BTC' ? 8 : 6)

/** One line of the list: amount, price, the last thirty days, and the value. */
export function HoldingRow({
  asset: { currency, available, held },
  base,
  holding,
  isKnown,
  history,
  scale,
}: HoldingRowProps) {
  const places = exactPlaces(available, currency, fewestPlaces(currency))
  const amount = formatMoney(available, currency, { places })
  return (
    <>
      <span className={currency === base ? 'coin coin-base' : 'coin'} aria-hidden="true">
        {coinSigns[currency] ?? currencyName(currency).slice(0, 1)}
      </span>
      <span>
        <b>{currencyName(currency)}</b>
        <span className="holding-sub">{isZero(held) ? amount : texts.onHold(amount, formatExact(held, currency))}</span>
      </span>
      <PriceCell holding={holding} base={base} isBase={currency === base} />
      <span>
        {currency === base ? (
          <FlatLine {...scale} />
        ) : (
          history && <Sparkline facts={inPercent(lineFactsOf(history))} {...scale} />
        )}
      </span>
      <span className="holding-change tabular">
        {currency === base ? texts.noChange : history ? changeText(history) : ''}
      </span>
      <span className="holding-value">
        {holding && holding.value !== null ? (
          <>
            <b className="tabular">{formatMoney(holding.value, base)}</b>
            {holding.share_percent !== null && (
              <span className="holding-sub">{formatDecimalPercent(holding.share_percent, 1)}</span>
            )}
          </>
        ) : (
          isKnown && <span className="holding-sub">{texts.noPrice}</span>
        )}
      </span>
    </>
  )
}

const coinSigns: Partial<Record<CurrencyCode, string>> = { EUR: '€', USD: '$', GBP: '£', JPY: '¥', INR: '₹' }

function changeText({ steps }: RateHistory): string {
  const [first, last] = [steps[0], steps.at(-1)]
  if (!first || !last) return ''
  const change = changeOf(unitsOf(first.rate), unitsOf(last.rate))
  return change === 0 ? texts.noChange : formatChange(change)
}

function PriceCell({ holding, base, isBase }: { holding: Holding | undefined; base: CurrencyCode; isBase: boolean }) {
  const price = holding?.price ?? holding?.last_price
  if (isBase || !price) return <span className="holding-price faint">{isBase ? '–' : ''}</span>
  const { name } = sourceOf(price.source, price.time)
  const written = isolate(
    isFiatCode(base) ? `${coinSigns[base] ?? ''}${formatRate(price.rate)}` : formatRate(price.rate),
  )
  return (
    <span className="holding-price">
      <b className={holding?.price ? 'tabular' : 'tabular faint'}>{written}</b>
      <span className="holding-sub">{holding?.price ? name : texts.tooOld(name)}</span>
    </span>
  )
}
