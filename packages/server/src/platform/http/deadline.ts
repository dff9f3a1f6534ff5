import { AsyncLocalStorage } from 'node:async_hooks'
import { LedgerError } from '@tern/ledger/ledger'
import { withCallDeadline } from '@tern/providers/deadline'

// When a request is no longer worth starting: its caller may have moved on, and a frozen process must not move money
// late.

const deadlines = new AsyncLocalStorage<number>()

/** Runs `work`, which must begin moving money within `timeoutMs`; its provider calls end by then. */
export function withDeadline<T>(timeoutMs: number, work: () => T): T {
  const at = performance.now() + timeoutMs
  return deadlines.run(at, () => withCallDeadline(at, work))
}

/** The deadline by `performance.now()`; undefined outside requests. */
export const deadlineAt = (): number | undefined => deadlines.getStore()

/** Throws LedgerError `unavailable` after this request's deadline. */
export function requireTime(): void {
  const at = deadlineAt()
  if (at !== undefined && performance.now() > at) {
    throw new LedgerError('unavailable', 'The request waited too long and was not begun')
  }
}
