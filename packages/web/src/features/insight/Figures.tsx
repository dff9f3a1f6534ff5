import type { InsightBalance } from '@tern/contract/insight'
import type { CurrencyCode } from '@tern/money/currency'
import { useState } from 'react'
import { insights as texts } from '#messages/insight/insights.ts'
import { writeStatementAddress } from '../../app/statement-address.ts'
import { formatPeriod } from '../../app/periods/period-choices.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { formatCount } from '../../ui/format/format-count.ts'
import { isZero } from '../../ui/format/format.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { Segmented } from '../../ui/forms/Segmented.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { Balance } from '../../ui/money/Balance.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { CategoryTable } from './CategoryTable.tsx'
import { OwnMoney } from './OwnMoney.tsx'
import { PeopleList } from './PeopleList.tsx'

export interface FiguresProps {
  userId: number
  /** Undefined if the balance had no transaction in the period. */
  balance: InsightBalance | undefined
  currency: CurrencyCode
  period: string
}

const isEmpty = ({ transactions, own }: InsightBalance): boolean => transactions === 0 && own.length === 0

/** Figures of one balance in one period. */
export function Figures({ userId, balance, currency, period }: FiguresProps) {
  if (!balance || isEmpty(balance)) return <EmptyState title={texts.emptyTitle} text={texts.emptyText} />
  return (
    <>
      <Summary balance={balance} period={period} />
      {balance.transactions > 0 && <Crossing key={currency} userId={userId} balance={balance} period={period} />}
      {balance.own.length > 0 && <OwnMoney balance={balance} period={period} />}
    </>
  )
}

function Summary({ balance, period }: { balance: InsightBalance; period: string }) {
  const { currency, spending, income, fees, transactions } = balance
  return (
    <Sheet scaleBar className="mt-6" role="region" aria-label={texts.summary}>
      <div className="insight-sheet">
        <div className="grid content-start">
          <p className="small muted">{texts.summaryOf(currency)}</p>
          <h2 className="display-m">{formatPeriod({ period })}</h2>
          <p className="small muted mt-6">{texts.spending}</p>
          <p>
            <Balance amount={spending} currency={currency} size="small" />
          </p>
        </div>
        <div className="grid content-start gap-5">
          <DefinitionList
            entries={[
              { term: texts.feesIncluded, value: formatExact(fees, currency) },
              { term: texts.income, value: formatExact(income, currency) },
              { term: texts.transactionCount, value: formatCount(transactions) },
            ]}
          />
          <div className="row flex-wrap justify-end">
            <LinkButton to={writeStatementAddress(currency, period)}>
              <ExtraIcon name="receipt" />
              {texts.statement}
            </LinkButton>
          </div>
        </div>
      </div>
    </Sheet>
  )
}

const flowChoices = (['spending', 'income'] as const).map((value) => ({ value, label: texts[value] }))

/** Spending or income, by category and by person. */
function Crossing({ userId, balance, period }: { userId: number; balance: InsightBalance; period: string }) {
  const hasOnlyIncome = isZero(balance.spending) && !isZero(balance.income)
  const [flow, setFlow] = useState<'spending' | 'income'>(hasOnlyIncome ? 'income' : 'spending')
  const hasFigures = balance.counterparties.some((one) => !isZero(one[flow]))
  return (
    <section className="mt-10" aria-label={texts.show}>
      <Segmented label={texts.show} choices={flowChoices} value={flow} onChange={setFlow} />
      {hasFigures ? (
        <div className="insight-columns">
          <CategoryTable balance={balance} flow={flow} period={period} />
          <PeopleList userId={userId} balance={balance} flow={flow} period={period} />
        </div>
      ) : (
        <p className="muted mt-6">{flow === 'spending' ? texts.noSpending : texts.noIncome}</p>
      )}
    </section>
  )
}
