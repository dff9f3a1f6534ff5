import type { Tx } from '../../../platform/database/db.ts'
import { insertRow } from '../../../platform/database/rows.ts'
import { newId } from '../../../platform/ids.ts'
import { type CaseKind, type Evidence, hoursAfter, newestPolicy, type Stops } from './case-rows.ts'

/** What operators have to look at. */
export interface NewCase {
  /** Whose payments it is about. */
  readonly userId: bigint
  readonly kind: CaseKind
  readonly evidence: Evidence
  /** Whose name a list may mean, where it is not the user's. */
  readonly counterpartyId?: string | undefined
  /** Unless given: of `counterparty_name` its transfers, of all others the person. */
  readonly stops?: Stops
  /** A transfer that is written down as held for `compliance` in the same transaction. */
  readonly transferId?: string | undefined
}

/** Why operators look at a case. */
type ReviewCause = 'opened' | 'more_found' | 'answered' | 'not_answered'

/** What a case of each kind stops unless told otherwise, and once it is confirmed. */
export const usualStops = {
  name_match: 'person',
  counterparty_name: 'transfers',
  pattern: 'person',
} as const satisfies Record<CaseKind, Stops>

/**
 * Opens a case in the transaction of what it is about, puts it before operators and gives its id. What it stops waits from
 * then on; transfers of this person that are held for `compliance` already wait for it too. Refuses `recipient_not_found` for
 * somebody who has left.
 */
export async function openCase(
  tx: Tx,
  { userId, kind, evidence, counterpartyId, stops = usualStops[kind], transferId }: NewCase,
  at: Date,
): Promise<string> {
  const policy = await newestPolicy(tx, kind)
  const id = newId(at)
  await insertRow(tx, 'compliance_case', {
    ...{
      id,
      user_id: userId,
      counterparty_id: counterpartyId,
      kind,
      stops,
      policy_version: policy.version,
      evidence: JSON.stringify(evidence),
    },
    ...{ decide_by: hoursAfter(at, policy.decide_hours), opened_at: at },
  })
  await beginReview(tx, id, 'opened', at)
  if (transferId !== undefined) await link(tx, id, transferId, at)
  if (stops === 'person') await linkHeld(tx, id, userId, at)
  return id
}

/** Puts a case before operators, instead of what they may have been looking at. */
export async function beginReview(tx: Tx, caseId: string, cause: ReviewCause, at: Date): Promise<void> {
  await closeReview(tx, caseId, at)
  await insertRow(tx, 'compliance_review', { id: newId(at), case_id: caseId, cause, opened_at: at })
}

/** Takes a case from operators. */
export async function closeReview(tx: Tx, caseId: string, at: Date): Promise<void> {
  await tx.query('update compliance_review set closed_at = $2 where case_id = $1 and closed_at is null', [caseId, at])
}

const link = (tx: Tx, caseId: string, transferId: string, at: Date) =>
  tx.query(
    'insert into compliance_case_transfer (case_id, transfer_id, linked_at) values ($1, $2, $3) on conflict do nothing',
    [caseId, transferId, at],
  )

/** What of this person is held for `compliance` already waits for one case more. */
export async function linkHeld(tx: Tx, caseId: string, userId: bigint, at: Date): Promise<void> {
  await tx.query(
    `insert into compliance_case_transfer (case_id, transfer_id, linked_at)
       select $1, id, $3 from transfer
        where state = 'held' and hold_reason = 'compliance' and (sender_id = $2 or recipient_id = $2)
     on conflict do nothing`,
    [caseId, userId, at],
  )
}

/** Whose cases stop a transfer. */
export interface Stoppable {
  readonly people: readonly bigint[]
  readonly counterpartyId?: string | undefined
}

/** A transfer that is now held for `compliance` waits for every case that stops its people or its counterparty. */
export async function linkToStops(
  tx: Tx,
  transferId: string,
  { people, counterpartyId }: Stoppable,
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
