// Loaded into every integration test: a test fails when a transaction locks what moves money in another order than docs/ledger.md
// ("Lock order") says. Two that lock in opposite orders wait for each other only now and then, so no other test would notice.

import pg from 'pg'
import { afterEach, expect } from 'vitest'

const order = ['days', 'risk', 'accounts', 'tokens', 'guards'] as const
type Lock = (typeof order)[number]

/** Tokens of a payment are nobody else's, so they may also come after guards. */
const early: ReadonlySet<Lock> = new Set(['days', 'risk', 'accounts'])

/** Statements that lock single rows. */
const single: readonly (readonly [RegExp, Lock])[] = [
  [/\b(count|reverse)_limit_usage\(/, 'days'],
  [/\b(take_back_movement_risk|take_back_risk|decide_risk|record_risk_proof)\(/, 'risk'],
  [/\b(reserve_token|release_token|replace_quote)\(/, 'tokens'],
  [/\bcreate_pending_transactions\(/, 'guards'],
]

/** Statements that lock all rows of a kind that their transaction will need; later ones of that kind lock nothing new. */
const all: readonly (readonly [RegExp, Lock])[] = [
  [/\block_limit_usage\(/, 'days'],
  [/from risk_profile .*for no key update/, 'risk'],
  [/\block_accounts\(/, 'accounts'],
]

const quotas = /row\(\$(\d+)::bigint\[\], \$\d+::date\[\]/
const guards = /guards => row\(\$(\d+)/

/** The locks of an open transaction, and the kinds of which it holds all that it needs. */
interface Locked {
  readonly locks: Lock[]
  readonly complete: Set<Lock>
}

const matching = (list: readonly (readonly [RegExp, Lock])[], text: string): Lock[] =>
  list.flatMap(([pattern, lock]) => (pattern.test(text) ? [lock] : []))

function locksOf(text: string, values: readonly unknown[]): Lock[] {
  if (!text.includes('move_money(')) return matching([...single, ...all], text)
  const has = (pattern: RegExp) => values[Number(pattern.exec(text)?.[1]) - 1] !== '{}'
  return [
    ...(has(quotas) ? (['days'] as const) : []),
    ...(has(guards) ? (['risk'] as const) : []),
    'accounts',
    'guards',
  ]
}

const state = globalThis as { locksOutOfOrder?: string[] }

function watch(found: string[]): void {
  const open = new WeakMap<object, Locked>()
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [asked, parameters] = given
    const { text = '', values = parameters } =
      typeof asked === 'string' ? { text: asked } : (asked as { text?: string; values?: unknown })
    // A savepoint begins anew: tests try many histories within one transaction.
    if (/^(begin|savepoint)\b/i.test(text)) open.set(this, { locks: [], complete: new Set() })
    else if (/^(commit|rollback)/i.test(text)) open.delete(this)
    const locked = open.get(this)
    // Migrations define and grant what is looked for here, and call none of it.
    if (locked && /^\s*(select|with)\b/i.test(text)) note(locked, text, Array.isArray(values) ? values : [], found)
    return Reflect.apply(query, this, given)
  } as typeof query
}

function note({ locks, complete }: Locked, text: string, values: readonly unknown[], found: string[]): void {
  for (const lock of locksOf(text, values)) {
    const later = locks.find((other) => order.indexOf(other) > order.indexOf(lock))
    if (later && early.has(lock) && !complete.has(lock)) found.push(`${lock} after ${later}: ${text}`)
    locks.push(lock)
  }
  for (const lock of matching(all, text)) complete.add(lock)
}

// Test files that share a process each load this.
if (!state.locksOutOfOrder) {
  state.locksOutOfOrder = []
  watch(state.locksOutOfOrder)
}

afterEach(() => {
  expect(state.locksOutOfOrder?.splice(0), 'locks out of order').toEqual([])
})
