import type { CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import { type Db, onlyRow, type Tx } from '../../platform/database/db.ts'
import { amountText } from '../../platform/http/amount.ts'
import { newId } from '../../platform/ids.ts'
import { closeCases, openCase } from '../payments/payments.ts'
import { type Difference, lastingCauses } from './compare-account.ts'
import { findDeadline } from './days.ts'
import type { SafeguardingFindingRow } from './row-types.ts'

export type FindingKind = SafeguardingFindingRow['kind']
export type FindingCause = SafeguardingFindingRow['cause']

/** The operator's task for each kind of finding. */
export const actionOf = {
  shortfall: 'top up',
  excess: 'withdraw',
  late_posting: 'wait for posting',
  not_compared: 'get the report',
} as const satisfies Record<FindingKind, string>

const kindOf = ({ cause, minor }: Difference): FindingKind =>
  cause === 'posted_late' ? 'late_posting' : minor < 0n ? 'shortfall' : 'excess'

interface NewFinding {
  readonly day: string
  readonly bank: string
  readonly kind: FindingKind
  readonly cause: FindingCause
  readonly subject: string
  /** Null for a day that could not be compared. */
  readonly amount: { readonly currency: CurrencyCode; readonly minor: bigint } | null
  readonly at: Date
}

/** Opens a finding with its exception, unless it is open. True if it is new. */
export async function openFinding(tx: Tx, finding: NewFinding): Promise<boolean> {
  const { day, bank, kind, cause, subject, amount, at } = finding
  const id = newId(at)
  const dueAt = findDeadline(day)
  const { rowCount } = await tx.query(
    `insert into safeguarding_finding (id, day, bank, currency, kind, cause, subject, amount_minor, found_at, due_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`,
    [id, day, bank, amount?.currency, kind, cause, subject, amount?.minor, at, dueAt],
  )
  if (rowCount !== 1) return false
  const size = amount && money(amount.currency, amount.minor < 0n ? -amount.minor : amount.minor)
  const due = dueAt.toISOString()
  const params = { amount: size ? amountText(size) : '', bank, day, subject, cause, due }
  const detail = { code: `safeguarding_${kind}`, params } as const
  await openCase(tx, { kind: 'safeguarding', provider: bank, subject: id, amount: size, detail }, at)
  return true
}

/** Opens a finding for each difference. Returns the count of new ones. */
export async function openDifferences(
  tx: Tx,
  {
    day,
    bank,
    differences,
    at,
  }: Pick<NewFinding, 'day' | 'bank' | 'at'> & { readonly differences: readonly Difference[] },
): Promise<number> {
  let opened = 0
  for (const difference of differences) {
    const { cause, subject, currency, minor } = difference
    const facts = { day, bank, kind: kindOf(difference), cause, subject, amount: { currency, minor }, at }
    if (await openFinding(tx, facts)) opened += 1
  }
  return opened
}

type OpenFinding = Pick<SafeguardingFindingRow, 'id' | 'cause' | 'subject' | 'currency'> & {
  /** Day on which the transfer for it was booked; null without one. */
  readonly coveredOn: string | null
}

/**
 * Ends the open findings of a bank that the comparison of `day` did not find again, or whose transfer is booked.
 * Returns their count.
 */
export async function endFindings(
  tx: Tx,
  {
    day,
    bank,
    differences,
    at,
  }: Pick<NewFinding, 'day' | 'bank' | 'at'> & { readonly differences: readonly Difference[] },
): Promise<number> {
  const { rows } = await tx.query<OpenFinding>(
    `select f.id, f.cause, f.subject, f.currency, min(e.booked_on) as "coveredOn"
       from safeguarding_finding f
       left join safeguarding_transfer t on t.finding_id = f.id
       left join safeguarding_entry e on e.reference = t.id::text and e.bank = t.bank and e.currency = t.currency
         and e.amount_minor = t.amount_minor and e.booked_on <= $2
      where f.bank = $1 and f.ended_at is null and f.day <= $2 group by f.id`,
    [bank, day],
  )
  const present = new Set(differences.map(({ cause, subject }) => `${cause} ${subject}`))
  const remains = ({ cause, subject, coveredOn }: OpenFinding) =>
    coveredOn === null && (lastingCauses.includes(cause) || present.has(`${cause} ${subject}`))
  const ended = rows.filter((finding) => !remains(finding))
  for (const { id } of ended) await endFinding(tx, id, { day, bank, at })
  return ended.length
}

/** Ends a finding and closes its exception. */
async function endFinding(
  tx: Tx,
  id: string,
  { day, bank, at }: Pick<NewFinding, 'day' | 'bank' | 'at'>,
): Promise<void> {
  await tx.query('update safeguarding_finding set ended_on = $2, ended_at = $3 where id = $1', [id, day, at])
  await closeCases(tx, { kind: 'safeguarding', provider: bank, subject: id }, 'books_agree', at)
}

/**
 * Marks findings as notifiable that the statement of their last day still shows. A day that could not be compared is
 * notifiable from its deadline on.
 */
export async function markNotifiable(db: Db, now: Date): Promise<void> {
  await db.query(
    `update safeguarding_finding f set notifiable_at = due_at
      where ended_at is null and notifiable_at is null and due_at <= $1
        and (kind = 'not_compared' or (select max(day) from safeguarding_day d where d.bank = f.bank) >= (due_at - interval '1 day')::date)`,
    [now],
  )
}

/** All open findings, the earliest deadline first. */
export async function readOpenFindings(db: Db): Promise<SafeguardingFindingRow[]> {
  const { rows } = await db.query<SafeguardingFindingRow>(
    'select * from safeguarding_finding where ended_at is null order by due_at, day, bank, id',
  )
  return rows
}

/** Counts open findings. */
export async function countFindings(db: Db): Promise<Readonly<Record<'open' | 'notifiable', number>>> {
  const { rows } = await db.query<Record<'open' | 'notifiable', number>>(
    `select count(*) filter (where notifiable_at is null)::int as open, count(notifiable_at)::int as notifiable
       from safeguarding_finding where ended_at is null`,
  )
  return onlyRow(rows)
}
