import type pg from 'pg'
import { isLockTimeout } from './failure.ts'

// Posting turns. With many posters, a batch needs one of two turns; meanwhile movements of other posters gather in
// larger batches. A turn is an advisory lock: PostgreSQL grants it in request order and releases it if the poster dies.
// Turns only improve throughput: a poster without one still posts safely.

/** Turn, held by a connection until `isOver`. */
export interface Turn {
  readonly client: pg.Client
  readonly number: number
  isOver: boolean
}

const turnLock = 7_316_023
/** Number of turns: one batch is computed while another is sent and answered. */
const turnCount = 2
/** Milliseconds for which a lane waits for a turn before it posts without one. */
const patienceMs = 1000
/** Milliseconds without a statement after which the process holding a turn counts as frozen. */
const frozenMs = 250

let taken = 0

/** Takes a free turn, or waits for one of the two. Returns undefined after `patienceMs`. */
export async function claimTurn(client: pg.Client): Promise<Turn | undefined> {
  taken += 1
  try {
    // CASE evaluates in order, and the setting ends with the statement.
    const { rows } = await client.query<{ number: number }>({
      name: 'claim_turn',
      text: `select case
          when set_config('lock_timeout', $1, true) is null then null
          when pg_try_advisory_lock($2::int, $3::int) then $3::int
          when pg_try_advisory_lock($2::int, $4::int) then $4::int
          when pg_advisory_lock($2::int, $3::int) is null then null
          else $3::int
        end as number`,
      values: [`${patienceMs}ms`, turnLock, taken % turnCount, (taken + 1) % turnCount],
    })
    const [row] = rows
    return row && { client, number: row.number, isOver: false }
  } catch (error) {
    if (isLockTimeout(error)) return undefined
    throw error
  }
}

/**
 * Wraps the query of a batch so that it ends its turn and commits without waiting for the disk, which releases its
 * locks early. The batch is durable once `awaitDisk` has returned.
 */
export function withinTurn({ name, text, values = [] }: pg.QueryConfig, turn: Turn): pg.QueryConfig {
  return {
    name: `${name}_in_turn`,
    text: `select posted.*, set_config('synchronous_commit', 'off', true) as commits,
        pg_advisory_unlock(${turnLock}, $${values.length + 1}::int) as is_over from (${text}) as posted`,
    values: [...values, turn.number],
  }
}

/** Returns once everything this server has committed is on disk, as after a synchronous commit. */
export async function awaitDisk(client: pg.Client): Promise<void> {
  // A commit with a log record waits for all earlier log records, including those of other connections.
  await client.query({ name: 'await_disk', text: `select pg_logical_emit_message(true, 'tern', '')` })
}

/** Ends a turn that no batch has used. */
export async function endTurn(turn: Turn): Promise<void> {
  turn.isOver = true
  await turn.client.query('select pg_advisory_unlock($1, $2)', [turnLock, turn.number])
}

/**
 * Terminates the connections of frozen posters that hold a turn; once running again, they reconnect and resend their
 * batch. Returns whether there were any.
 */
export async function endFrozenTurns(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ ended: boolean }>(
    `with frozen as materialized (
       select held.pid from pg_locks as held join pg_stat_activity as activity on activity.pid = held.pid
        where held.locktype = 'advisory' and held.classid = $1 and held.granted
          and held.database = (select oid from pg_database where datname = current_database())
          and activity.state = 'idle' and activity.state_change < clock_timestamp() - make_interval(secs => $2 / 1000.0))
     select pg_terminate_backend(pid) as ended from frozen`,
    [turnLock, frozenMs],
  )
  return rows.some(({ ended }) => ended)
}
