import type { StatementHead, StatementLine } from '@tern/contract/statements'
import { Link } from 'react-router'
import { statements as texts } from '#messages/statements/statements.ts'
import { Chip } from '../../ui/layout/Chip.tsx'
import { formatDate, formatTime } from '../../ui/format/format.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { LineAmount } from './LineAmount.tsx'
import { addressOf, describeConversion, describeLine, isMinor } from './line-text.ts'

export interface LinesProps {
  head: StatementHead
  lines: readonly StatementLine[]
  /** True once the last line is shown, so that the closing balance follows it. */
  isComplete: boolean
}

/** Lines for wide screens, between the opening and the closing balance. */
export function LineTable({ head, lines, isComplete }: LinesProps) {
  const { currency, opening_balance: opening, closing_balance: closing, period } = head
  return (
    <table className="table statement-table">
      <caption className="visually-hidden">{texts.title(currency)}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.date}</th>
          <th scope="col">{texts.details}</th>
          <th scope="col" className="table-end">
            {texts.amount}
          </th>
          <th scope="col" className="table-end">
            {texts.runningBalance}
          </th>
        </tr>
      </thead>
      <tbody>
        <BalanceRow name={texts.opening} balance={formatExact(opening, currency)} />
        {lines.map((line) => (
          <LineRow key={line.id} line={line} currency={currency} />
        ))}
        {isComplete && (
          <BalanceRow
            name={period.is_final ? texts.closing : texts.balanceNow}
            balance={formatExact(closing, currency)}
          />
        )}
      </tbody>
    </table>
  )
}

function BalanceRow({ name, balance }: { name: string; balance: string }) {
  return (
    <tr className="statement-balance">
      <td />
      <th scope="row" colSpan={2}>
        {name}
      </th>
      <td className="table-end tabular" translate="no">
        {balance}
      </td>
    </tr>
  )
}

function LineRow({ line, currency }: { line: StatementLine; currency: StatementHead['currency'] }) {
  const title = describeLine(line)
  const address = addressOf(line)
  const facts = isMinor(line) ? [] : [line.description, describeConversion(line, currency)].filter(Boolean)
  return (
    <tr className={classNames('relative', isMinor(line) && 'statement-minor')}>
      <td className="muted whitespace-nowrap tabular">
        <time dateTime={line.at}>
          {formatDate(line.at)} {formatTime(line.at)}
        </time>
      </td>
      <td className="w-full max-w-0">
        <span className="statement-what">
          {address === undefined ? (
            <b className="truncate">{title}</b>
          ) : (
            <Link className="row-link truncate" to={address}>
              {title}
            </Link>
          )}
          {line.status !== 'completed' && !isMinor(line) && <Chip status={line.status.toUpperCase()} />}
        </span>
        {facts.length > 0 && (
          <span className="small muted block truncate" dir="auto">
            {facts.join(' · ')}
          </span>
        )}
      </td>
      <td className="table-end whitespace-nowrap">
        <LineAmount line={line} currency={currency} />
      </td>
      <td className="table-end whitespace-nowrap tabular" translate="no">
        {formatExact(line.balance, currency)}
      </td>
    </tr>
  )
}
