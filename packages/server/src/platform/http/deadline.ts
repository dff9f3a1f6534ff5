import { LedgerError } from '@tern/ledger/ledger'
import { callDeadline, withCallDeadline } from '@tern/providers/deadline'

// Deadlines of requests: after one, the caller may have acted on a timeout, so a slow process must not begin moving
// money.

/** Runs `work`, which must begin moving money within `timeoutMs`; provider calls end by then too. */
export const withDeadline = <T>(timeoutMs: number, work: () => T): T =>
  withCallDeadline(performance.now() + timeoutMs, work)

/** Returns the deadline by `performance.now()`; undefined outside requests. */
export const readDeadline = (): number | undefined => callDeadline()

/** Throws LedgerError `unavailable` after this request's deadline. */
export function requireTime(): void {
  const at = readDeadline()
  if (at !== undefined && performance.now() > at) {
    throw new LedgerError('unavailable', 'The request waited too long and was not begun')
  }
}
