// Clears rows that nobody needs any more. Money and its history are never among them: postings, entries, transactions,
// payments, payouts, settlement lines and cases stay for good.

import type pg from 'pg'

const dayMs = 86_400_000
/** A few thousand rows at once, so that no statement holds locks or the write-ahead log for long. */
const batchRows = 2000

interface Rule {
  /** How many days a row stays after the time it goes by. */
  readonly keepDays: number
  /** `product`: the clock that stamps the rows, which a sandbox may move. `real`: what belongs to signing in. */
  readonly clock: 'product' | 'real'
  /** Deletes at most $2 rows whose time is before $1. */
  readonly statement: string
}

/** Deletes from `table`, `limit` rows at once, what `isOld` tells of a row by its time and $1. */
const deleteRows = (table: string, isOld: string): string =>
  `delete from ${table} where ctid = any (array(select ctid from ${table} where ${isOld} limit $2))`

/** Reports of the payment provider are compared with our books for so long; what is older counts as compared. */
export const keepReconciliationRunsDays = 730

/** What is cleared, in this order: what names a session goes before the session. docs/operating.md lists the same. */
export const retentionRules: Readonly<Record<string, Rule>> = {
  refresh_token: { keepDays: 0, clock: 'real', statement: deleteRows('refresh_token', 'expires_at < $1') },
  sign_in_challenge: { keepDays: 0, clock: 'real', statement: deleteRows('sign_in_challenge', 'expires_at < $1') },
  passkey_ceremony: { keepDays: 0, clock: 'real', statement: deleteRows('passkey_ceremony', 'expires_at < $1') },
  external_sign_in: { keepDays: 1, clock: 'real', statement: deleteRows('external_sign_in', 'expires_at < $1') },
  external_link: { keepDays: 1, clock: 'real', statement: deleteRows('external_link', 'expires_at < $1') },
  spent_id_token: { keepDays: 1, clock: 'real', statement: deleteRows('spent_id_token', 'expires_at < $1') },
  signing_key: { keepDays: 30, clock: 'real', statement: deleteRows('signing_key', 'retired_at < $1') },
  // Devices and places of kept sessions are familiar, and one session is always left: the first sign-in of an account is
  // not told by mail, and a sign-in after a long absence must not look like the first.
  session: {
    keepDays: 400,
    clock: 'real',
    statement: deleteRows(
      'session',
      `last_used_at < $1
         and exists (select from session as later where later.user_id = session.user_id
                       and (later.last_used_at, later.id) > (session.last_used_at, session.id))
         and not exists (select from refresh_token where session_id = session.id)
         and not exists (select from step_up_confirmation where session_id = session.id)
         and not exists (select from mailed_link where session_id = session.id)
         and not exists (select from passkey where session_id = session.id)
         and not exists (select from totp where session_id = session.id)`,
    ),
  },
  // What a provider tells twice it tells within a month.
  provider_event: { keepDays: 400, clock: 'product', statement: deleteRows('provider_event', 'received_at < $1') },
  // By a function, since the application may not delete what limits rest on; it spares the last 400 days by itself.
  limit_usage: { keepDays: 400, clock: 'product', statement: 'select from clear_limit_usage($1::date, $2)' },
  quote: {
    keepDays: 90,
    clock: 'product',
    // One that has been used, or that a payment has reserved, belongs to that.
    statement: deleteRows(
      'quote',
      'expires_at < $1 and not exists (select from ledger.token where token.id = quote.id)',
    ),
  },
  reconciliation_run: {
    keepDays: keepReconciliationRunsDays,
    clock: 'product',
    statement: deleteRows('reconciliation_run', 'until_at < $1'),
  },
  // Those that failed for good. What they were to do is done by the tasks that look for payments and payouts left open.
  'graphile_worker._private_jobs': {
    keepDays: 30,
    clock: 'real',
    statement: deleteRows(
      'graphile_worker._private_jobs',
      'attempts >= max_attempts and locked_at is null and updated_at < $1',
    ),
  },
}

/** Deletes everything that `retentionRules` lets go and gives the number of rows by table. */
export async function clearOldRows(
  pool: pg.Pool,
  { now, realNow = () => new Date() }: { now: () => Date; realNow?: () => Date },
): Promise<Record<string, number>> {
  const cleared: Record<string, number> = {}
  for (const [table, { keepDays, clock, statement }] of Object.entries(retentionRules)) {
    const at = clock === 'product' ? now() : realNow()
    const before = new Date(at.getTime() - keepDays * dayMs)
    cleared[table] = 0
    for (;;) {
      const { rowCount } = await pool.query(statement, [before, batchRows])
      cleared[table] += rowCount ?? 0
      if ((rowCount ?? 0) < batchRows) break
    }
  }
  return cleared
}
