import type { Transaction } from '@tern/contract/transactions'
import { Fragment, Suspense } from 'react'
import { isWaiting, LeaveCountdown } from '../../../app/undo/LeaveCountdown.tsx'
import { transaction as words } from '#messages/transaction.ts'
import { titles } from '#messages/shell.ts'
import { transactions as texts } from '#messages/transactions.ts'
import { isUpcoming, readMoneyDirection, displayStatus, writeTitle } from '../../../ui/money/activity.ts'
import { Amount } from '../../../ui/money/Amount.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { formatDate, formatDateTime, formatTime } from '../../../ui/format/format.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { SkeletonLine } from '../../../ui/feedback/Skeleton.tsx'
import { SortHead, type Sorting } from '../../../ui/layout/Table.tsx'
import { PaymentSource } from '../PaymentSource.tsx'
import { groupByCurrency } from './day-groups.ts'
import { type Column, columns } from './list-state.ts'

interface TransactionTableProps {
  /** Undefined while loading. */
  transactions: readonly Transaction[] | undefined
  pageSize: number
  sorting: Sorting<Column>
  onSort: (sorting: Sorting<Column>) => void
  onOpen: (transaction: Transaction) => void
}

/** Table layout for wide screens: every column sorts, every row opens its details. */
export function TransactionTable({ transactions, pageSize, sorting, onSort, onOpen }: TransactionTableProps) {
  const hasCurrencyHeadings = sorting.column === 'amount' && groupByCurrency(transactions ?? []).length > 1
  return (
    <table className="table" aria-busy={!transactions}>
      <caption className="visually-hidden">{titles.transactions}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <SortHead key={column} column={column} end={column === 'amount'} sorting={sorting} onSort={onSort}>
              {texts[column]}
            </SortHead>
          ))}
          <th scope="col">
            <span className="visually-hidden">{texts.detailsHead}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {transactions
          ? transactions.map((transaction, place) => (
              <Fragment key={transaction.id}>
                {hasCurrencyHeadings && transaction.currency !== transactions[place - 1]?.currency && (
                  <CurrencyHead currency={transaction.currency} />
                )}
                <TransactionRow transaction={transaction} onOpen={() => onOpen(transaction)} />
              </Fragment>
            ))
          : Array.from({ length: pageSize }, (_, row) => <WaitingRow key={row} />)}
      </tbody>
    </table>
  )
}

/** Heading of one currency's amounts, since amounts of different currencies cannot be compared. */
function CurrencyHead({ currency }: { currency: string }) {
  return (
    <tr>
      <th scope="colgroup" colSpan={columns.length + 1} className="pt-5" translate="no">
        {currency}
      </th>
    </tr>
  )
}

function TransactionRow({ transaction, onOpen }: { transaction: Transaction; onOpen: () => void }) {
  const { transaction_type: type, payment_source: source, description } = transaction
  const status = displayStatus(transaction)
  const title = writeTitle(transaction)
  const dateTime = formatDateTime(transaction.timestamp)
  return (
    <tr className="relative">
      <td className="muted whitespace-nowrap xl:pe-8">
        <time dateTime={transaction.timestamp}>
          {formatDate(transaction.timestamp)} {formatTime(transaction.timestamp)}
        </time>
      </td>
      <td className="whitespace-nowrap xl:pe-8">
        {words.types[type] ?? words.otherType}
        {source && source !== 'wallet' && (
          <span className="tiny faint block">
            <PaymentSource source={source} />
          </span>
        )}
      </td>
      <td className="w-full max-w-0">
        <b className="block truncate font-medium">{title}</b>
        {isUpcoming(transaction) ? (
          <span className="small muted block truncate">{words.notYetYours}</span>
        ) : isWaiting(transaction) ? (
          <span className="small muted block truncate">
            <Suspense fallback={description}>
              <LeaveCountdown transaction={transaction} />
            </Suspense>
          </span>
        ) : (
          description !== title && <span className="small muted block truncate">{description}</span>
        )}
      </td>
      <td className="table-end">
        <Amount
          amount={transaction.amount}
          currency={transaction.currency}
          direction={readMoneyDirection(transaction)}
        />
      </td>
      <td>
        {status === 'COMPLETED' ? (
          <span className="visually-hidden">{texts.statusChoices.COMPLETED}</span>
        ) : (
          <Chip status={status} />
        )}
      </td>
      <td className="table-end">
        <button
          type="button"
          className="button button-square after:absolute after:inset-0"
          aria-label={texts.detailsOf(title, dateTime)}
          onClick={onOpen}
        >
          <Icon name="next" />
        </button>
      </td>
    </tr>
  )
}

function WaitingRow() {
  return (
    <tr>
      {['w-32', 'w-24', 'w-44', 'w-20', 'w-24', 'w-4'].map((width) => (
        <td key={width}>
          <SkeletonLine className={width} />
        </td>
      ))}
    </tr>
  )
}
