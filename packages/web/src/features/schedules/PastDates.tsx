import '../../css/schedule-past.css'
import { Link } from 'react-router'
import { schedules } from '#messages/schedules/schedules.ts'
import { paths } from '../../app/paths.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { formatDay } from '../../ui/format/format-day.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import type { ScheduledSends } from './schedule-queries.ts'

type Past = ScheduledSends['past'][number]

/** Outcome of the latest dates, with reasons. */
export function PastDates({ past }: { past: readonly Past[] }) {
  if (past.length === 0) return null
  return (
    <section className="mt-10" aria-labelledby="earlier">
      <div className="schedule-heading">
        <h2 id="earlier">{schedules.earlier}</h2>
      </div>
      <ul>
        {past.map((date) => (
          <li key={`${date.schedule_id} ${date.date}`} className="schedule-past">
            <time className="tabular" dateTime={date.date}>
              {formatDay(date.date)}
            </time>
            <span className="min-w-0 wrap-anywhere">
              <b className="font-medium">{date.recipient_name}</b>
              {date.reason_text && <span className="schedule-more">{date.reason_text}</span>}
            </span>
            <span className="text-end">
              {date.total !== null && (
                <b className="tabular block font-medium">{formatExact(date.total, date.currency)}</b>
              )}
              <PastState date={date} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function PastState({ date: { state, transaction_id: id, transaction_status: status } }: { date: Past }) {
  const isBad = state === 'failed' || state === 'missed' || status === 'FAILED'
  const text =
    status === 'PENDING'
      ? schedules.states.held
      : status === 'FAILED'
        ? schedules.states.failed
        : schedules.states[state]
  if (id) {
    return (
      <Link className="link small" to={`${paths.transactions}?search=${id}`}>
        {text}
      </Link>
    )
  }
  return <span className={classNames('small', isBad ? 'schedule-bad' : 'muted')}>{text}</span>
}
