import type { DeskLine } from '@tern/contract/desk/queues'
import type { Db } from '../../platform/database/db.ts'
import { insertRow } from '../../platform/database/rows.ts'
import type { DeskLogRow } from './row-types.ts'

/** Actor of a log line: an operator, or with a null `id` a server command or an automatic action. */
export interface Actor {
  readonly id: string | null
  readonly name: string
}

export type LoggedAct =
  | 'operator_added'
  | 'operator_disabled'
  | 'roles_changed'
  | 'link_made'
  | 'account_linked'
  | 'account_unlinked'
  | 'no_account_stated'
  | 'passkey_added'
  | 'signed_in'
  | 'signed_out'
  | 'listed'
  | 'opened'
  | 'read_file'
  | 'looked_up'
  | 'call_started'
  | 'call_confirmed'
  | 'call_ended'
  | 'call_refused'
  | 'call_alert_raised'
  | 'call_alerts_listed'
  | 'call_alert_closed'
  | 'read_treasury'
  | 'read_log'
  | 'sessions_ended'
  | 'refused'
  | 'claimed'
  | 'handed_over'
  | 'escalated'
  | 'noted'
  | 'asked_provider'
  | 'decided'
  | 'set_aside'
  | 'agreed'
  | 'disagreed'
  | 'carried_out'
  | 'not_carried_out'

interface NewLogLine {
  readonly act: LoggedAct
  readonly queue?: string
  /** Id of an entry or operator, user number, refused act, `nobody` for a lookup without a result, or `everyone`. */
  readonly subject?: string
  readonly reason?: string
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly decisionId?: string
}

/**
 * Appends a line to the log. The database numbers it and chains its hash to the previous line, which blocks other
 * writers until the commit: call it last in a transaction.
 */
export async function writeLine(db: Db, actor: Actor, line: NewLogLine, at: Date): Promise<void> {
  const { act, queue, subject, reason, before, after, decisionId } = line
  await insertRow(db, 'desk_log', {
    at,
    operator_id: actor.id,
    actor: actor.name,
    act,
    queue,
    subject,
    reason,
    before,
    after,
    decision_id: decisionId,
  })
}

type LineRow = Omit<DeskLine, 'number' | 'at' | 'hash'> & Pick<DeskLogRow, 'number' | 'at' | 'hash'>

/**
 * SQL of the log lines that reader `$1` may see. While a round has one decision and no verdict, that decision is hidden
 * from other operators, so that the second one decides blind. Lines about entries that concern the reader's own account
 * are redacted.
 */
const logLinesSql = `
  select number, at, actor as by, act, l.queue, l.subject, hash,
      case when hidden or is_own then null else l.reason end as reason, case when is_own then null else before end as before,
      case when hidden or is_own then null else after end as after
    from desk_log l left join desk_decision d on d.id = l.decision_id,
      lateral (select d.id is not null and d.operator_id is distinct from $1
                 and (select verdict is null from desk_item i where i.queue = d.queue and i.subject = d.subject and i.round = d.round)
                 and not exists (select from desk_decision other where other.queue = d.queue and other.subject = d.subject
                                   and other.round = d.round and other.id <> d.id) as hidden) h,
      lateral (select case when l.queue is null or l.subject is null then false
                 else exists (select from desk_own_account o where o.operator_id = $1 and o.unlinked_at is null)
                   and desk_is_own(l.queue, l.subject::uuid, $1) end as is_own) i`

const toLine = ({ number, at, hash, ...line }: LineRow): DeskLine => ({
  ...line,
  number: Number(number), // not money: a line number
  at: at.toISOString(),
  hash: hash.toString('hex').slice(0, 8),
})

const linesPerPage = 100

/** Returns up to a hundred log lines, newest first; with `before`, only lines with lower numbers. */
export async function readLines(db: Db, readerId: string, before?: number): Promise<DeskLine[]> {
  const { rows } = await db.query<LineRow>(
    `${logLinesSql} where $2::bigint is null or number < $2 order by number desc limit $3`,
    [readerId, before ?? null, linesPerPage],
  )
  return rows.map(toLine)
}

/** Returns the last hundred lines about one entry, newest first. */
export async function readTimeline(
  db: Db,
  readerId: string,
  { queue, subject }: { queue: string; subject: string },
): Promise<DeskLine[]> {
  const { rows } = await db.query<LineRow>(
    `${logLinesSql} where l.queue = $2 and l.subject = $3 order by number desc limit $4`,
    [readerId, queue, subject, linesPerPage],
  )
  return rows.map(toLine)
}
