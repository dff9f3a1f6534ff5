import type { Holding } from '@tern/contract/exchange/rates'
import type { CSSProperties } from 'react'
import { holdings as texts } from '#messages/exchange/holdings.ts'
import { formatDecimalPercent } from '../../app/rates/rate-words.ts'
import { useWidth } from '../../ui/use-width.ts'
import { labelStarts } from './allocation-labels.ts'

const labelWidth = 84

/** What each holding is of everything, as a true scale bar: the width of a part is its share. */
export function Allocation({ holdings }: { holdings: readonly Holding[] }) {
  const { place, width } = useWidth<HTMLDivElement>()
  const parts = holdings
    .flatMap(({ currency, share_percent: share }) =>
      share !== null && /[1-9]/.test(share) ? [{ currency, share }] : [],
    )
    .toSorted((a, b) => lengthOf(b.share) - lengthOf(a.share))
  if (parts.length === 0) return null
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, { share }) => sum + lengthOf(share), 0))
  // Below the bar and above it in turns.
  const rows = [0, 1].map((row) => {
    const own = starts.filter((_, index) => index % 2 === row).map((start) => start * width)
    return labelStarts(own, labelWidth, width)
  })
  const written = (share: string) => formatDecimalPercent(share, 1)
  const sentence = parts.map(({ currency, share }) => texts.share(currency, written(share))).join(', ')
  return (
    <div className="allocation" role="img" aria-label={texts.shares(sentence)} ref={place}>
      <ul>
        {parts.map(({ currency, share }) => (
          <li key={currency} style={{ '--share': `${lengthOf(share) * 100}%` } as CSSProperties} />
        ))}
      </ul>
      {parts.map(({ currency, share }, index) => {
        const start = rows[index % 2]?.[Math.floor(index / 2)]
        return start === undefined ? null : (
          <span
            key={currency}
            className={index % 2 === 1 ? 'allocation-above' : undefined}
            style={{ '--x': `${start}px` } as CSSProperties}
          >
            <b>{currency}</b> {written(share)}
          </span>
        )
      })}
    </div>
  )
}

/** A share of the bar, from 0 to 1. */
const lengthOf = (percent: string): number => Number(percent) / 100 // not money: a length of the drawing
