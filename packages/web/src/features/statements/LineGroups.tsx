import type { StatementHead, StatementLine } from '@tern/contract/statements'
import { Link } from 'react-router'
import { statements as texts } from '#messages/statements/statements.ts'
import { toLocalDay } from '../../app/browser/local-day.ts'
import { formatTime } from '../../ui/format/format.ts'
import { formatDay } from '../../ui/format/format-day.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { LineAmount } from './LineAmount.tsx'
import type { LinesProps } from './LineTable.tsx'
import { addressOf, describeLine, isMinor } from './line-text.ts'

interface DayGroup {
  readonly day: string
  readonly lines: StatementLine[]
}

function groupByDay(lines: readonly StatementLine[]): DayGroup[] {
  const groups: DayGroup[] = []
  for (const line of lines) {
    const day = toLocalDay(new Date(line.at))
    const last = groups.at(-1)
    if (last?.day === day) last.lines.push(line)
    else groups.push({ day, lines: [line] })
  }
  return groups
}

/** Lines for narrow screens, day by day, each with the balance after it. */
export function LineGroups({ head, lines, isComplete }: LinesProps) {
  const { currency, opening_balance: opening, closing_balance: closing, period } = head
  return (
    <>
      <BalanceLine name={texts.opening} balance={formatExact(opening, currency)} />
      {groupByDay(lines).map(({ day, lines: dayLines }) => (
        <section key={`${day} ${dayLines[0]?.id}`} aria-label={formatDay(day)}>
          <h3 className="day-heading">{formatDay(day)}</h3>
          <ul>
            {dayLines.map((line) => (
              <LineItem key={line.id} line={line} currency={currency} />
            ))}
          </ul>
        </section>
      ))}
      {isComplete && (
        <BalanceLine
          name={period.is_final ? texts.closing : texts.balanceNow}
          balance={formatExact(closing, currency)}
        />
      )}
    </>
  )
}

const BalanceLine = ({ name, balance }: { name: string; balance: string }) => (
  <p className="statement-ends">
    <span>{name}</span>
    <span className="tabular" translate="no">
      {balance}
    </span>
  </p>
)

function LineItem({ line, currency }: { line: StatementLine; currency: StatementHead['currency'] }) {
  const address = addressOf(line)
  const content = (
    <>
      <span className="min-w-0">
        <span className="block wrap-anywhere">{describeLine(line)}</span>
        <span className="activity-sub">
          <time dateTime={line.at}>{formatTime(line.at)}</time>
          {line.status !== 'completed' && !isMinor(line) && <span>{texts.statuses[line.status]}</span>}
          {line.description !== '' && !isMinor(line) && (
            <span className="truncate" dir="auto">
              {line.description}
            </span>
          )}
        </span>
      </span>
      <span className="activity-end">
        <LineAmount line={line} currency={currency} />
        <span className="activity-sub" translate="no">
          <span className="visually-hidden">{texts.runningBalance} </span>
          {formatExact(line.balance, currency)}
        </span>
      </span>
    </>
  )
  const className = classNames('statement-line', isMinor(line) && 'statement-minor')
  return (
    <li>
      {address === undefined ? (
        <div className={className}>{content}</div>
      ) : (
        <Link className={className} to={address}>
          {content}
        </Link>
      )}
    </li>
  )
}
