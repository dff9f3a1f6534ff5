import type { DisputeKind } from '@tern/contract/disputes/disputes'
import { onlyRow, type Db } from '../../platform/database/db.ts'
import { businessDaysLater } from '../payments/payments.ts'
import type { DisputePolicyRow } from './row-types.ts'

export type DisputePolicy = Omit<DisputePolicyRow, 'valid_from' | 'source'>

const columns = `country, kind, version, open_within_months, decide_within_days, credit_within_days, extended_days,
  answer_within_days, object_within_days, objection_within_days, new_account_days, new_account_within_days, new_account_extended_days`

/**
 * Returns a country's policy for each kind of dispute at a time: the newest valid version, or that of `*` if the
 * country has none.
 */
export async function readPolicies(
  db: Db,
  country: string,
  at: Date,
): Promise<Readonly<Record<DisputeKind, DisputePolicy>>> {
  const { rows } = await db.query<DisputePolicy>(
    `select distinct on (kind) ${columns} from dispute_policy
      where country in ($1, '*') and valid_from <= $2 order by kind, country = '*', version desc`,
    [country, at],
  )
  return Object.fromEntries(rows.map((row) => [row.kind, row])) as Record<DisputeKind, DisputePolicy>
}

/** Ceilings of automatic provisional credit for open disputes, in US dollar cents. */
export interface CreditCeilings {
  readonly person: bigint
  readonly total: bigint
}

export async function readCreditCeilings(db: Db): Promise<CreditCeilings> {
  const { rows } = await db.query<CreditCeilings>(
    `select person_usd_minor as person, total_usd_minor as total from dispute_credit_policy order by version desc limit 1`,
  )
  return onlyRow(rows)
}

/** Returns the policy that was in force when a dispute was opened. */
export async function readPolicy(
  db: Db,
  dispute: { readonly policy_country: string; readonly kind: DisputeKind; readonly policy_version: number },
): Promise<DisputePolicy> {
  const { rows } = await db.query<DisputePolicy>(
    `select ${columns} from dispute_policy where country = $1 and kind = $2 and version = $3`,
    [dispute.policy_country, dispute.kind, dispute.policy_version],
  )
  const [policy] = rows
  if (!policy) throw new Error(`there is no policy ${dispute.policy_country} ${dispute.policy_version}`)
  return policy
}

const dayMs = 86_400_000

export const daysLater = (at: Date, days: number): Date => new Date(at.getTime() + days * dayMs)

/** Returns the last time to open a dispute about an event. A day that the last month lacks becomes its last day. */
export function openingDeadline({ open_within_months: months }: DisputePolicy, happenedAt: Date): Date {
  const until = new Date(happenedAt)
  const day = until.getUTCDate()
  until.setUTCMonth(until.getUTCMonth() + months, 1)
  const lastDay = new Date(Date.UTC(until.getUTCFullYear(), until.getUTCMonth() + 1, 0)).getUTCDate()
  until.setUTCDate(Math.min(day, lastDay))
  return until
}

/** Returns the deadlines of the decision and of the provisional credit; `creditBy` is null without one. */
export function computeDeadlines(
  policy: DisputePolicy,
  openedAt: Date,
  isNew: boolean,
): { decideBy: Date; creditBy: Date | null } {
  const {
    country,
    decide_within_days: decideDays,
    credit_within_days: creditDays,
    new_account_within_days: newAccountDays,
  } = policy
  const decide = isNew && newAccountDays !== null ? newAccountDays : decideDays
  const credit = isNew && newAccountDays !== null && creditDays !== null ? newAccountDays : creditDays
  return {
    decideBy: businessDaysLater(country, openedAt, decide),
    creditBy: credit === null ? null : businessDaysLater(country, openedAt, credit),
  }
}

/** Returns whether a person's first money arrived less than `new_account_days` before `at`, or never; false if null. */
export async function isNewAccount(db: Db, { new_account_days: days }: DisputePolicy, userId: bigint, at: Date) {
  if (days === null) return false
  const { rows } = await db.query<{ at: Date | null }>(
    `select min(created_at) as at from transaction where user_id = $1 and kind in ('DEPOSIT', 'RECEIVE') and status = 'COMPLETED'`,
    [userId],
  )
  const first = rows[0]?.at ?? null
  return first === null || at < daysLater(first, days)
}

/** Returns the number of days from opening to the extended deadline. */
export const extendedDays = (policy: DisputePolicy, isNew: boolean): number =>
  (isNew ? policy.new_account_extended_days : null) ?? policy.extended_days
