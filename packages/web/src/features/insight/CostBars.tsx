import type { CurrencyCode } from '@tern/money/currency'
import type { ReactNode } from 'react'
import { yearCosts as texts } from '#messages/insight/insights.ts'
import { formatMoney, isNegative } from '../../ui/format/format.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { computeLengths } from './bar-lengths.ts'

interface CostBarsProps {
  currency: CurrencyCode
  fees: string
  bankCost: string
  /** Scale under the bars. */
  children?: ReactNode
}

/** Fees above the price of an average bank, as bars of one scale. */
export function CostBars({ currency, fees, bankCost, children }: CostBarsProps) {
  const [own = 0, bank = 0] = computeLengths(currency, [fees, bankCost])
  return (
    <div
      className="cost-bars"
      role="img"
      aria-label={texts.bars(formatExact(fees, currency), formatExact(bankCost, currency))}
    >
      <Bar name={texts.tern} amount={formatExact(fees, currency)} length={own} />
      <Bar name={texts.bank} amount={formatExact(bankCost, currency)} length={bank} isBank />
      {children}
    </div>
  )
}

function Bar({ name, amount, length, isBank }: { name: string; amount: string; length: number; isBank?: boolean }) {
  return (
    <>
      <p className="cost-bars-line">
        <span>{name}</span>
        <b className="tabular font-medium" translate="no">
          {amount}
        </b>
      </p>
      <svg
        className={isBank ? 'cost-bars-bar cost-bars-bank' : 'cost-bars-bar'}
        viewBox="0 0 1000 16"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {/* A cost near zero stays visible. */}
        <path d={`M0 0h${Math.max(length, 6)}v16H0z`} />
      </svg>
    </>
  )
}

/** Difference to an average bank in large type. */
export const Kept = ({ kept, currency }: { kept: string; currency: CurrencyCode }) => (
  <p className="cost-kept">
    <b translate="no">{formatMoney(kept, currency, { sign: 'never' })}</b>{' '}
    <span className="small muted">{isNegative(kept) ? texts.paidMore : texts.saved}</span>
  </p>
)
