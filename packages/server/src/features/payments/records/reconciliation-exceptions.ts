import type { operator } from '@tern/messages/en/operator'
import type { Coded } from '@tern/messages/message'
import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import { type Db, onlyRow } from '../../../platform/database/db.ts'
import { newId } from '../../../platform/ids.ts'
import type { PaymentContext } from '../context.ts'
import { toAmount } from './payment-rows.ts'
import type { PaymentRow, PayoutRow } from '../row-types.ts'

/** Kinds of cases, as in the table `reconciliation_exception`. */
export type CaseKind =
  | 'missing_internal'
  | 'missing_external'
  | 'amount_differs'
  | 'unmatched'
  | 'loss'
  | 'ledger_differs'
  | 'issuer_warning'
  | 'safeguarding'

/** Problem, as a code of the message catalogue with its parameters. */
export type CaseDetail = Coded<(typeof operator)['cases']>

/** Reason for closing a case: a code, or an operator's words. */
export type Resolution = Exclude<keyof (typeof operator)['resolutions'], 'manual'> | { readonly because: string }

export interface CaseFacts {
  readonly kind: CaseKind
  readonly provider: string
  /** Id of a movement, payment, payout or dispute, or name of an account. One open case per kind, provider and subject. */
  readonly subject: string
  readonly reference?: string | null | undefined
  readonly amount?: Money | null
  /** Time of the movement, or its earliest possible time: reconciliation looks back this far. */
  readonly happenedAt?: Date | null
  readonly detail: CaseDetail
}

export interface OpenCase extends CaseFacts {
  readonly id: string
  readonly openedAt: Date
  /** Time when `npx tern reconcile` first showed it, or an operator first opened it at the desk. */
  readonly reportedAt: Date | null
  readonly takenUp: CaseAssignment | null
}

/** Operator in charge of a case, why it stays open, and when it becomes overdue again; null: never. */
export interface CaseAssignment {
  readonly by: string
  readonly because: string
  readonly until: Date | null
}

const assignWithinMs = 3 * 86_400_000

/** Reason for an alarm: `new` until reported; `overdue` without an operator in time, or after `takenUp.until`. */
export function chooseAlarm({ openedAt, reportedAt, takenUp }: OpenCase, now: Date): 'new' | 'overdue' | undefined {
  if (takenUp) return takenUp.until !== null && takenUp.until <= now ? 'overdue' : undefined
  if (reportedAt === null) return 'new'
  return now.getTime() - openedAt.getTime() >= assignWithinMs ? 'overdue' : undefined
}

/** Opens a case, unless one is open for the subject or the same one was resolved manually. True if it is new. */
export async function openCase(db: Db, facts: CaseFacts, at: Date): Promise<boolean> {
  const { kind, provider, subject, reference, amount, happenedAt, detail } = facts
  const { rowCount } = await db.query(
    `insert into reconciliation_exception (id, kind, provider, subject, reference, amount_minor, currency, happened_at, detail, opened_at, params)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
      where not exists (select from reconciliation_exception where resolved_manually and kind = $2 and provider = $3 and subject = $4
        and amount_minor is not distinct from $6 and currency is not distinct from $7)
     on conflict do nothing`,
    [
      ...[newId(at), kind, provider, subject, reference, amount?.minor, amount?.currency, happenedAt],
      ...[detail.code, at, detail.params ?? {}],
    ],
  )
  return rowCount === 1
}

/** Opens a case about a payment or payout that contradicts its provider, and logs it. True if it is new. */
export async function escalate(
  { now, log }: Pick<PaymentContext, 'now' | 'log'>,
  db: Db,
  {
    row: { id, provider },
    ...facts
  }: Omit<CaseFacts, 'kind' | 'provider' | 'reference'> & { readonly row: PaymentRow | PayoutRow },
): Promise<boolean> {
  const isNew = await openCase(db, { kind: 'unmatched', provider, reference: id, ...facts }, now())
  log.error({ id, subject: facts.subject, ...facts.detail }, 'a payment or payout is not as its provider says')
  return isNew
}

/** Opens a case about a payment or payout that its provider never answered and that cannot be submitted again. */
export async function openUnansweredCase(
  { now }: Pick<PaymentContext, 'now'>,
  db: Db,
  row: PaymentRow | PayoutRow,
): Promise<void> {
  const { id, provider, created_at: happenedAt } = row
  const detail = { code: 'purpose' in row ? 'payment_unanswered' : 'payout_unanswered' } as const
  const caseKey = { kind: 'unmatched', provider, subject: id, reference: id } as const
  await openCase(db, { ...caseKey, amount: toAmount(row), happenedAt, detail }, now())
}

interface CaseRow extends Omit<OpenCase, 'amount' | 'takenUp'> {
  readonly minor: bigint | null
  readonly currency: CurrencyCode
  readonly by: string | null
  readonly because: string
  readonly until: Date | null
}

/** All open exceptions, oldest first. */
export async function openCases(db: Db): Promise<OpenCase[]> {
  const { rows } = await db.query<CaseRow>(
    `select id, kind, provider, subject, reference, amount_minor as minor, currency, happened_at as "happenedAt",
         jsonb_build_object('code', detail, 'params', params) as detail, opened_at as "openedAt", reported_at as "reportedAt",
         taken_up_by as by, taken_up_because as because, taken_up_until as until
       from reconciliation_exception where closed_at is null order by opened_at, id`,
  )
  return rows.map(({ minor, currency, by, because, until, ...row }) =>
    Object.assign(row, {
      amount: minor === null ? null : money(currency, minor),
      takenUp: by === null ? null : { by, because, until },
    }),
  )
}

/** Records when cases were first shown to an operator. */
export async function markReported(db: Db, cases: readonly Pick<OpenCase, 'id'>[], at: Date): Promise<void> {
  await db.query('update reconciliation_exception set reported_at = $2 where id = any($1) and reported_at is null', [
    cases.map(({ id }) => id),
    at,
  ])
}

/** Records who is in charge of an open exception. False if no open exception has this id. */
export async function assignCase(db: Db, id: string, assignment: CaseAssignment, at: Date): Promise<boolean> {
  const { by, because, until } = assignment
  const { rowCount } = await db.query(
    `update reconciliation_exception set taken_up_at = $2, taken_up_by = $3, taken_up_because = $4, taken_up_until = $5
      where id = $1 and closed_at is null`,
    [id, at, by, because, until],
  )
  return rowCount === 1
}

type ExceptionKey =
  | { id: string }
  | { kind: CaseKind; provider: string; subject: string }
  | { kind: CaseKind; reference: string }

/**
 * Closes the open cases that match `exceptionKey`; returns their count. After `isManual`, the same difference opens no
 * new case.
 */
export async function closeCases(
  db: Db,
  exceptionKey: ExceptionKey,
  resolution: Resolution,
  at: Date,
  { isManual = false, where = '' } = {},
): Promise<number> {
  const [code, note] = typeof resolution === 'string' ? [resolution, null] : ['manual', resolution.because]
  const conditions = Object.keys(exceptionKey).map((column, index) => `and ${column} = $${index + 5}`)
  const { rowCount } = await db.query(
    `update reconciliation_exception
        set closed_at = $1, resolution = $2, resolution_note = $3, resolved_manually = resolved_manually or $4
      where closed_at is null ${conditions.join(' ')} ${where}`,
    [at, code, note, isManual, ...Object.values(exceptionKey)],
  )
  return rowCount ?? 0
}

/** Subject of a case about a movement that was reported for `reference`, but posted for another payment or payout. */
export const misattributedSubject = (lineId: string, reference: string): string => `${lineId} for ${reference}`

/** SQL condition: the case has a subject built by `misattributedSubject`. */
export const isMisattributedSql = `subject like '% for ' || reference`

/** Closes cases about misattributed movements of a payment or payout. Returns their count. */
export const closeMisattributed = (db: Db, reference: string, resolution: Resolution, at: Date) =>
  closeCases(db, { kind: 'unmatched', reference }, resolution, at, { where: `and ${isMisattributedSql}` })

/**
 * Closes the cases of a payment whose provider gave no answer, or named a movement of another payment.
 */
export async function closeUnanswered(
  db: Db,
  { id, provider }: Pick<PaymentRow, 'id' | 'provider'>,
  at: Date,
): Promise<void> {
  await closeCases(db, { kind: 'unmatched', provider, subject: id }, 'provider_answered', at)
  await closeMisattributed(db, id, 'provider_answered', at)
}

/** Closes every unmatched case about a payment or payout that an operator has resolved. Returns their count. */
export const resolveExceptions = (db: Db, reference: string, because: string, at: Date): Promise<number> =>
  closeCases(db, { kind: 'unmatched', reference }, { because }, at, { isManual: true })

/** Closes a case that an operator has resolved. False if none is open. */
export const resolveException = async (db: Db, id: string, because: string, at: Date): Promise<boolean> =>
  (await closeCases(db, { id }, { because }, at, { isManual: true })) === 1

/** Counts open exceptions; `new` and `overdue` as in `chooseAlarm`, `reported`: without an operator, not overdue yet. */
export async function countExceptions(
  db: Db,
  now: Date,
): Promise<Readonly<Record<'new' | 'reported' | 'taken_up' | 'overdue', number>>> {
  const { rows } = await db.query<Record<'new' | 'reported' | 'taken_up' | 'overdue', number>>(
    `with exception as (
       select case when taken_up_until <= $1 then 'overdue' when taken_up_at is not null then 'taken_up'
           when reported_at is null then 'new' when opened_at <= $2 then 'overdue' else 'reported' end as state
         from reconciliation_exception where closed_at is null)
     select count(*) filter (where state = 'new')::int as new, count(*) filter (where state = 'reported')::int as reported,
         count(*) filter (where state = 'taken_up')::int as taken_up, count(*) filter (where state = 'overdue')::int as overdue
       from exception`,
    [now, new Date(now.getTime() - assignWithinMs)],
  )
  return onlyRow(rows)
}
