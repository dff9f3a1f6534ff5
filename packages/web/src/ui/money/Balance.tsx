import { useState } from 'react'
import { classNames } from '../icon/class-names.ts'
import { formatMoney } from '../format/format.ts'

interface BalanceProps {
  /** A decimal string. */
  amount: string
  currency: string
  size?: 'large' | 'medium' | 'small' | undefined
  /** Colours and signs an amount that moved. */
  direction?: 'in' | 'out' | undefined
}

/** Text shown before the current one; undefined at first. */
function usePrevious(text: string): string | undefined {
  const [displayedText, setDisplayedText] = useState<{ text: string; previous?: string }>({ text })
  if (displayedText.text !== text) setDisplayedText({ text, previous: displayedText.text })
  return displayedText.text === text ? displayedText.previous : displayedText.text
}

const isDigit = (sign: string): boolean => /\d/.test(sign)

/** Class of a smaller font for long amounts, so that they fit on a phone. */
const lengthClass = (text: string): string | undefined =>
  text.length > 15
    ? 'balance-longest'
    : text.length > 12
      ? 'balance-longer'
      : text.length > 9
        ? 'balance-long'
        : undefined

interface FiguresProps {
  text: string
  /** Previous text; digits that differ from it are animated. */
  previous: string | undefined
  className?: string | undefined
}

/** While digits are animated, each has a cell of equal width; otherwise the typeface spaces them. */
function Figures({ text, previous, className }: FiguresProps) {
  if (previous === undefined) return <span className={className}>{text}</span>
  return (
    <span className={className} key={text}>
      {Array.from(text, (sign, index) => {
        const place = text.length - index
        if (!isDigit(sign)) return <span key={place}>{sign}</span>
        const isChanged = previous.at(-place) !== sign
        return (
          <span key={place} className="balance-figure">
            <span className={isChanged ? 'balance-figure-rolled' : undefined}>{sign}</span>
          </span>
        )
      })}
    </span>
  )
}

/**
 * Main number of a screen: large whole part, smaller cents. The symbol of a currency is raised in front, a code
 * follows. When the amount changes, each changed digit is animated in a cell of equal width.
 */
export function Balance({ amount, currency, size = 'large', direction }: BalanceProps) {
  const sign = direction ? 'always' : 'negative'
  const signedAmount = direction === 'out' ? `-${amount.replace(/^[-−]/, '')}` : amount
  const text = formatMoney(signedAmount, currency, { unit: 'none', sign })
  const fullText = formatMoney(signedAmount, currency, { sign })
  const mark = /^[+−]/.exec(text)?.[0] ?? ''
  const figures = text.slice(mark.length)
  const unit = fullText
    .replace(mark, '')
    .replace(figures, '')
    .replaceAll(/[\s\u2066\u2069]/g, '')
  const point = /\D\d{1,8}$/.exec(amount.includes('.') ? figures : '')
  const end = point ? point.index : figures.length
  const previous = usePrevious(figures)
  const centsLength = figures.length - end
  return (
    <span
      translate="no"
      className={classNames(
        'balance',
        size === 'large' ? lengthClass(text) : `balance-${size}`,
        direction && `amount-${direction}`,
      )}
    >
      <span className="visually-hidden">{fullText}</span>
      <span aria-hidden="true">
        {mark}
        {unit !== currency && <span className="balance-symbol">{unit}</span>}
        <Figures text={figures.slice(0, end)} previous={previous?.slice(0, previous.length - centsLength)} />
        {point && (
          <Figures text={figures.slice(end)} className="balance-cents" previous={previous?.slice(-centsLength)} />
        )}
        {unit === currency && <span className="balance-code">{unit}</span>}
      </span>
    </span>
  )
}
