import { useEffect, useRef } from 'react'
import { classNames } from '../icon/class-names.ts'
import { formatMoney } from '../format/format.ts'

interface BalanceProps {
  /** A decimal string. */
  amount: string
  currency: string
  size?: 'large' | 'medium' | 'small' | undefined
  /** Colours and signs a hero amount that moved. */
  direction?: 'in' | 'out' | undefined
}

/** True on every render after the first: figures roll when they change, not when the page opens. */
function useHasRendered(): boolean {
  const rendered = useRef(false)
  useEffect(() => {
    rendered.current = true
  }, [])
  return rendered.current
}

const isFigure = (sign: string): boolean => /\d/.test(sign)

/** Long amounts are set smaller, so that they fit on a phone. */
const lengthOf = (text: string): string | undefined =>
  text.length > 15
    ? 'balance-longest'
    : text.length > 12
      ? 'balance-longer'
      : text.length > 9
        ? 'balance-long'
        : undefined

function Figures({ text, className, rolls }: { text: string; className?: string | undefined; rolls: boolean }) {
  return (
    <span className={className}>
      {Array.from(text, (sign, index) => {
        const place = text.length - index
        return isFigure(sign) ? (
          <span key={place} className="balance-figure">
            <span key={sign} className={rolls ? 'balance-figure-rolled' : undefined}>
              {sign}
            </span>
          </span>
        ) : (
          <span key={place}>{sign}</span>
        )
      })}
    </span>
  )
}

/**
 * The one number that leads a screen: whole figures large, cents quieter. Dollars carry their sign raised in front, other
 * currencies their code behind. When the amount changes, each changed figure rolls in its own cell.
 */
export function Balance({ amount, currency, size = 'large', direction }: BalanceProps) {
  const rolls = useHasRendered()
  const isDollar = currency === 'USD'
  const sign = direction ? 'always' : 'negative'
  const signed = direction === 'out' ? `-${amount.replace(/^[-−]/, '')}` : amount
  const text = formatMoney(signed, currency, { unit: 'none', sign })
  const mark = /^[+−]/.exec(text)?.[0] ?? ''
  const figures = text.slice(mark.length)
  const point = /[^\d]\d{1,8}$/.exec(amount.includes('.') ? figures : '')
  const end = point ? point.index : figures.length
  return (
    <span
      className={classNames(
        'balance',
        size === 'large' ? lengthOf(text) : `balance-${size}`,
        direction && `amount-${direction}`,
      )}
    >
      <span className="visually-hidden">
        {formatMoney(signed, currency, { sign, unit: isDollar ? 'symbol' : 'code' })}
      </span>
      <span aria-hidden="true">
        {mark}
        {isDollar && <span className="balance-symbol">$</span>}
        <Figures text={figures.slice(0, end)} rolls={rolls} />
        {point && <Figures text={figures.slice(end)} className="balance-cents" rolls={rolls} />}
        {!isDollar && <span className="balance-code">{currency}</span>}
      </span>
    </span>
  )
}
