import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type pg from 'pg'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import type { IdentityContext } from '../context.ts'
import { createKeyedLock, type KeyedLock } from './keyed-lock.ts'

const freeAttempts = 5
const firstPauseSeconds = 30
const longestPauseSeconds = 900
/** A check that takes longer is considered dead, and the next attempt is admitted. */
const longestCheckMs = 10_000
const pollMs = 40
const longestWaitMs = 15_000

/** Refusals that do not count as guesses. */
const exemptRefusals: ReadonlySet<RefusalCode> = new Set(['rate_limited', 'code_used'])

type SignInAlternative = 'other_ways_to_log_in' | undefined

/** State of this process. The counts are in the database, shared by all processes. */
export interface LoginAttempts {
  /** Queues the checks of one account, so that at most one per process polls the database. */
  readonly serialize: KeyedLock
  readonly checkMs: number
}

export const createLoginAttempts = (checkMs = longestCheckMs): LoginAttempts => ({
  serialize: createKeyedLock(),
  checkMs,
})

type Ctx = Pick<IdentityContext, 'attempts' | 'realNow'> & {
  readonly seals: Pick<IdentityContext['seals'], 'loginAttempt'>
}

interface GuardedAccount {
  readonly account: string
  readonly browser?: string | undefined
  /** Set if the refusal should name other login methods. */
  readonly otherWays?: SignInAlternative
}

/**
 * Runs `check` for an account, limiting guesses across all addresses. An attempt counts as failed until `check` returns
 * a value, which clears the count. During a pause, refuses `too_many_attempts` without running the check, so that even
 * the right password reveals nothing. Checks refused with `rate_limited` or `code_used` do not count. A known `browser`
 * has its own count, so that strangers cannot lock the owner out.
 */
export function guardAttempts<T>(
  { attempts: { serialize, checkMs }, seals, realNow }: Ctx,
  pool: pg.Pool,
  { account: name, browser, otherWays }: GuardedAccount,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const account = seals.loginAttempt.fingerprint(accountKey(name, browser))
  // One check at a time per account, so that concurrent right passwords do not count as failures.
  return serialize(account.toString('base64'), async () => {
    const countedAttempt = await countAttempt(pool, { account, at: realNow(), checkMs, otherWays })
    const result = await check().catch(async (error: unknown) => {
      const isExemptRefusal = error instanceof Refusal && exemptRefusals.has(error.code)
      await (isExemptRefusal ? removeAttempt(pool, account, countedAttempt) : endCheck(pool, account, countedAttempt))
      throw error
    })
    if (result === undefined) await endCheck(pool, account, countedAttempt)
    else await pool.query('delete from login_attempt where account = $1', [account])
    return result
  })
}

/** Clears an account's count, and that of `browser`, after its owner authenticated otherwise. */
export async function clearAttempts(
  { seals }: Pick<Ctx, 'seals'>,
  tx: Tx,
  { account, browser }: Pick<GuardedAccount, 'account' | 'browser'>,
): Promise<void> {
  const accounts = [account, accountKey(account, browser)].map((name) => seals.loginAttempt.fingerprint(name))
  await tx.query('delete from login_attempt where account = any($1)', [accounts])
}

const accountKey = (name: string, browser: string | undefined) => (browser ? `${name} ${browser}` : name)

/** Counted attempt, with the end of the pause it started, if any. */
interface CountedAttempt {
  readonly checkId: string
  readonly blockedUntil: Date | null
}

/**
 * Counts an attempt before it is checked and starts its check, in one statement, so that parallel guesses in several
 * processes are admitted as if sequential. Waits while another process checks; refuses `rate_limited` after 15 seconds.
 */
async function countAttempt(
  db: Db,
  { account, at, checkMs, otherWays }: { account: Buffer; at: Date; checkMs: number; otherWays?: SignInAlternative },
): Promise<CountedAttempt> {
  await deleteOldAttempts(db, at)
  const checkId = randomUUID()
  for (const deadline = performance.now() + longestWaitMs; ;) {
    const { rows: countedRows } = await db.query<Omit<CountedAttempt, 'checkId'>>(
      `insert into login_attempt as known (account, failures, last_failed_at, check_id, check_until)
       values ($1, 1, $2, $6, clock_timestamp() + make_interval(secs => $7))
       on conflict (account) do update set
         failures = known.failures + 1,
         last_failed_at = $2,
         blocked_until = case when known.failures + 1 >= $3 then
           $2 + make_interval(secs => least($5, $4 * power(2, least(known.failures + 1 - $3, 20)))) end,
         check_id = excluded.check_id,
         check_until = excluded.check_until
       where (known.check_until is null or known.check_until <= clock_timestamp())
         and (known.blocked_until is null or known.blocked_until <= $2)
       returning blocked_until as "blockedUntil"`,
      [account, at, freeAttempts, firstPauseSeconds, longestPauseSeconds, checkId, checkMs / 1000],
    )
    if (countedRows[0]) return { ...countedRows[0], checkId }
    const { rows } = await db.query<{ blockedUntil: Date | null; isChecking: boolean }>(
      `select blocked_until as "blockedUntil", coalesce(check_until > clock_timestamp(), false) as "isChecking"
         from login_attempt where account = $1`,
      [account],
    )
    // No row: a successful check has cleared the count. Try again.
    const [attemptRow] = rows
    if (attemptRow?.isChecking) {
      // Keep waiting: the outcome of the other check decides whether this attempt is admitted.
      if (performance.now() > deadline) refuse('rate_limited', { retryAfterSeconds: 1 })
      await delay(pollMs)
    } else if (attemptRow?.blockedUntil && attemptRow.blockedUntil > at) {
      refuseUntil(attemptRow.blockedUntil, at, otherWays)
    }
  }
}

function refuseUntil(until: Date, at: Date, otherWays: SignInAlternative): never {
  const seconds = Math.max(1, Math.ceil((until.getTime() - at.getTime()) / 1000)) // not money: seconds to wait
  const minutes = Math.ceil(seconds / 60) // not money: minutes to wait
  refuse('too_many_attempts', {
    reason: { code: otherWays ?? 'wait_after_failures', params: { seconds, minutes } },
    extra: { until: until.toISOString() },
    retryAfterSeconds: seconds,
  })
}

/** Ends a failed check, so that the next attempt is admitted. */
async function endCheck(db: Db, account: Buffer, { checkId }: CountedAttempt): Promise<void> {
  await db.query('update login_attempt set check_id = null, check_until = null where account = $1 and check_id = $2', [
    account,
    checkId,
  ])
}

/**
 * Reverts the count of an attempt that was no guess. Clears a pause only if this attempt started it, because another
 * attempt may have started a new one.
 */
async function removeAttempt(db: Db, account: Buffer, { checkId, blockedUntil }: CountedAttempt): Promise<void> {
  await db.query(
    `update login_attempt set failures = greatest(0, failures - 1), blocked_until = nullif(blocked_until, $2),
            check_until = case when check_id = $3 then null else check_until end
      where account = $1`,
    [account, blockedUntil, checkId],
  )
}

// Deletes counts a day after the last failure.
async function deleteOldAttempts(db: Db, at: Date): Promise<void> {
  await db.query(
    `delete from login_attempt where account in
       (select account from login_attempt where last_failed_at < $1::timestamptz - interval '1 day'
         limit 100 for update skip locked)`,
    [at],
  )
}
