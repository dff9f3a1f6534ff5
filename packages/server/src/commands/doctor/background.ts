// Background work: whether a worker lives, jobs that are due or failed, and mails that wait.

import { fault, ok, type SetupFinding, warning } from '@tern/providers/setup'
import { onlyRow } from '../../platform/database/db.ts'
import type { Check, DoctorContext } from './check.ts'
import { countText, formatDuration } from './durations.ts'

const longestSilenceMs = 5 * 60_000
const overdueMs = 2 * 60_000
const lateMailMs = 5 * 60_000
const stuckMailMs = 15 * 60_000

/** Several tasks are due every minute, and each run is written down. */
async function checkWorker({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<{ last: Date | null; now: Date }>(
    `select max(last_execution) as last, now() as now from graphile_worker._private_known_crontabs`,
  )
  const { last, now } = onlyRow(rows)
  const todo = 'Start a worker (`node packages/server/src/main.ts worker`), and read its log.'
  if (!last) return [fault('No worker has ever run.', todo)]
  const ageMs = now.getTime() - last.getTime()
  const found = `A worker began a task ${formatDuration(ageMs)} ago.`
  return [ageMs > longestSilenceMs ? fault(found, todo) : ok(found)]
}

interface JobCounts {
  readonly overdue: number
  readonly failed: number
  /** Age of the oldest overdue job, and its task. */
  readonly overdueMs: number | null
  readonly task: string | null
}

async function checkJobs({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<JobCounts>(
    `with overdue as (
       select run_at, identifier from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
        where locked_at is null and attempts < max_attempts and run_at < now() - make_interval(secs => $1))
     select (select count(*)::int from overdue) as overdue,
        (select count(*)::int from graphile_worker._private_jobs where locked_at is null and attempts >= max_attempts) as failed,
        (select extract(epoch from now() - min(run_at))::float8 * 1000 from overdue) as "overdueMs",
        (select identifier from overdue order by run_at limit 1) as task`,
    [overdueMs / 1000],
  )
  const { overdue, failed, overdueMs: ageMs, task } = onlyRow(rows)
  if (overdue > 0) {
    const found = `${countText(overdue, 'job')} overdue, the oldest (${task}) by ${formatDuration(ageMs ?? 0)}.`
    return [fault(found, "Read the worker's log; restart it, or start another one.")]
  }
  if (failed > 0) {
    const todo = 'Read `last_error` in graphile_worker.jobs. They are deleted after 30 days.'
    return [warning(`No job is overdue; ${countText(failed, 'job')} failed for good.`, todo)]
  }
  return [ok('No job is overdue, and none failed for good.')]
}

async function checkMails({ db }: DoctorContext): Promise<readonly SetupFinding[]> {
  const { rows } = await db.query<{ waiting: number; ageMs: number | null; givenUp: number }>(
    `select (select count(*)::int from mail where sent_at is null and given_up_at is null) as waiting,
        (select extract(epoch from now() - min(created_at))::float8 * 1000 from mail
          where sent_at is null and given_up_at is null) as "ageMs",
        (select count(*)::int from mail where given_up_at > now() - interval '1 day') as "givenUp"`,
  )
  const { waiting, ageMs, givenUp } = onlyRow(rows)
  const age = ageMs ?? 0
  const found = waiting === 0 ? 'No mail waits.' : `${countText(waiting, 'mail')} waiting, for ${formatDuration(age)}.`
  const todo = 'Look at the checks of the worker and of the mail server.'
  if (age > stuckMailMs) return [fault(found, todo)]
  if (age > lateMailMs) return [warning(found, todo)]
  if (givenUp === 0) return [ok(found)]
  const reasons = 'Read their reasons: `select given_up_reason from mail where given_up_at is not null`.'
  return [warning(`${found} ${countText(givenUp, 'mail')} given up since yesterday.`, reasons)]
}

export const backgroundChecks: readonly Check[] = [
  { name: 'worker.alive', tried: 'Reads when a worker last began a scheduled task.', run: checkWorker },
  { name: 'worker.jobs', tried: 'Counts jobs that are overdue or failed.', run: checkJobs },
  { name: 'mail.waiting', tried: 'Counts mails that wait or were given up.', run: checkMails },
]
