import type { Check } from '@tern/contract/compliance/checks'
import { onlyRow, type Db, type Tx } from '../../../platform/database/db.ts'
import type { CasePolicyRow, ComplianceCaseRow } from '../row-types.ts'

export type CaseKind = 'name_match' | 'counterparty_name' | 'pattern'
export type CaseState = Check['state']
export type CaseNeed = Check['need']

/**
 * Scope of a case until it is cleared: `nothing`, the linked `transfers`, or all transfers, exchanges and withdrawals
 * of the account holder (`person`).
 */
export type CaseScope = 'nothing' | 'transfers' | 'person'

/** Reason of a case: codes, scores, amounts as decimal strings, and ids. */
export type Evidence = Readonly<Record<string, unknown>>

/** Time limits of the steps of a case, in hours. */
export type CasePolicy = Pick<
  CasePolicyRow,
  'version' | 'decide_hours' | 'escalated_hours' | 'answer_hours' | 'objection_hours'
>

const hourMs = 3_600_000

export const addHours = (at: Date, hours: number): Date => new Date(at.getTime() + hours * hourMs)

const policyColumns = 'version, decide_hours, escalated_hours, answer_hours, objection_hours'

export async function newestPolicy(db: Db, kind: CaseKind): Promise<CasePolicy> {
  const sql = `select ${policyColumns} from case_policy where kind = $1 order by version desc limit 1`
  return onlyRow((await db.query<CasePolicy>(sql, [kind])).rows)
}

export async function findPolicy(
  db: Db,
  { kind, policy_version: version }: Pick<ComplianceCaseRow, 'kind' | 'policy_version'>,
): Promise<CasePolicy> {
  const sql = `select ${policyColumns} from case_policy where kind = $1 and version = $2`
  return onlyRow((await db.query<CasePolicy>(sql, [kind, version])).rows)
}

export async function findCase(db: Db, id: string): Promise<ComplianceCaseRow | undefined> {
  return (await db.query<ComplianceCaseRow>('select * from compliance_case where id = $1', [id])).rows[0]
}

/** Locks a case until the transaction ends and returns it. Call it before every change of a case. */
export async function lockCase(tx: Tx, id: string): Promise<ComplianceCaseRow | undefined> {
  return (await tx.query<ComplianceCaseRow>('select * from compliance_case where id = $1 for update', [id])).rows[0]
}
