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
/** After this long, an unfinished check counts as dead and its turn passes on. */
const longestCheckMs = 10_000
const pollMs = 40
const longestWaitMs = 15_000

/** Refusals of checks that are not guesses. */
const exemptRefusals: ReadonlySet<RefusalCode> = new Set(['rate_limited', 'code_used'])

type SignInAlternative = 'other_ways_to_log_in' | undefined

/** Attempts of this process. Counts are in the database, shared by all processes. */
export interface LoginAttempts {
  /** Queues the checks of one account, so that each process queries the database only once. */
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
  /** Other login methods available while this one is blocked. */
  readonly otherWays?: SignInAlternative
}

/**
 * Checks credentials for an account, limiting guesses across all addresses. Counts as a failure until `check` returns a
 * value, which forgives earlier ones. While the account must wait, refuses `too_many_attempts` without running the
 * check, so that even the right password reveals nothing. A check refused `rate_limited` or `code_used` does not count.
 * Attempts in a known `browser` are counted apart, so that strangers never lock its owner out.
 */
export function guardAttempts<T>(
  { attempts: { serialize, checkMs }, seals, realNow }: Ctx,
  pool: pg.Pool,
  { account: name, browser, otherWays }: GuardedAccount,
  check: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const account = seals.loginAttempt.fingerprint(accountKey(name, browser))
  // One at a time per account: concurrent correct passwords are not guesses.
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

/** Clears the failures of an account, also in this `browser`, after its owner authenticated otherwise. */
export async function clearAttempts(
  { seals }: Pick<Ctx, 'seals'>,
  tx: Tx,
  { account, browser }: Pick<GuardedAccount, 'account' | 'browser'>,
): Promise<void> {
  const accounts = [account, accountKey(account, browser)].map((name) => seals.loginAttempt.fingerprint(name))
  await tx.query('delete from login_attempt where account = any($1)', [accounts])
}

const accountKey = (name: string, browser: string | undefined) => (browser ? `${name} ${browser}` : name)

/** A counted attempt, with the end of any pause it began. */
interface CountedAttempt {
  readonly checkId: string
  readonly blockedUntil: Date | null
}

/**
 * Takes the account's turn and counts the attempt in one statement, before it is made: parallel guesses in any number
 * of processes are admitted as if sequential. Waits while another process has the turn; refuses `rate_limited` when
 * that takes too long.
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
    // A missing row means a successful check: try again.
    const [attemptRow] = rows
    if (attemptRow?.isChecking) {
      // The check under way decides whether the account must wait.
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

/** Passes the turn on after a failed attempt. */
async function endCheck(db: Db, account: Buffer, { checkId }: CountedAttempt): Promise<void> {
  await db.query('update login_attempt set check_id = null, check_until = null where account = $1 and check_id = $2', [
    account,
    checkId,
  ])
}

/**
 * Reverts an attempt that was not made. Ends a pause only if this attempt began it: another process may have admitted
 * others.
 */
async function removeAttempt(db: Db, account: Buffer, { checkId, blockedUntil }: CountedAttempt): Promise<void> {
  await db.query(
    `update login_attempt set failures = greatest(0, failures - 1), blocked_until = nullif(blocked_until, $2),
            check_until = case when check_id = $3 then null else check_until end
      where account = $1`,
    [account, blockedUntil, checkId],
  )
}

// Failures are forgotten a day after the last.
async function deleteOldAttempts(db: Db, at: Date): Promise<void> {
  await db.query(
    `delete from login_attempt where account in
       (select account from login_attempt where last_failed_at < $1::timestamptz - interval '1 day'
         limit 100 for update skip locked)`,
    [at],
  )
}
