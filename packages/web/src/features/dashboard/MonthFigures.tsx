import '../../css/month.css'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { walletTotals } from '@tern/contract/wallets'
import { parseDecimal } from '@tern/money/money'
import type { ReactNode } from 'react'
import { month } from '#messages/home/month.ts'
import { formatMoney, isNegative, isZero } from '../../ui/format/format.ts'
import { Amount } from '../../ui/money/Amount.tsx'

type Totals = Reply<typeof walletTotals>

/** The figures of the month; before the first transfer, what one will cost. */
export function MonthFigures({ totals, isFirst }: { totals: Totals; isFirst: boolean }) {
  return (
    <>
      {isFirst ? <Cost totals={totals} /> : <Moved totals={totals} />}
      <Kept totals={totals} isFirst={isFirst} />
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

function Moved({ totals: { currency, money_in: moneyIn, money_out: moneyOut, fees } }: { totals: Totals }) {
  return (
    <dl className="definitions small">
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

/** What a bank would have taken more; for who sent nothing abroad this month, of a typical transfer. */
function Kept({ totals: { currency, abroad, example }, isFirst }: { totals: Totals; isFirst: boolean }) {
  const written = (amount: string) => formatMoney(amount, currency)
  const isOwn = !isZero(abroad.kept) && !isNegative(abroad.kept)
  const { amount, kept, bank_cost: bank } = isOwn ? abroad : example
  const tern = isOwn ? abroad.fees : example.fee
  return (
    <div className="month-kept">
      <p className="small muted">{isOwn || isFirst ? month.kept : month.keptOn(written(amount))}</p>
      <p className="month-figure">{written(kept)}</p>
      <CostBar
        label={month.bar(written(tern), written(bank))}
        share={Number((parseDecimal(currency, tern).minor * barWidth) / parseDecimal(currency, bank).minor)} // not money: a length
      />
      <p className="row small" aria-hidden="true">
        <span className="grow">
          <b className="text-sea">{month.tern}</b> {written(tern)}
        </span>
        <span>
          {month.bank} <b>{written(bank)}</b>
        </span>
      </p>
      <p className="tiny faint">{isOwn ? month.source(written(amount)) : month.sourceOf(written(amount))}</p>
    </div>
  )
}

/** The bank's 11.48 percent, a hundred for each. */
const barWidth = 1148n

/** A scale bar with a division for each percent of what a bank takes; what Tern took is the first part, in its own colour. */
function CostBar({ share, label }: { share: number; label: string }) {
  const divisions = [0, 200, 400, 600, 800, 1000].map((at) => `M${at} 0h100v10h-100z`).join('')
  return (
    <svg className="cost-bar" viewBox="0 0 1148 10" preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={divisions} />
      <path className="cost-bar-rest" d={`M0 0h${Math.max(share, 100)}v10H0z`} />
      <path className="cost-bar-own" d={`M0 0h${share}v10H0z`} />
    </svg>
  )
}
