import { useState } from 'react'
import { dashboard } from '#messages/home/dashboard.ts'
import { gallery } from '#messages/site/gallery.ts'
import { transaction } from '#messages/transaction.ts'
import { transactions } from '#messages/transactions.ts'
import { type Activity, ActivityRow } from '../../ui/money/ActivityRow.tsx'
import { Amount } from '../../ui/money/Amount.tsx'
import { Balance } from '../../ui/money/Balance.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { Chip } from '../../ui/layout/Chip.tsx'
import { ConversionFlow } from '../../ui/money/ConversionFlow.tsx'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { formatMoney } from '../../ui/format/format.ts'
import { formatRateLine } from '../../ui/money/rates.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'
import { StepChart } from '../../ui/money/StepChart.tsx'
import { Pagination, SortHead, type Sorting } from '../../ui/layout/Table.tsx'

export function MoneyAndStatus() {
  const [amount, setAmount] = useState('12480.56')
  return (
    <div className="specimens">
      <Balance amount={amount} currency="USD" />
      <Button onClick={() => setAmount(amount === '12480.56' ? '12505.06' : '12480.56')}>{gallery.send}</Button>
      <Balance amount="3070.10" currency="EUR" size="medium" />
      <Balance amount="404.00" currency="USD" size="medium" direction="out" />
      <Balance amount="128400" currency="JPY" size="small" />
      <div className="specimen-row">
        <Chip status="COMPLETED" />
        <Chip status="PENDING" />
        <Chip status="FAILED" />
        <Chip status="UNDONE" />
        <Chip status={undefined} />
        <span className="tag">
          <Icon name="clock" small />
          {dashboard.pending(formatMoney('250', 'USD', { sign: 'always' }))}
        </span>
      </div>
      <div className="specimen-row">
        <Amount amount="640.00" currency="USD" direction="in" />
        <Amount amount="404.00" currency="EUR" direction="out" />
        <Amount amount="12490.50" currency="INR" />
        <Amount amount="857.60" currency="SGD" />
        <Amount amount="13164" currency="JPY" />
        <Amount amount="200" currency="USDT" />
        <Amount amount="0.00012345" currency="BTC" />
      </div>
    </div>
  )
}

const sampleMoment = '2026-11-20T18:42:00Z'

const activities: readonly Activity[] = [
  {
    title: 'Grace Tan',
    person: 'Grace Tan',
    kind: transaction.kinds.RECEIVE,
    status: 'COMPLETED',
    at: sampleMoment,
    amount: '640.00',
    currency: 'USD',
    direction: 'in',
    otherAmount: formatMoney('857.60', 'SGD'),
    icon: 'receive',
  },
  {
    title: 'Priya Raman',
    person: 'Priya Raman',
    kind: transaction.kinds.SEND,
    status: 'PENDING',
    at: sampleMoment,
    amount: '151.50',
    currency: 'USD',
    direction: 'out',
    otherAmount: formatMoney('12490.50', 'INR'),
    icon: 'send',
  },
  {
    title: gallery.bankAccount,
    kind: transaction.types.DEPOSIT,
    status: 'COMPLETED',
    at: sampleMoment,
    amount: '1500.00',
    currency: 'USD',
    direction: 'in',
    icon: 'deposit',
  },
]

export function ActivityList() {
  return (
    <>
      <ul>
        {activities.map((activity) => (
          <ActivityRow key={activity.title} {...activity} onOpen={() => undefined} />
        ))}
      </ul>
      <ActivitySkeleton rows={2} />
    </>
  )
}

export function Breakdown() {
  return (
    <div className="specimens">
      <Sheet scaleBar>
        <div className="specimen-padded">
          <DefinitionList
            small
            entries={[
              { term: gallery.amount, value: formatMoney('400.00', 'USD') },
              { term: gallery.rate, value: formatRateLine('0.93', 'USD', 'EUR') },
              { term: gallery.fee, value: formatMoney('4.00', 'USD') },
              { term: gallery.total, value: formatMoney('404.00', 'USD'), sum: true },
            ]}
          />
        </div>
      </Sheet>
      <Flows />
    </div>
  )
}

export function Flows() {
  return (
    <div className="specimens">
      <ConversionFlow
        from={{ amount: '400.00', currency: 'USD', caption: transactions.youPaid }}
        via={{ amount: '400.00', currency: 'USDT', caption: gallery.inTransit, rates: ['1', '0.93'] }}
        to={{ amount: '372.00', currency: 'EUR', caption: transactions.got('Lucas') }}
        rate="0.93"
      />
      <ConversionFlow
        from={{ amount: '400.00', currency: 'USD', caption: transactions.youPaid }}
        to={{ amount: '400.00', currency: 'USD', caption: transactions.got('Lucas') }}
        rate={undefined}
      />
    </div>
  )
}

const heights = [8.1, 8, 9.4, 9.3, 8.7, 10.2, 9.9, 9, 10.6, 10.5, 11.4, 10.9, 11.9, 11.2, 12.4, 12.48]

export function Data() {
  const [sorting, setSorting] = useState<Sorting<'date' | 'amount'>>({ column: 'date', direction: 'descending' })
  return (
    <div className="specimens">
      <StepChart
        label={gallery.chartLabel}
        points={heights.map((height, index) => ({ at: index, height }))}
        from={0}
        until={heights.length}
        top={13}
        ground={7}
        yLabels={gallery.chartAmounts}
        xLabels={gallery.chartDates}
      />
      <div>
        <table className="table">
          <thead>
            <tr>
              <SortHead column="date" sorting={sorting} onSort={setSorting}>
                {gallery.date}
              </SortHead>
              <SortHead column="amount" sorting={sorting} onSort={setSorting} end>
                {gallery.amount}
              </SortHead>
            </tr>
          </thead>
          <tbody>
            {activities.map((activity) => (
              <tr key={activity.title}>
                <td>{activity.title}</td>
                <td className="table-end">
                  <Amount amount={activity.amount} currency={activity.currency} direction={activity.direction} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <Pagination
          first={11}
          shownCount={10}
          total={64}
          isTotalExact
          pageSize={10}
          pageSizes={[10, 25, 50]}
          onPrevious={() => undefined}
          onNext={() => undefined}
          onPageSize={() => undefined}
        />
      </div>
    </div>
  )
}
