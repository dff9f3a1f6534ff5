import type { Reply } from '@tern/contract/protocol/endpoint'
import type { balanceHistory } from '@tern/contract/wallets'
import { negate, toDecimal } from '@tern/money/money'
import { createElement, Fragment, type ReactNode } from 'react'
import { history as texts } from '#messages/home/history.ts'
import { BalanceChart } from '../../app/history/BalanceChart.tsx'
import { computeChange, countDays } from '../../app/history/history-change.ts'
import { Amount } from '../../ui/money/Amount.tsx'
import { formatMoney, isZero } from '../../ui/format/format.ts'

type History = Reply<typeof balanceHistory>

/** Step chart of the balance over the chosen period, with the change as text. */
export function HistoryChart({ history }: { history: History }) {
  return (
    <>
      <BalanceChart history={history} />
      <p className="small muted mt-4 text-balance wide-only">
        <HistoryChange history={history} />
      </p>
    </>
  )
}

function HistoryChange({ history }: { history: History }) {
  const { currency, money_in: moneyIn, money_out: moneyOut } = history
  const days = countDays(history)
  if (isZero(moneyIn) && isZero(moneyOut)) return texts.noMovement(texts.periodNames[days])
  const change = computeChange(history)
  const trend = change.minor === 0n ? 'same' : change.minor > 0n ? 'up' : 'down'
  const formatMovement = (amount: string, direction: 'in' | 'out') =>
    isZero(amount) ? undefined : <Amount amount={amount} currency={currency} direction={direction} />
  const parts = texts.change<ReactNode>(trend, texts.ago[days], {
    change: <b className="tabular">{formatMoney(toDecimal(trend === 'down' ? negate(change) : change), currency)}</b>,
    moneyIn: formatMovement(moneyIn, 'in'),
    moneyOut: formatMovement(moneyOut, 'out'),
  })
  return createElement(Fragment, null, ...parts)
}
