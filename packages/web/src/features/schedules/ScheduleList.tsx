import type { Schedule } from '@tern/contract/schedules/schedules'
import { Suspense, useState } from 'react'
import { schedules } from '#messages/schedules/schedules.ts'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'
import { classNames } from '../../ui/icon/class-names.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Avatar } from '../../ui/layout/Avatar.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatDayParts, shortDay } from './dates.ts'
import type { ScheduledSends } from './schedule-queries.ts'

const ScheduleDetails = lazyComponent(() => import('./ScheduleDetails.tsx'), 'ScheduleDetails')

interface ListProps {
  userId: number
  data: ScheduledSends
}

/** Active schedules, then paused ones. */
export function ScheduleList({ userId, data }: ListProps) {
  const [open, setOpen] = useState<string>()
  // Waiting schedules come first, because they may need action.
  const active = data.schedules
    .filter(({ state }) => state === 'active')
    .toSorted((a, b) => Number(b.waiting !== null) - Number(a.waiting !== null)) // not money: which comes first
  const pausedSchedules = data.schedules.filter(({ state }) => state === 'paused')
  const rows = (list: readonly Schedule[]) => (
    <ul>
      {list.map((schedule) => (
        <ScheduleRow
          key={schedule.id}
          schedule={schedule}
          userId={userId}
          missing={findShortfall(data, schedule)}
          isOpen={open === schedule.id}
          onToggle={() => setOpen(open === schedule.id ? undefined : schedule.id)}
        />
      ))}
    </ul>
  )
  return (
    <>
      {active.length > 0 && (
        <section className="mt-10" aria-labelledby="coming-up">
          <div className="border-b border-b-ink text-small flex gap-4 items-baseline justify-between pb-2 [&_span]:pe-9 max-md:[&_span]:pe-0">
            <h2 className="font-medium" id="coming-up">
              {schedules.comingUp}
            </h2>
            <span className="muted">{schedules.youPay}</span>
          </div>
          {rows(active)}
        </section>
      )}
      {pausedSchedules.length > 0 && (
        <section className="mt-10" aria-labelledby="paused">
          <div className="border-b border-b-ink text-small flex gap-4 items-baseline justify-between pb-2 [&_span]:pe-9 max-md:[&_span]:pe-0">
            <h2 className="font-medium" id="paused">
              {schedules.pausedList}
            </h2>
          </div>
          {rows(pausedSchedules)}
        </section>
      )}
    </>
  )
}

const findShortfall = ({ coming }: ScheduledSends, { id }: Schedule): string | undefined =>
  coming.find(({ schedule_id }) => schedule_id === id)?.missing ?? undefined

interface RowProps {
  userId: number
  schedule: Schedule
  missing: string | undefined
  isOpen: boolean
  onToggle: () => void
}

/** One schedule; the whole row expands its details. */
function ScheduleRow({ userId, schedule, missing, isOpen, onToggle }: RowProps) {
  const { id, recipient, description, recurrence } = schedule
  const name = recipient.name ?? recipient.username
  const recurrenceText = schedules.recurrences[recurrence]
  return (
    <li>
      <button
        type="button"
        className="schedule-row grid grid-cols-[92px_40px_minmax(0,1fr)_176px_148px_20px] gap-x-4 gap-y-0 items-center w-full min-h-19 py-3 text-start cursor-pointer max-xl:grid-cols-[84px_40px_minmax(0,1fr)_auto_20px] max-md:grid-cols-[40px_minmax(0,1fr)_auto] max-md:gap-x-3 max-md:gap-y-0.5 max-md:py-4 [li+li>&]:border-t [&[aria-expanded=true]>svg]:[transform:rotate(180deg)]"
        aria-expanded={isOpen}
        aria-controls={`schedule-${id}`}
        onClick={onToggle}
      >
        <ScheduleDate schedule={schedule} />
        <Avatar name={name} icon="send" />
        <span className="min-w-0 wrap-anywhere">
          <b>{name}</b>
          <span className="text-fine/5 block text-ink-2">
            {description ? schedules.noteAnd(description, recurrenceText) : recurrenceText}
          </span>
        </span>
        <GuardLine schedule={schedule} missing={missing} />
        <Costs schedule={schedule} />
        <Icon name="down" />
      </button>
      <div id={`schedule-${id}`}>
        {isOpen && (
          <Suspense fallback={<SkeletonLine className="w-3/5" />}>
            <ScheduleDetails userId={userId} schedule={schedule} />
          </Suspense>
        )}
      </div>
    </li>
  )
}

function ScheduleDate({ schedule: { state, next_on: nextOn, paused_until: until, waiting } }: { schedule: Schedule }) {
  const parts = nextOn === null ? undefined : formatDayParts(nextOn)
  const [first, second] =
    state === 'paused'
      ? [schedules.pausedNow, until ? schedules.pausedUntil(shortDay(until)) : '']
      : waiting
        ? [schedules.dueToday, shortDay(waiting.date)]
        : [parts?.day, parts?.weekday]
  return (
    <span className="max-md:text-[0.8125rem] max-md:flex max-md:gap-1.5 max-md:items-baseline max-md:col-span-full tabular">
      <b>{first}</b>
      <span className="text-fine/5 block text-ink-2">{second}</span>
    </span>
  )
}

function GuardLine({ schedule, missing }: { schedule: Schedule; missing: string | undefined }) {
  const { source_currency: currency, rate_guard: guard, waiting } = schedule
  const warning = waiting ? schedules.states.waiting : missing && schedules.isShort(formatExact(missing, currency))
  const text = warning || (guard && schedules.under(formatExact(guard, currency)))
  if (!text) return <span className="max-xl:hidden" />
  return (
    <span
      className={classNames(
        'text-fine/5 flex gap-1.5 items-center max-xl:row-2 max-xl:col-3 max-md:row-3 max-md:col-[2/-1] [&_svg]:size-4',
        warning ? 'text-wait' : 'text-ink-2 [&_svg]:text-sea',
      )}
    >
      <Icon name={warning ? 'warning' : 'lock'} />
      {text}
    </span>
  )
}

/** Cost and amount received; marks the one that moves with the rate. */
function Costs({ schedule }: { schedule: Schedule }) {
  const { side, amount, price, source_currency: source, target_currency: target } = schedule
  const isSame = source === target
  const targetText = formatExact(side === 'target' ? amount : (price?.target_amount ?? '0'), target)
  if (!price) {
    return (
      <span className="text-end max-md:row-2 max-md:col-3 [&_small]:text-[0.8125rem] [&_small]:text-ink-2 tabular">
        <b className="inline">{formatExact(amount, side === 'target' ? target : source)}</b>
        <span className="text-fine/5 block text-ink-2">{schedules.noPrice}</span>
      </span>
    )
  }
  return (
    <span className="text-end max-md:row-2 max-md:col-3 [&_small]:text-[0.8125rem] [&_small]:text-ink-2 tabular">
      <span>
        {side === 'target' && !isSame && <small>{schedules.about} </small>}
        <b className="inline">{formatExact(price.total, source)}</b>
      </span>
      <span className="text-fine/5 block text-ink-2">
        {side === 'source' && !isSame ? schedules.aboutAmount(targetText) : targetText}
      </span>
    </span>
  )
}
