import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type pg from 'pg'
import type { Tx } from '../../../platform/database/db.ts'
import { Refusal, refuse } from '../../../platform/refuse.ts'
import type { Seal } from '../../../platform/seal.ts'
import { createKeyedLock } from './keyed-lock.ts'

const freeFailures = 5
const firstPauseSeconds = 30
const longestPauseSeconds = 900
/** After this long, an unfinished check counts as dead and its turn passes on. */
const longestCheckMs = 10_000
const pollMs = 40
const longestWaitMs = 15_000

/** Refusals of checks that were no guess. */
const unmadeCodes: ReadonlySet<RefusalCode> = new Set(['rate_limited', 'code_used'])

type OtherWays = 'other_ways_to_log_in' | undefined

interface Options {
  readonly pool: pg.Pool
  readonly seal: Seal
  readonly now: () => Date
  readonly checkMs?: number
}

/**
 * Limits guessing at one account across all addresses. Attempts and turns live in the database, shared by all processes.
 */
export function createLoginAttempts({ pool, seal, now, checkMs = longestCheckMs }: Options) {
  const serialize = createKeyedLock()
  return {
    /**
     * Checks credentials for the account behind `email`. Counts as a failure until `check` returns a value, which
     * forgives earlier ones. While the account must wait, refuses `too_many_attempts` without running the check, so that
     * even the right password reveals nothing. A check refused `rate_limited` or `code_used` does not count. Attempts in a known
     * `browser` are counted apart, so that strangers never lock its owner out; `otherWays` tells who must wait what else
     * is open to them.
     */
    guard<T>(
      email: string,
      check: () => Promise<T | undefined>,
      { browser, otherWays }: { browser?: string | undefined; otherWays?: OtherWays } = {},
    ): Promise<T | undefined> {
      const account = seal.fingerprint(accountIn(email, browser))
      // One at a time per account: concurrent correct passwords are not guesses. Queued here first, so that each
      // process asks the database only once.
      return serialize(account.toString('base64'), async () => {
        const admitted = await countAttempt(pool, { account, at: now(), checkMs, otherWays })
        const result = await check().catch(async (error: unknown) => {
          const isUnmade = error instanceof Refusal && unmadeCodes.has(error.code)
          await (isUnmade ? giveBack(pool, account, admitted) : endTurn(pool, account, admitted))
          throw error
        })
        if (result === undefined) await endTurn(pool, account, admitted)
        else await pool.query('delete from login_attempt where account = $1', [account])
        return result
      })
    },
    /** Forgets failures of the account behind `email`, also in this `browser`: its owner authenticated otherwise. */
    async forgive(tx: Tx, email: string, browser: string | undefined): Promise<void> {
      const accounts = [email, accountIn(email, browser)].map((account) => seal.fingerprint(account))
      await tx.query('delete from login_attempt where account = any($1)', [accounts])
    },
  }
}

const accountIn = (email: string, browser: string | undefined) => (browser ? `${email} ${browser}` : email)

/** A counted attempt, with the end of any pause it began. */
interface Admitted {
  readonly checkId: string
  readonly blockedUntil: Date | null
}

/**
 * Takes the account's turn and counts the attempt in one statement, before it is made: parallel guesses in any number
 * of processes are admitted as if sequential. Waits while another process has the turn; refuses `rate_limited` when
 * that takes too long.
 */
async function countAttempt(
  pool: pg.Pool,
  { account, at, checkMs, otherWays }: { account: Buffer; at: Date; checkMs: number; otherWays?: OtherWays },
): Promise<Admitted> {
  await forgetOld(pool, at)
  const checkId = randomUUID()
  for (const giveUpAt = performance.now() + longestWaitMs; ;) {
    const { rows: admitted } = await pool.query<Omit<Admitted, 'checkId'>>(
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
      [account, at, freeFailures, firstPauseSeconds, longestPauseSeconds, checkId, checkMs / 1000],
    )
    if (admitted[0]) return { ...admitted[0], checkId }
    const { rows } = await pool.query<{ blockedUntil: Date | null; isChecking: boolean }>(
      `select blocked_until as "blockedUntil", coalesce(check_until > clock_timestamp(), false) as "isChecking"
         from login_attempt where account = $1`,
      [account],
    )
    // A missing row means a successful check: try again.
    const [known] = rows
    if (known?.isChecking) {
      // The check under way decides whether the account must wait.
      if (performance.now() > giveUpAt) refuse('rate_limited', { retryAfterSeconds: 1 })
      await delay(pollMs)
    } else if (known?.blockedUntil && known.blockedUntil > at) {
      refuseUntil(known.blockedUntil, at, otherWays)
    }
  }
}

function refuseUntil(until: Date, at: Date, otherWays: OtherWays): never {
  const seconds = Math.max(1, Math.ceil((until.getTime() - at.getTime()) / 1000)) // not money: seconds to wait
  const minutes = Math.ceil(seconds / 60) // not money: minutes to wait
  refuse('too_many_attempts', {
    reason: { code: otherWays ?? 'wait_after_failures', params: { seconds, minutes } },
    extra: { until: until.toISOString() },
    retryAfterSeconds: seconds,
  })
}

/** Passes the turn on after a failed attempt. */
async function endTurn(pool: pg.Pool, account: Buffer, { checkId }: Admitted): Promise<void> {
  await pool.query(
    'update login_attempt set check_id = null, check_until = null where account = $1 and check_id = $2',
    [account, checkId],
  )
}

/**
 * Takes back an attempt not made. Ends a pause only if this attempt began it: another process may have admitted others.
 */
async function giveBack(pool: pg.Pool, account: Buffer, { checkId, blockedUntil }: Admitted): Promise<void> {
  await pool.query(
    `update login_attempt set failures = greatest(0, failures - 1), blocked_until = nullif(blocked_until, $2),
            check_until = case when check_id = $3 then null else check_until end
      where account = $1`,
    [account, blockedUntil, checkId],
  )
}

// Failures are forgotten a day after the last.
async function forgetOld(pool: pg.Pool, at: Date): Promise<void> {
  await pool.query(
    `delete from login_attempt where account in
       (select account from login_attempt where last_failed_at < $1::timestamptz - interval '1 day'
         limit 100 for update skip locked)`,
    [at],
  )
}
