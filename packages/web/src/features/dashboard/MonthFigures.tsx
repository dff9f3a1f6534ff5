import '../../css/month.css'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { walletTotals } from '@tern/contract/wallets'
import { parseDecimal } from '@tern/money/money'
import { type ReactNode, useId, useState } from 'react'
import { month } from '#messages/home/month.ts'
import { IconButton } from '../../ui/forms/Button.tsx'
import { formatMoney, isNegative, isZero } from '../../ui/format/format.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { Amount } from '../../ui/money/Amount.tsx'

type Totals = Reply<typeof walletTotals>

/** Figures of the month; before the first transfer, the cost of a typical one. */
export function MonthFigures({ totals, isFirst }: { totals: Totals; isFirst: boolean }) {
  if (isFirst) return <Cost totals={totals} />
  const { kept: saved } = totals.abroad
  return (
    <>
      <MonthTotals totals={totals} />
      {!isZero(saved) && !isNegative(saved) && <MonthSaving totals={totals} />}
    </>
  )
}

function Line({ term, children, isSum }: { term: string; children: ReactNode; isSum?: boolean }) {
  return (
    <div className={isSum ? 'definitions-sum' : undefined}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function MonthTotals({ totals: { currency, money_in: moneyIn, money_out: moneyOut, fees } }: { totals: Totals }) {
  return (
    <dl className="definitions small month-facts">
      <Line term={month.moneyIn}>
        <Amount amount={moneyIn} currency={currency} direction={isZero(moneyIn) ? undefined : 'in'} />
      </Line>
      <Line term={month.moneyOut}>
        <Amount amount={moneyOut} currency={currency} direction={isZero(moneyOut) ? undefined : 'out'} />
      </Line>
      <Line term={month.fees}>{formatMoney(fees, currency)}</Line>
    </dl>
  )
}

function Cost({ totals: { currency, example } }: { totals: Totals }) {
  return (
    <div>
      <p className="small muted">{month.costText(formatMoney(example.amount, currency))}</p>
      <dl className="definitions small">
        <Line term={month.fee}>{formatMoney(example.fee, currency)}</Line>
        <Line term={month.rate}>{month.midMarket}</Line>
        <Line term={month.total} isSum>
          {formatMoney(example.total, currency)}
        </Line>
      </dl>
    </div>
  )
}

/** Saving on this month's sends into other currencies: an average bank's price minus all fees shown above. */
function MonthSaving({ totals: { currency, fees, abroad } }: { totals: Totals }) {
  const id = useId()
  const [isSourceOpen, setIsSourceOpen] = useState(false)
  const format = (amount: string) => formatMoney(amount, currency)
  const { bank_cost: bank } = abroad
  return (
    <div className="month-saved">
      <p className="small">
        <span className="muted">{month.saved}</span> <b className="month-figure">{format(abroad.kept)}</b>
        <IconButton
          className="narrow-only"
          icon="info"
          label={month.showSource}
          aria-expanded={isSourceOpen}
          aria-controls={id}
          onClick={() => setIsSourceOpen(!isSourceOpen)}
        />
      </p>
      <CostBar
        label={month.bar(format(fees), format(bank))}
        share={Number((parseDecimal(currency, fees).minor * barWidth) / parseDecimal(currency, bank).minor)} // not money: a length
      />
      <p className="month-ends" aria-hidden="true">
        <span>
          <b className="text-sea">{month.tern}</b> <b className="tabular">{format(fees)}</b>
        </span>
        <span>
          {month.bank} <b className="tabular">{format(bank)}</b>
        </span>
      </p>
      <p className={classNames('tiny faint month-source', isSourceOpen && 'is-open')} id={id}>
        {month.source(format(abroad.amount))}
      </p>
    </div>
  )
}

/** Width of the bar: the average bank's 11.48 percent, in hundredths of a percent. */
const barWidth = 1148n

/** Bar of the bank's price, divided at each percent of the amount. Tern's fees cover its start. */
function CostBar({ share, label }: { share: number; label: string }) {
  const divisionsPath = [0, 200, 400, 600, 800, 1000].map((at) => `M${at} 0h100v10h-100z`).join('')
  return (
    <svg className="cost-bar" viewBox="0 0 1148 10" preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={divisionsPath} />
      <path className="cost-bar-rest" d={`M0 0h${Math.max(share, 100)}v10H0z`} />
      <path className="cost-bar-own" d={`M0 0h${share}v10H0z`} />
    </svg>
  )
}
