import { AsyncLocalStorage } from 'node:async_hooks'
import { LedgerError } from '@tern/ledger/ledger'

// When a request stops being worth beginning. Whoever asked has had no answer for so long that they may have gone on to
// something else; and a process that was frozen meanwhile must not move money as if no time had passed.

const deadlines = new AsyncLocalStorage<number>()

/** Runs `work` as something that must have begun to move money within `timeoutMs`. */
export const withDeadline = <T>(timeoutMs: number, work: () => T): T =>
  deadlines.run(performance.now() + timeoutMs, work)

/** The moment, by `performance.now()`, after which nothing is begun any more; undefined outside of requests. */
export const deadlineAt = (): number | undefined => deadlines.getStore()

/** Throws LedgerError `unavailable` when the deadline of this request has passed. */
export function requireTime(): void {
  const at = deadlineAt()
  if (at !== undefined && performance.now() > at) {
    throw new LedgerError('unavailable', 'The request waited too long and was not begun')
  }
}
