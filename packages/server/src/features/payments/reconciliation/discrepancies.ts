import type { CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import { isIncoming, type LineKind, type OwnKind, type ReportLine } from '@tern/providers/report/port'
import type pg from 'pg'
import { amountText } from '../../../platform/http/amount.ts'
import type { CaseDetail, CaseFacts } from '../records/reconciliation-exceptions.ts'

/** Movement in our own books. */
export interface LedgerLine extends ReportLine {
  readonly reference: string
  /** Start of its payment or payout, before which neither side can have a movement. */
  readonly begunAt: Date
}

/** Our movements in a window, and those with the given ids at any time. */
export async function readLedgerLines(
  pool: pg.Pool,
  { provider, from, until, ids }: { provider: string; from: Date; until: Date; ids: readonly string[] },
): Promise<Map<string, LedgerLine>> {
  const { rows } = await pool.query<Omit<LedgerLine, 'amount'> & { minor: bigint; currency: CurrencyCode }>(
    `select l.id, l.kind, l.reference, l.currency, l.amount_minor as minor, l.occurred_at as "occurredAt",
         coalesce(i.created_at, o.created_at, l.occurred_at) as "begunAt"
       from settlement_line l
       left join payment i on i.id = l.reference
       left join payout o on o.id = l.reference
      where l.provider = $1 and ((l.occurred_at >= $2 and l.occurred_at < $3) or l.id = any($4))
      order by l.occurred_at, l.id`,
    [provider, from, until, ids],
  )
  return new Map(
    rows.map(({ minor, currency, ...row }) => {
      const amount = money(currency, isIncoming[row.kind] ? minor : -minor)
      return [row.id, { ...row, amount }]
    }),
  )
}

/** Movements in the provider's books (`there`) and in ours (`here`) in one window, by the provider's ids. */
export interface MatchedBooks {
  readonly there: Map<string, ReportLine>
  readonly here: Map<string, LedgerLine>
  /** Ids without a conclusion, because the provider did not answer. */
  readonly unresolved: Set<string>
}

const toFacts = ({ kind, amount }: ReportLine) => ({ kind, amount: amountText(amount) })

function findDetail(line: ReportLine, ownLine: LedgerLine | undefined): CaseDetail | undefined {
  const { kind, amount } = toFacts(line)
  if (ownLine) {
    const { kind: own_kind, amount: own_amount } = toFacts(ownLine)
    if (kind === own_kind && amount === own_amount) return undefined
    return { code: 'books_differ', params: { kind, amount, own_kind, own_amount } }
  }
  if (line.reference === null) return { code: 'not_ours', params: { kind, amount } }
  return { code: 'not_posted', params: { kind, amount, reference: line.reference } }
}

/** Cases for the differences between both books, line by line. */
export function lineDifferences(provider: string, { there, here, unresolved }: MatchedBooks): CaseFacts[] {
  const discrepancies: CaseFacts[] = []
  for (const line of there.values()) {
    const { id: subject, amount, occurredAt: happenedAt } = line
    const own = here.get(subject)
    const detail = findDetail(line, own)
    if (!detail || unresolved.has(subject)) continue
    const kind = own ? 'amount_differs' : 'missing_internal'
    discrepancies.push({ kind, provider, subject, reference: own?.reference, amount, happenedAt, detail })
  }
  for (const own of here.values()) {
    const { id: subject, reference, amount, begunAt, occurredAt } = own
    if (there.has(subject) || unresolved.has(subject)) continue
    const happenedAt = begunAt < occurredAt ? begunAt : occurredAt
    const detail = { code: 'not_at_provider', params: toFacts(own) } as const
    discrepancies.push({ kind: 'missing_external', provider, subject, reference, amount, happenedAt, detail })
  }
  return discrepancies
}

/** Total per currency and kind, in minor units. Amounts of our own money have signs. */
export interface LineSum {
  readonly kind: LineKind | OwnKind
  readonly currency: CurrencyCode
  here: bigint
  there: bigint
}

export type LineSums = Map<string, LineSum>

/** Adds lines of one side to the totals. */
export function addToSums(
  sums: LineSums,
  side: 'here' | 'there',
  lines: Iterable<Pick<LineSum, 'kind'> & Pick<ReportLine, 'amount'>>,
): void {
  for (const { kind, amount } of lines) {
    const { currency, minor } = amount
    const key = `${currency} ${kind}`
    const sum = sums.get(key) ?? { currency, kind, here: 0n, there: 0n }
    sum[side] += minor
    sums.set(key, sum)
  }
}

export const sortSums = (sums: LineSums): LineSum[] =>
  [...sums.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)

/**
 * Cases for settlement accounts whose balance differs from the sum of their recorded movements.
 */
export async function ledgerDifferences(pool: pg.Pool, provider: string): Promise<CaseFacts[]> {
  const { rows } = await pool.query<{ name: string; currency: CurrencyCode; balance: bigint; lines: bigint }>(
    `with line as (
       select case when l.kind in ('payout', 'payout_return') then 'payout'
                   when p.method = 'bank' then 'bank' else 'card' end || ':' || l.currency as name,
           l.currency, l.amount_minor
         from settlement_line l left join payment p on p.id = l.reference
       union all
       select case balance when 'payouts' then 'payout' else 'card' end || ':' || currency, currency, amount_minor
         from operator_line
       union all
       select 'payout:' || s.currency, s.currency, case c.kind when 'payout' then s.minor else -s.minor end
         from payout_conversion c
         cross join lateral (values (c.currency, c.amount_minor), (c.cost_currency, -c.cost_minor)) as s(currency, minor)
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
