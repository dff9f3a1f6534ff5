import type pg from 'pg'
import type { Tx } from '../../db.ts'
import { Refusal, refuse } from '../../refuse.ts'
import type { Seal } from '../../seal.ts'
import { createTurns } from '../../turns.ts'

/** Slows down guessing at one account, from however many addresses the guesses come. */
export interface LoginAttempts {
  /**
   * Runs one check of somebody's proof for the account behind `email`. It counts as a failure until `check` gives
   * something; then all earlier failures are forgiven. Refuses `too_many_attempts` while the account is slowed down,
   * without running the check: even the right password tells nothing then. A check that refuses `rate_limited` has
   * looked at nothing and does not count.
   */
  guard<T>(email: string, check: () => Promise<T | undefined>): Promise<T | undefined>
  /** Forgets all failures of the account behind `email`, whose owner has proved themself in another way. */
  forgive(tx: Tx, email: string): Promise<void>
}

const freeFailures = 5
const firstPauseSeconds = 30
const longestPauseSeconds = 900

/** Attempts are kept in the database, so that all processes count together. `now` dates them. */
export function createLoginAttempts({
  pool,
  seal,
  now,
}: {
  pool: pg.Pool
  seal: Seal
  now: () => Date
}): LoginAttempts {
  const takeTurn = createTurns()
  return {
    guard(email, check) {
      const account = seal.fingerprint(email)
      // One at a time per account: several right passwords at once must not be mistaken for guesses.
      return takeTurn(account.toString('base64'), async () => {
        const admitted = await admit(pool, account, now())
        const result = await check().catch(async (error: unknown) => {
          if (error instanceof Refusal && error.code === 'rate_limited') await giveBack(pool, account, admitted)
          throw error
        })
        if (result !== undefined) await pool.query('delete from login_attempt where account = $1', [account])
        return result
      })
    },
    async forgive(tx, email) {
      await tx.query('delete from login_attempt where account = $1', [seal.fingerprint(email)])
    },
  }
}

/** An attempt that was counted, and the end of the pause that began with it, if one did. */
interface Admitted {
  readonly blockedUntil: Date | null
}

/**
 * Counts the attempt before it is made, in one statement: of any number of parallel guesses, in any number of
 * processes, only as many are let through as would be one after the other.
 */
async function admit(pool: pg.Pool, account: Buffer, at: Date): Promise<Admitted> {
  await forgetOld(pool, at)
  for (;;) {
    const admitted = await pool.query<Admitted>(
      `insert into login_attempt as known (account, failures, last_failed_at) values ($1, 1, $2)
       on conflict (account) do update set
         failures = known.failures + 1,
         last_failed_at = $2,
         blocked_until = case when known.failures + 1 >= $3 then
           $2 + make_interval(secs => least($5, $4 * power(2, least(known.failures + 1 - $3, 20)))) end
       where known.blocked_until is null or known.blocked_until <= $2
       returning blocked_until as "blockedUntil"`,
      [account, at, freeFailures, firstPauseSeconds, longestPauseSeconds],
    )
    if (admitted.rows[0]) return admitted.rows[0]
    const { rows } = await pool.query<{ blocked_until: Date }>(
      'select blocked_until from login_attempt where account = $1 and blocked_until > $2',
      [account, at],
    )
    // Nothing left of it means that somebody has just proved themself: try again.
    const until = rows[0]?.blocked_until
    if (until) {
      // not money: seconds to wait
      const retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - at.getTime()) / 1000))
      refuse('too_many_attempts', { retryAfterSeconds })
    }
  }
}

/**
 * An attempt that was admitted was not made. A pause ends only when it began with this very attempt: another process may
 * have admitted others since.
 */
async function giveBack(pool: pg.Pool, account: Buffer, { blockedUntil }: Admitted): Promise<void> {
  await pool.query(
    `update login_attempt set failures = greatest(0, failures - 1), blocked_until = nullif(blocked_until, $2)
      where account = $1`,
    [account, blockedUntil],
  )
}

// Failures are forgotten a day after the last of them.
async function forgetOld(pool: pg.Pool, at: Date): Promise<void> {
  await pool.query(
    `delete from login_attempt where account in
       (select account from login_attempt where last_failed_at < $1::timestamptz - interval '1 day'
         limit 100 for update skip locked)`,
    [at],
  )
}
