import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import {
  type BalanceName,
  balanceOfKind,
  isIncoming,
  type LineKind,
  type ProviderBalance,
  type Report,
  type ReportLine,
  type ReportProvider,
} from '@tern/providers/report/port'
import type pg from 'pg'
import { onlyRow } from '../../../platform/database/db.ts'
import { amountText } from '../../../platform/http/amount.ts'
import type { PaymentContext } from '../context.ts'
import type { CaseFacts } from '../records/reconciliation-exceptions.ts'
import { dayMs, settlingMs, type Window } from './periods.ts'

/** One balance at the provider, compared with our books. */
export interface BalanceComparison {
  readonly balance: BalanceName
  readonly currency: CurrencyCode
  /** Sum of the movements that we posted. */
  readonly posted: bigint
  /** Movements in the provider's books that are not posted, or differently: on their way, pending, or exceptions. */
  readonly unposted: bigint
  readonly there: bigint
  /** `moving`: the balance changed while it was read, so nothing is concluded. */
  readonly result: 'agrees' | 'differs' | 'moving'
}

export type BalanceResult =
  | { readonly status: 'known'; readonly balances: readonly BalanceComparison[] }
  | { readonly status: 'unknown'; readonly reason: string }

/** Change of a balance, with the id of its movement in the provider's books. */
export interface BalanceChange extends ProviderBalance {
  readonly id: string
}

export const toChange = ({ id, kind, amount }: ReportLine): BalanceChange => ({
  id,
  balance: balanceOfKind(kind),
  amount: isIncoming[kind] ? amount : money(amount.currency, -amount.minor),
})

/** Differences between the provider's balance and our books that a run over a window found. */
export interface WindowChanges {
  /** Movements that were not posted; some may be posted by now. */
  readonly unposted: readonly BalanceChange[]
  /** By how much movements differ, and those that the provider does not have. */
  readonly corrections: readonly ProviderBalance[]
  readonly pending: readonly BalanceChange[]
}

const attempts = 3

/**
 * Compares the provider's balances with our books. Money moves meanwhile, so the newest movements are read before and
 * after the balances: a balance agrees if it contains the movements up to some moment between.
 */
export async function compareBalances(
  ctx: PaymentContext,
  pool: pg.Pool,
  input: { provider: string; report: ReportProvider; window: Window; changes: WindowChanges },
): Promise<BalanceResult> {
  let balances: BalanceComparison[] = []
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const result = await compareOnce(ctx, pool, input)
    if (result.status === 'unknown') return result
    balances = [...result.balances]
    if (balances.every(({ result: found }) => found !== 'moving')) break
  }
  return { status: 'known', balances }
}

async function compareOnce(
  { now }: PaymentContext,
  pool: pg.Pool,
  {
    provider,
    report,
    window,
    changes,
  }: { provider: string; report: ReportProvider; window: Window; changes: WindowChanges },
): Promise<BalanceResult> {
  const at = now().getTime()
  const recentFrom = new Date(Math.min(window.until.getTime(), at - settlingMs)) // not money: a time
  const readRecent = () => report.lines(recentFrom, new Date(at + dayMs))
  const unpostedInWindow = [...changes.unposted, ...changes.pending]
  // Read first, so that the provider has everything that they contain.
  const ids = unpostedInWindow.map(({ id }) => id)
  const books = await readBooks(pool, { provider, recentFrom, ids, before: window.from })
  const before = await readRecent()
  if (before.status === 'unknown') return before
  const current = await report.balances()
  if (current.status === 'unknown') return current
  const after = await readRecent()
  if (after.status === 'unknown') return after

  const known = listChanges(before)
  const unposted = new Map(
    [...books.exceptions, ...unpostedInWindow, ...before.pending, ...known]
      .filter(({ id }) => !books.recorded.has(id))
      .map((change) => [change.id, change]),
  )
  const explained = sum([...unposted.values(), ...changes.corrections])
  const there = sum(current.balances)
  const knownIds = new Set(known.map(({ id }) => id))
  const newChanges = listChanges(after).filter(({ id }) => !knownIds.has(id))
  const keys = new Set([...books.posted.keys(), ...explained.keys(), ...there.keys()])
  const balances = [...keys].toSorted().map((key): BalanceComparison => {
    const [balance, currency] = key.split(' ') as [BalanceName, CurrencyCode]
    const sums = [books.posted, explained, there].map((part) => part.get(key) ?? 0n)
    const [posted = 0n, unposted = 0n, present = 0n] = sums
    const fresh = newChanges.filter((change) => keyOf(change) === key)
    const result = decide(present - posted - unposted, fresh)
    return { balance, currency, posted, unposted, there: present, result }
  })
  return { status: 'known', balances }
}

/** Decides whether a difference consists of the first of the newest movements, or of none. */
function decide(difference: bigint, fresh: readonly BalanceChange[]): BalanceComparison['result'] {
  let rest = difference
  if (rest === 0n) return 'agrees'
  for (const { amount } of fresh) {
    rest -= amount.minor
    if (rest === 0n) return 'agrees'
  }
  return fresh.length > 0 ? 'moving' : 'differs'
}

const listChanges = ({ lines, own }: Report): BalanceChange[] => {
  const timed = [
    ...lines.map((line) => ({ at: line.occurredAt, change: toChange(line) })),
    ...own.map(({ id, balance, amount, occurredAt: at }) => ({ at, change: { id, balance, amount } })),
  ]
  return timed.toSorted((a, b) => a.at.getTime() - b.at.getTime()).map(({ change }) => change)
}

const keyOf = ({ balance, amount }: ProviderBalance): string => `${balance} ${amount.currency}`

function sum(parts: readonly ProviderBalance[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const part of parts) sums.set(keyOf(part), (sums.get(keyOf(part)) ?? 0n) + part.amount.minor)
  return sums
}

interface PostedBooks {
  /** Sum of all posted movements, by balance and currency. */
  readonly posted: Map<string, bigint>
  /** Ids of posted movements, among the newest and the requested ones. */
  readonly recorded: Set<string>
  /** Movements before the window that exceptions say were not posted, even if an operator has closed them. */
  readonly exceptions: BalanceChange[]
}

async function readBooks(
  pool: pg.Pool,
  { provider, recentFrom, ids, before }: { provider: string; recentFrom: Date; ids: readonly string[]; before: Date },
): Promise<PostedBooks> {
  interface Sum {
    readonly balance: BalanceName
    readonly currency: CurrencyCode
    readonly minor: string
  }
  interface Exception {
    readonly id: string
    readonly kind: LineKind
    readonly currency: CurrencyCode
    readonly minor: string
  }
  const { rows } = await pool.query<{ sums: Sum[] | null; recorded: string[] | null; exceptions: Exception[] | null }>(
    `with line as (
       select id, case when kind in ('payout', 'payout_return') then 'payouts' else 'payments' end as balance, currency,
           amount_minor, occurred_at from settlement_line where provider = $1
       union all select id, balance, currency, amount_minor, occurred_at from operator_line where provider = $1
       union all
       select c.posting_id::text, 'payouts', s.currency, case c.kind when 'payout' then s.minor else -s.minor end, c.converted_at
         from payout_conversion c
         join payout o on o.id = c.payout_id and o.provider = $1
         cross join lateral (values (c.currency, c.amount_minor), (c.cost_currency, -c.cost_minor)) as s(currency, minor)
     ), total as (select balance, currency, sum(amount_minor)::text as minor from line group by 1, 2),
     exception as (
       select subject as id, params ->> 'kind' as kind, currency, amount_minor::text as minor from reconciliation_exception
        where provider = $1 and kind = 'missing_internal' and (closed_at is null or resolved_manually) and happened_at < $4
     )
     select (select jsonb_agg(total) from total) as sums, (select jsonb_agg(exception) from exception) as exceptions,
         (select array_agg(id) from line where occurred_at >= $2 or id = any($3)
            or id in (select id from exception)) as recorded`,
    [provider, new Date(recentFrom.getTime() - dayMs), ids, before],
  )
  const { sums, recorded, exceptions } = onlyRow(rows)
  return {
    posted: new Map((sums ?? []).map(({ balance, currency, minor }) => [`${balance} ${currency}`, BigInt(minor)])),
    recorded: new Set(recorded),
    exceptions: (exceptions ?? [])
      .filter(({ kind }) => Object.hasOwn(isIncoming, kind))
      .map(({ id, kind, currency, minor }) => {
        const amount: Money = money(currency, BigInt(minor))
        return toChange({ id, kind, amount, reference: null, occurredAt: recentFrom })
      }),
  }
}

/** Name of a balance as the subject of its exception. */
export const balanceSubject = (provider: string, { balance, currency }: BalanceComparison): string =>
  `${provider} ${balance}:${currency}`

/** Exceptions for balances that differ from our books. */
export function balanceDifferences(provider: string, balances: readonly BalanceComparison[]): CaseFacts[] {
  return balances
    .filter(({ result }) => result === 'differs')
    .map((comparison) => {
      const { balance, currency, posted, unposted, there } = comparison
      const difference = money(currency, there - posted - unposted)
      const params = {
        balance,
        there: amountText(money(currency, there)),
        here: amountText(money(currency, posted + unposted)),
      }
      const detail = { code: 'provider_balance_differs', params } as const
      return {
        kind: 'ledger_differs',
        provider,
        subject: balanceSubject(provider, comparison),
        amount: difference,
        detail,
      }
    })
}
