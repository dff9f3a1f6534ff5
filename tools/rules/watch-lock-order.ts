// Loaded into every integration test: fails a test whose transaction takes money locks in another order than
// docs/ledger.md ("Lock order"). A wrong order deadlocks too rarely for other tests to detect it.

import pg from 'pg'
import { afterEach, expect } from 'vitest'

const order = ['days', 'risk', 'accounts', 'tokens', 'guards'] as const
type Lock = (typeof order)[number]

/** Locks that must not follow a later kind. Tokens may follow guards: one transaction alone uses a payment's token. */
const earlyLocks: ReadonlySet<Lock> = new Set(['days', 'risk', 'accounts'])

/** Statements that lock single rows. */
const singleRowLocks: readonly (readonly [RegExp, Lock])[] = [
  [/\b(count|reverse)_limit_usage\(/, 'days'],
  [/\b(take_back_movement_risk|take_back_risk|decide_risk|record_risk_proof)\(/, 'risk'],
  [/\b(reserve_token|release_token|replace_quote)\(/, 'tokens'],
  [/\bcreate_pending_transactions\(/, 'guards'],
]

/** Statements that lock all rows of a kind that their transaction needs; later locks of that kind add no rows. */
const completeLocks: readonly (readonly [RegExp, Lock])[] = [
  [/\block_limit_usage\(/, 'days'],
  [/from risk_profile .*for no key update/, 'risk'],
  [/\block_accounts\(/, 'accounts'],
]

const quotas = /row\(\$(\d+)::bigint\[\], \$\d+::date\[\]/
const guards = /guards => row\(\$(\d+)/

/** Locks of an open transaction, and the kinds of which it has locked all rows that it needs. */
interface TransactionLocks {
  readonly locks: Lock[]
  readonly complete: Set<Lock>
}

const findLocks = (list: readonly (readonly [RegExp, Lock])[], text: string): Lock[] =>
  list.flatMap(([pattern, lock]) => (pattern.test(text) ? [lock] : []))

function readLocks(text: string, values: readonly unknown[]): Lock[] {
  if (!text.includes('move_money(')) return findLocks([...singleRowLocks, ...completeLocks], text)
  const isSet = (pattern: RegExp) => values[Number(pattern.exec(text)?.[1]) - 1] !== '{}'
  return [
    ...(isSet(quotas) ? (['days'] as const) : []),
    ...(isSet(guards) ? (['risk'] as const) : []),
    'accounts',
    'guards',
  ]
}

const state = globalThis as { locksOutOfOrder?: string[] }

function watchStatements(violations: string[]): void {
  const open = new WeakMap<object, TransactionLocks>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...queryArguments: unknown[]) {
    const [queryText, parameters] = queryArguments
    const { text = '', values = parameters } =
      typeof queryText === 'string' ? { text: queryText } : (queryText as { text?: string; values?: unknown })
    // A savepoint resets the record, since some tests run many histories within one transaction.
    if (/^(begin|savepoint)\b/i.test(text)) open.set(this, { locks: [], complete: new Set() })
    else if (/^(commit|rollback)/i.test(text)) open.delete(this)
    const locked = open.get(this)
    // Migrations define and grant these functions without calling them.
    if (locked && /^\s*(select|with)\b/i.test(text))
      recordStatement(locked, text, Array.isArray(values) ? values : [], violations)
    return Reflect.apply(query, this, queryArguments)
  } as typeof query
}

function recordStatement(
  { locks, complete }: TransactionLocks,
  text: string,
  values: readonly unknown[],
  violations: string[],
): void {
  for (const lock of readLocks(text, values)) {
    const misorderedLock = locks.find((other) => order.indexOf(other) > order.indexOf(lock))
    if (misorderedLock && earlyLocks.has(lock) && !complete.has(lock))
      violations.push(`${lock} after ${misorderedLock}: ${text}`)
    locks.push(lock)
  }
  for (const lock of findLocks(completeLocks, text)) complete.add(lock)
}

// Each test file loads this module again, also in a shared process.
if (!state.locksOutOfOrder) {
  state.locksOutOfOrder = []
  watchStatements(state.locksOutOfOrder)
}

afterEach(() => {
  expect(state.locksOutOfOrder?.splice(0), 'locks out of order').toEqual([])
})
