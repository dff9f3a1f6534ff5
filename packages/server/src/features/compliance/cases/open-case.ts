import type { Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { type CaseKind, type Evidence, addHours, newestPolicy, type CaseScope } from './case-rows.ts'

export interface NewCase {
  /** Account holder: the user whom the case is about, or whose counterparty it is about. */
  readonly userId: bigint
  readonly kind: CaseKind
  readonly evidence: Evidence
  /** Counterparty of the user, if a list may name it rather than the user. */
  readonly counterpartyId?: string | undefined
  /** Defaults to `defaultScopes`. */
  readonly stops?: CaseScope
  /** Transfer to link, stored as held for `compliance` in the same transaction. */
  readonly transferId?: string | undefined
}

type ReviewCause = 'opened' | 'more_found' | 'answered' | 'not_answered'

/** Scope by kind of case: the default, and the scope after confirmation of a case that stopped nothing. */
export const defaultScopes = {
  name_match: 'person',
  counterparty_name: 'transfers',
  pattern: 'person',
} as const satisfies Record<CaseKind, CaseScope>

/**
 * Opens a case with its review in the caller's transaction and returns its id. A case that stops the person is linked
 * to all their transfers that are already held for `compliance`. Refuses `recipient_not_found` for a closed account.
 */
export async function openCase(
  tx: Tx,
  { userId, kind, evidence, counterpartyId, stops = defaultScopes[kind], transferId }: NewCase,
  at: Date,
): Promise<string> {
  const policy = await newestPolicy(tx, kind)
  const id = newId(at)
  await insertRow(tx, 'compliance_case', {
    id,
    user_id: userId,
    counterparty_id: counterpartyId,
    kind,
    stops,
    policy_version: policy.version,
    evidence: JSON.stringify(evidence),
    decide_by: addHours(at, policy.decide_hours),
    opened_at: at,
  })
  await beginReview(tx, id, 'opened', at)
  if (transferId !== undefined) await link(tx, id, transferId, at)
  if (stops === 'person') await linkHeldTransfers(tx, id, userId, at)
  return id
}

/** Opens a review of a case and closes the previous one. */
export async function beginReview(tx: Tx, caseId: string, cause: ReviewCause, at: Date): Promise<void> {
  await closeReview(tx, caseId, at)
  await insertRow(tx, 'compliance_review', { id: newId(at), case_id: caseId, cause, opened_at: at })
}

export async function closeReview(tx: Tx, caseId: string, at: Date): Promise<void> {
  await tx.query('update compliance_review set closed_at = $2 where case_id = $1 and closed_at is null', [caseId, at])
}

const link = (tx: Tx, caseId: string, transferId: string, at: Date) =>
  tx.query(
    'insert into compliance_case_transfer (case_id, transfer_id, linked_at) values ($1, $2, $3) on conflict do nothing',
    [caseId, transferId, at],
  )

/** Links a case to all transfers by or to a user that are held for `compliance`. */
export async function linkHeldTransfers(tx: Tx, caseId: string, userId: bigint, at: Date): Promise<void> {
  await tx.query(
    `insert into compliance_case_transfer (case_id, transfer_id, linked_at)
       select $1, id, $3 from transfer
        where state = 'held' and hold_reason = 'compliance' and (sender_id = $2 or recipient_id = $2)
     on conflict do nothing`,
    [caseId, userId, at],
  )
}

/** Users and counterparty of a transfer. */
export interface TransferParties {
  readonly people: readonly bigint[]
  readonly counterpartyId?: string | undefined
}

/** Links a transfer held for `compliance` to every open or confirmed case that stops one of its parties. */
export async function linkToOpenCases(
  tx: Tx,
  transferId: string,
  { people, counterpartyId }: TransferParties,
  at: Date,
): Promise<void> {
  await tx.query(
    `insert into compliance_case_transfer (case_id, transfer_id, linked_at)
       select id, $1, $3 from compliance_case
        where state <> 'cleared'
          and (user_id = any($2::bigint[]) and stops = 'person' or counterparty_id = $4 and stops = 'transfers')
     on conflict do nothing`,
    [transferId, people, at, counterpartyId ?? null],
  )
}
