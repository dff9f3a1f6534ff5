import '../../css/schedule-past.css'
import { Link } from 'react-router'
import { schedules } from '#messages/schedules/schedules.ts'
import { paths } from '../../app/paths.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { formatDay } from '../../ui/format/format-day.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import type { ScheduledSends } from './schedule-queries.ts'

type PastDate = ScheduledSends['past'][number]

/** Outcome of the latest dates, with reasons. */
export function PastDates({ past }: { past: readonly PastDate[] }) {
  if (past.length === 0) return null
  return (
    <section className="mt-10" aria-labelledby="earlier">
      <div className="border-b border-b-ink text-small flex gap-4 items-baseline justify-between pb-2 [&_span]:pe-9 max-md:[&_span]:pe-0">
        <h2 className="font-medium" id="earlier">
          {schedules.earlier}
        </h2>
      </div>
      <ul>
        {past.map((date) => (
          <li
            key={`${date.schedule_id} ${date.date}`}
            className="schedule-past grid grid-cols-[124px_minmax(0,1fr)_auto] gap-x-4 gap-y-0 items-center min-h-14 py-2 max-md:grid-cols-[minmax(0,1fr)_auto] [&_time]:text-[0.875rem] [&_time]:text-ink-2 max-md:[&_time]:col-span-full"
          >
            <time className="tabular" dateTime={date.date}>
              {formatDay(date.date)}
            </time>
            <span className="min-w-0 wrap-anywhere">
              <b className="font-medium">{date.recipient_name}</b>
              {date.reason_text && <span className="text-fine/5 block text-ink-2">{date.reason_text}</span>}
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

function PastState({ date: { state, transaction_id: id, transaction_status: status } }: { date: PastDate }) {
  const isFailure = state === 'failed' || state === 'missed' || status === 'FAILED'
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
  return <span className={classNames('small', isFailure ? 'text-wait' : 'muted')}>{text}</span>
}
