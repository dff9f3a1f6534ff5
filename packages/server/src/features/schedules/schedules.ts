import type { ChangedSchedule, NewSchedule, Schedule } from '@tern/contract/schedules/schedules'
import type { Caller } from '../../platform/http/serve.ts'
import { openDue, resumeDue } from './due.ts'
import { editSchedule } from './orders/edit-schedule.ts'
import { type RunOptions, sendDue } from './occurrences.ts'
import { createScheduleChanges } from './schedule-changes.ts'
import { createSchedule } from './orders/schedule-orders.ts'
import type { OrderOptions } from './orders/schedule-terms.ts'
import { createScheduleViews } from './schedule-view.ts'
import { warnDue } from './warnings.ts'

type Options = RunOptions & OrderOptions

/** One-time and recurring scheduled sends. */
export function createSchedules(options: Options) {
  const views = createScheduleViews(options)
  const changes = createScheduleChanges(options)
  /** Awaits a change and returns the schedule's new state. */
  const then = async (userId: bigint, id: string, changed: Promise<unknown>): Promise<Schedule> => {
    await changed
    return views.one(userId, id)
  }

  return {
    list: views.list,
    async create(
      caller: Caller,
      wanted: NewSchedule,
      keys: { idempotencyKey: string; confirmation: string | undefined },
    ): Promise<Schedule> {
      return views.one(caller.userId, await createSchedule(options, caller, wanted, keys))
    },
    edit: (caller: Caller, id: string, wanted: ChangedSchedule, confirmation: string | undefined) =>
      then(caller.userId, id, editSchedule(options, caller, id, wanted, confirmation)),
    pause: (userId: bigint, id: string, until: string | undefined) =>
      then(userId, id, changes.pause(userId, id, until)),
    resume: (userId: bigint, id: string) => then(userId, id, changes.resume(userId, id)),
    stop: (userId: bigint, id: string) => then(userId, id, changes.stop(userId, id)),
    skip: (userId: bigint, id: string, date: string) => then(userId, id, changes.skip(userId, id, date)),

    /** Sends due dates and warns of low balances for the next day. Safe with any number of workers. */
    async runDue(): Promise<void> {
      await resumeDue(options)
      await openDue(options)
      await sendDue(options)
      await warnDue(options)
    },
  }
}

export type Schedules = ReturnType<typeof createSchedules>
