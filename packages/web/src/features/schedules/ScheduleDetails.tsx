import {
  editSchedule,
  pauseSchedule,
  resumeSchedule,
  type Schedule,
  skipOccurrence,
  stopSchedule,
} from '@tern/contract/schedules/schedules'
import { Suspense, useState } from 'react'
import { schedules } from '#messages/schedules/schedules.ts'
import { paths } from '../../app/paths.ts'
import { callApi } from '../../app/session/session.ts'
import { callWithStepUp, notConfirmed } from '../../app/step-up/step-up.ts'
import { getTomorrow } from '../../app/browser/time-zone.ts'
import { useApiMutation } from '../../app/use-api-mutation.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { formatDay } from '../../ui/format/format-day.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { shortDay } from './dates.ts'
import { type CostGuard, GuardFields } from './GuardFields.tsx'

const StopDialog = lazyComponent(() => import('./StopDialog.tsx'), 'StopDialog')

interface DetailsProps {
  userId: number
  schedule: Schedule
}

/** Actions on one schedule, and the reason why its next send waits. */
export function ScheduleDetails({ userId, schedule }: DetailsProps) {
  const { source_currency: source, target_currency: target, side, ceiling, next_on: nextOn, waiting } = schedule
  const changes = useChanges(userId, schedule)
  const isFloatingCost = side === 'target' && source !== target
  return (
    <div className="grid gap-5 max-w-180 pt-2 pb-6 ps-27 max-xl:ps-25 max-md:ps-0">
      {waiting && (
        <Note tone="warning" live>
          {waiting.reason_text && waiting.retry_until
            ? schedules.waits(waiting.reason_text, formatDateTime(waiting.retry_until))
            : schedules.states.waiting}
        </Note>
      )}
      {isFloatingCost && <GuardPart schedule={schedule} changes={changes} />}
      <p className="small muted">
        {nextOn !== null && <>{schedules.sentAt(formatDay(nextOn), schedule.time_zone)} </>}
        {schedules.neverAbove(formatExact(ceiling, source))}
      </p>
      {changes.error && <Note tone="error">{changes.error}</Note>}
      <Actions schedule={schedule} changes={changes} />
    </div>
  )
}

function useChanges(userId: number, schedule: Schedule) {
  const toast = useToast()
  const params = { id: schedule.id }
  const action = useApiMutation({
    failed: schedules.failed,
    refetches: [['schedules', userId]],
  })
  const runAction = (task: () => Promise<unknown>, message: string) =>
    action.run(async () => {
      if ((await task()) !== notConfirmed) toast(message)
    })
  const skippedDate = schedule.waiting?.date ?? schedule.next_on
  return {
    isBusy: action.isBusy,
    error: action.error,
    skippedDate,
    guard: ({ isOn, amount, waitDays }: CostGuard) =>
      runAction(
        () =>
          callWithStepUp(editSchedule, {
            params,
            body: {
              source_currency: schedule.source_currency,
              target_currency: schedule.target_currency,
              side: schedule.side,
              amount: schedule.amount,
              description: schedule.description,
              recurrence: schedule.recurrence,
              next_on: schedule.next_on ?? schedule.first_on,
              wait_days: waitDays,
              ...(isOn ? { rate_guard: amount } : {}),
            },
          }),
        schedules.saved,
      ),
    pause: (until: string) =>
      runAction(() => callApi(pauseSchedule, { params, body: until ? { until } : {} }), schedules.paused),
    resume: () => runAction(() => callApi(resumeSchedule, { params }), schedules.resumed),
    stop: () => runAction(() => callApi(stopSchedule, { params }), schedules.stopped),
    skip: () =>
      runAction(() => callApi(skipOccurrence, { params, body: { date: skippedDate ?? '' } }), schedules.skipped),
  }
}

type ScheduleChanges = ReturnType<typeof useChanges>

/** Form for the rate guard of a schedule: the highest cost of one send, and the wait above it. */
function GuardPart({ schedule, changes }: { schedule: Schedule; changes: ScheduleChanges }) {
  const { source_currency: currency, rate_guard: saved, ceiling, wait_days: days } = schedule
  const start: CostGuard = { isOn: saved !== null, amount: saved ?? ceiling, waitDays: days }
  const [guard, setGuard] = useState(start)
  const [isInvalid, setIsInvalid] = useState(false)
  const isChanged = JSON.stringify(guard) !== JSON.stringify(start)
  return (
    <form
      noValidate
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        setIsInvalid(guard.isOn && !/[1-9]/.test(guard.amount))
        if (!guard.isOn || /[1-9]/.test(guard.amount)) changes.guard(guard)
      }}
    >
      <GuardFields
        currency={currency}
        guard={guard}
        onChange={setGuard}
        error={isInvalid ? schedules.enterAmount : undefined}
      />
      {isChanged && (
        <Button look="primary" type="submit" className="justify-self-start" processing={changes.isBusy}>
          {schedules.save}
        </Button>
      )}
    </form>
  )
}

function Actions({ schedule, changes }: { schedule: Schedule; changes: ScheduleChanges }) {
  const [openDialog, setOpenDialog] = useState<'stop' | 'pause'>()
  const { id, state, recurrence } = schedule
  const isActive = state === 'active'
  if (openDialog === 'pause')
    return <PauseForm schedule={schedule} changes={changes} onClose={() => setOpenDialog(undefined)} />
  return (
    <div className="flex flex-wrap gap-3">
      <LinkButton icon="settings" to={`${paths.scheduled}?edit=${id}`}>
        {schedules.edit}
      </LinkButton>
      {isActive ? (
        <Button icon="pause" onClick={() => setOpenDialog('pause')}>
          {schedules.pause}
        </Button>
      ) : (
        <Button icon="next" processing={changes.isBusy} onClick={changes.resume}>
          {schedules.resume}
        </Button>
      )}
      {isActive && changes.skippedDate && recurrence !== 'once' && (
        <Button look="ghost" processing={changes.isBusy} onClick={changes.skip}>
          {schedules.skip(shortDay(changes.skippedDate))}
        </Button>
      )}
      <Button look="ghost" onClick={() => setOpenDialog('stop')}>
        {schedules.stop}
      </Button>
      {openDialog === 'stop' && (
        <Suspense>
          <StopDialog
            schedule={schedule}
            onClose={() => setOpenDialog(undefined)}
            onStop={() => {
              setOpenDialog(undefined)
              changes.stop()
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

interface PauseFormProps {
  schedule: Schedule
  changes: ScheduleChanges
  onClose: () => void
}

/** Pauses the schedule until a date; without one, until it is resumed. */
function PauseForm({ schedule, changes, onClose }: PauseFormProps) {
  const [until, setUntil] = useState('')
  return (
    <form
      noValidate
      className="grid justify-items-start gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        changes.pause(until)
      }}
    >
      {schedule.recurrence !== 'once' && (
        <TextField
          label={schedules.pauseUntil}
          optional
          type="date"
          min={getTomorrow()}
          value={until}
          hint={schedules.pauseHint}
          onChange={(event) => setUntil(event.target.value)}
        />
      )}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" icon="pause" processing={changes.isBusy}>
          {schedules.pause}
        </Button>
        <Button look="ghost" onClick={onClose}>
          {schedules.keepGoing}
        </Button>
      </div>
    </form>
  )
}
