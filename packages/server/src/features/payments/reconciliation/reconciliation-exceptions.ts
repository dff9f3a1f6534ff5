import type { operator } from '@tern/messages/en/operator'
import type { Coded, Params } from '@tern/messages/message'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type { Queryable } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'

/** What a case is about; `reconciliation_exception` in the database says the same. */
export type CaseKind =
  | 'missing_internal'
  | 'missing_external'
  | 'amount_differs'
  | 'unmatched'
  | 'loss'
  | 'ledger_differs'

/** What is the matter, as a code of the catalogue with its parameters. */
export type CaseDetail = Coded<(typeof operator)['cases']>

/** Why a case is closed: as a code, or in the words of whoever decided it. */
export type Resolution = Exclude<keyof (typeof operator)['resolutions'], 'manual'> | { readonly because: string }

export interface CaseFacts {
  readonly kind: CaseKind
  readonly provider: string
  /** The provider's id of the movement, or the name of the account. One open case for each. */
  readonly subject: string
  readonly reference?: string | undefined
  readonly amount?: Money | undefined
  /** When the movement happened, or the earliest time it can have: as far back as reconciliation has to look again. */
  readonly happenedAt?: Date | undefined
  /** What a person needs to know to decide it. */
  readonly detail: CaseDetail
}

/** A case as it stands, for whoever has to decide it. */
export interface OpenCase extends CaseFacts {
  readonly id: string
  readonly openedAt: Date
  /** When `npm run reconcile` first showed it to somebody. */
  readonly reportedAt: Date | undefined
  /** Who looks after it, why it stays open, and until when nobody is to be alarmed; without an end as long as it is open. */
  readonly takenUp: TakenUp | undefined
}

export interface TakenUp {
  readonly by: string
  readonly because: string
  readonly until: Date | undefined
}

const takenUpWithinMs = 3 * 86_400_000

/**
 * Whether somebody has to be alarmed about a case: `new` until it was first shown, `overdue` when nobody has taken it up
 * within three days, or the time has passed for which somebody did.
 */
export function alarmOf(
  { openedAt, reportedAt, takenUp }: Pick<OpenCase, 'openedAt' | 'reportedAt' | 'takenUp'>,
  now: Date,
): 'new' | 'overdue' | undefined {
  if (takenUp) return takenUp.until !== undefined && takenUp.until <= now ? 'overdue' : undefined
  if (reportedAt === undefined) return 'new'
  return now.getTime() - openedAt.getTime() >= takenUpWithinMs ? 'overdue' : undefined
}

/**
 * Opens a case for a person to look at, unless one is open for the same subject or somebody has decided the very same
 * before. True when it is new.
 */
export async function openCase(db: Queryable, facts: CaseFacts, at: Date): Promise<boolean> {
  const { kind, provider, subject, reference, amount, happenedAt, detail } = facts
  const { rowCount } = await db.query(
    `insert into reconciliation_exception (id, kind, provider, subject, reference, amount_minor, currency, happened_at, detail, params, opened_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
      where not exists (select from reconciliation_exception where resolved_manually and kind = $2 and provider = $3 and subject = $4
        and amount_minor is not distinct from $6 and currency is not distinct from $7)
     on conflict do nothing`,
    [
      newId(at),
      kind,
      provider,
      subject,
      reference ?? null,
      amount?.minor ?? null,
      amount?.currency ?? null,
      happenedAt ?? null,
      detail.code,
      detail.params ?? {},
      at,
    ],
  )
  return rowCount === 1
}

interface CaseRow {
  id: string
  kind: CaseKind
  provider: string
  subject: string
  reference: string | null
  amount_minor: bigint | null
  currency: CurrencyCode | null
  happened_at: Date | null
  detail: CaseDetail['code']
  params: Params
  opened_at: Date
  reported_at: Date | null
  taken_up_by: string | null
  taken_up_because: string | null
  taken_up_until: Date | null
}

/** All open cases, the oldest first. */
export async function openCases(db: Queryable): Promise<OpenCase[]> {
  const { rows } = await db.query<CaseRow>(
    'select * from reconciliation_exception where closed_at is null order by opened_at, id',
  )
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    provider: row.provider,
    subject: row.subject,
    reference: row.reference ?? undefined,
    amount: row.amount_minor === null || row.currency === null ? undefined : money(row.currency, row.amount_minor),
    happenedAt: row.happened_at ?? undefined,
    detail: { code: row.detail, params: row.params } as CaseDetail,
    openedAt: row.opened_at,
    reportedAt: row.reported_at ?? undefined,
    takenUp:
      row.taken_up_by === null || row.taken_up_because === null
        ? undefined
        : { by: row.taken_up_by, because: row.taken_up_because, until: row.taken_up_until ?? undefined },
  }))
}

/** Remembers that somebody has been shown these cases. */
export async function noteReported(db: Queryable, cases: readonly Pick<OpenCase, 'id'>[], at: Date): Promise<void> {
  await db.query('update reconciliation_exception set reported_at = $2 where id = any($1) and reported_at is null', [
    cases.map(({ id }) => id),
    at,
  ])
}

/**
 * Remembers that somebody looks after an open case, in place of whoever did before; it stays open. Gives false when there is
 * no open case of this id.
 */
export async function takeUpCase(
  db: Queryable,
  id: string,
  { by, because, until }: TakenUp,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update reconciliation_exception set taken_up_at = $2, taken_up_by = $3, taken_up_because = $4, taken_up_until = $5
      where id = $1 and closed_at is null`,
    [id, at, by, because, until ?? null],
  )
  return rowCount === 1
}

const stored = (resolution: Resolution): readonly [code: string, note: string | null] =>
  typeof resolution === 'string' ? [resolution, null] : ['manual', resolution.because]

/** Closes the open cases of a kind about one movement, or one payment, because what they are about has gone. Gives how many. */
export async function closeCases(
  db: Queryable,
  { kind, ...about }: { kind: CaseKind } & ({ subject: string } | { reference: string }),
  resolution: Resolution,
  at: Date,
): Promise<number> {
  const [column, value] = 'subject' in about ? ['subject', about.subject] : ['reference', about.reference]
  const { rowCount } = await db.query(
    `update reconciliation_exception set closed_at = $3, resolution = $4, resolution_note = $5
      where kind = $1 and ${column} = $2 and closed_at is null`,
    [kind, value, at, ...stored(resolution)],
  )
  return rowCount ?? 0
}

/**
 * The subject of a case about a movement that the provider says is of one payment or payout, while here it is of another:
 * about the name alone, since the movement itself is where it belongs.
 */
export const misattributed = (lineId: string, reference: string): string => `${lineId} for ${reference}`

/** Closes the open cases of that kind about a payment or payout, because its own movement is known. Gives how many. */
export async function closeMisattributed(
  db: Queryable,
  reference: string,
  resolution: Resolution,
  at: Date,
): Promise<number> {
  const { rowCount } = await db.query(
    `update reconciliation_exception set closed_at = $2, resolution = $3, resolution_note = $4
      where kind = 'unmatched' and reference = $1 and closed_at is null and right(subject, length($5)) = $5`,
    [reference, at, ...stored(resolution), misattributed('', reference)],
  )
  return rowCount ?? 0
}

/** Closes whatever could not be placed about a payment or payout, as somebody has decided it. Gives how many there were. */
export async function resolveExceptionsOf(
  db: Queryable,
  reference: string,
  because: string,
  at: Date,
): Promise<number> {
  const { rowCount } = await db.query(
    `update reconciliation_exception set closed_at = $2, resolution = 'manual', resolution_note = $3, resolved_manually = true
      where reference = $1 and kind = 'unmatched' and closed_at is null`,
    [reference, at, because],
  )
  return rowCount ?? 0
}

/**
 * Closes a case as somebody has decided it; the very same difference opens no new one. Gives false when there is no open
 * case of this id.
 */
export async function resolveException(db: Queryable, id: string, because: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update reconciliation_exception set closed_at = $2, resolution = 'manual', resolution_note = $3, resolved_manually = true
      where id = $1 and closed_at is null`,
    [id, at, because],
  )
  return rowCount === 1
}
