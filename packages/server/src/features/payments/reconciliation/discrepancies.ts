import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { isIncoming, type LineKind, type ReportLine } from '@tern/providers/report/port'
import type pg from 'pg'
import { amountText } from '../../../platform/http/amount.ts'
import type { CaseDetail, CaseFacts } from './reconciliation-exceptions.ts'

/** A movement as our own books have it. */
export interface OwnLine {
  readonly id: string
  readonly kind: LineKind
  /** Above zero. */
  readonly amount: Money
  readonly reference: string
  readonly occurredAt: Date
  /** When its payment or payout was begun: the movement cannot be older in anybody's books. */
  readonly begunAt: Date
}

interface OwnLineRow {
  id: string
  kind: LineKind
  amount_minor: bigint
  currency: CurrencyCode
  reference: string
  occurred_at: Date
  begun_at: Date
}

/** Our movements that happened in a window, and those of the ids given whenever they happened. */
export async function ownLines(
  pool: pg.Pool,
  { provider, from, until, ids }: { provider: string; from: Date; until: Date; ids: readonly string[] },
): Promise<Map<string, OwnLine>> {
  const { rows } = await pool.query<OwnLineRow>(
    `select l.*, coalesce(i.created_at, o.created_at, l.occurred_at) as begun_at
       from settlement_line l
       left join payment i on i.id = l.reference
       left join payout o on o.id = l.reference
      where l.provider = $1 and ((l.occurred_at >= $2 and l.occurred_at < $3) or l.id = any($4))
      order by l.occurred_at, l.id`,
    [provider, from, until, ids],
  )
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        kind: row.kind,
        amount: money(row.currency, isIncoming[row.kind] ? row.amount_minor : -row.amount_minor),
        reference: row.reference,
        occurredAt: row.occurred_at,
        begunAt: row.begun_at,
      },
    ]),
  )
}

/** The books of both sides over the same window, by the provider's ids. */
export interface BothBooks {
  readonly there: ReadonlyMap<string, ReportLine>
  readonly here: ReadonlyMap<string, OwnLine>
  /** What nothing is concluded about, because the provider did not answer. */
  readonly unresolved: ReadonlySet<string>
}

const said = ({ kind, amount }: { kind: LineKind; amount: Money }) => ({ kind, amount: amountText(amount) })

const isSame = (one: { kind: LineKind; amount: Money }, other: { kind: LineKind; amount: Money }) =>
  one.kind === other.kind && one.amount.currency === other.amount.currency && one.amount.minor === other.amount.minor

function detailOf(line: ReportLine, own: OwnLine | undefined): CaseDetail {
  if (own) {
    return { code: 'books_differ', params: { ...said(line), own_kind: own.kind, own_amount: amountText(own.amount) } }
  }
  if (line.reference === null) return { code: 'not_ours', params: said(line) }
  return { code: 'not_posted', params: { ...said(line), reference: line.reference } }
}

/** Where the two books differ, line by line. */
export function lineDifferences(provider: string, { there, here, unresolved }: BothBooks): CaseFacts[] {
  const found: CaseFacts[] = []
  for (const line of there.values()) {
    const own = here.get(line.id)
    if (unresolved.has(line.id) || (own && isSame(own, line))) continue
    found.push({
      kind: own ? 'amount_differs' : 'missing_internal',
      provider,
      subject: line.id,
      reference: own?.reference,
      amount: line.amount,
      happenedAt: line.occurredAt,
      detail: detailOf(line, own),
    })
  }
  for (const own of here.values()) {
    if (there.has(own.id) || unresolved.has(own.id)) continue
    found.push({
      kind: 'missing_external',
      provider,
      subject: own.id,
      reference: own.reference,
      amount: own.amount,
      happenedAt: own.begunAt < own.occurredAt ? own.begunAt : own.occurredAt,
      detail: { code: 'not_at_provider', params: said(own) },
    })
  }
  return found
}

/** How much moved, by currency and kind, in minor units. */
export interface LineSum {
  readonly currency: CurrencyCode
  readonly kind: LineKind
  readonly here: bigint
  readonly there: bigint
}

/** The sums of both books, by currency and kind. */
export function sumsOf({ there, here }: Pick<BothBooks, 'there' | 'here'>): LineSum[] {
  const sums = new Map<string, { currency: CurrencyCode; kind: LineKind; here: bigint; there: bigint }>()
  const sumOf = (amount: Money, kind: LineKind) => {
    const key = `${amount.currency} ${kind}`
    const sum = sums.get(key) ?? { currency: amount.currency, kind, here: 0n, there: 0n }
    sums.set(key, sum)
    return sum
  }
  for (const { amount, kind } of here.values()) sumOf(amount, kind).here += amount.minor
  for (const { amount, kind } of there.values()) sumOf(amount, kind).there += amount.minor
  return [...sums.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

/**
 * Settlement accounts whose balance is not what the movements add up to: every posting against one of them has its line,
 * written in the same transaction.
 */
export async function ledgerDifferences(pool: pg.Pool, provider: string): Promise<CaseFacts[]> {
  const { rows } = await pool.query<{ name: string; currency: CurrencyCode; balance: bigint; lines: bigint }>(
    `with line as (
       select case when l.kind in ('payout', 'payout_return') then 'payout'
                   when p.method = 'bank' then 'bank' else 'card' end || ':' || l.currency as name,
           l.currency, l.amount_minor
         from settlement_line l left join payment p on p.id = l.reference
     ), total as (
       select name, currency, sum(amount_minor) as lines from line group by name, currency
     ), account as (
       select base.name, base.currency, sum(part.balance) as balance
         from ledger.account base
         join ledger.account part on part.id = base.id or part.stripe_of = base.id
        where base.kind in ('card_settlement', 'bank_settlement', 'payout_settlement') and base.stripe_of is null
        group by base.name, base.currency
     )
     select name, currency, coalesce(balance, 0) as balance, coalesce(lines, 0) as lines
       from total full join account using (name, currency)
      where coalesce(balance, 0) + coalesce(lines, 0) <> 0 order by name`,
  )
  return rows.map(({ name, currency, balance, lines }) => {
    const [stands, should] = [amountText(money(currency, balance)), amountText(money(currency, -lines))]
    return {
      kind: 'ledger_differs',
      provider,
      subject: name,
      amount: money(currency, balance + lines),
      detail: { code: 'balance_differs', params: { account: name, stands, should } },
    }
  })
}
