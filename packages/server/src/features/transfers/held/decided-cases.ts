import type { Db } from '../../../platform/database/db.ts'
import type { HeldTransfer } from './held-rows.ts'

/** Held transfer whose cases are all decided, with its outcome and the deciders. */
export type DecidedTransfer = HeldTransfer & {
  readonly fate: 'settle' | 'reject' | 'send_back'
  readonly by: string
  readonly note: string
}

const batchSize = 200

/**
 * Returns the transfers held for `compliance` that can end now. A confirmed case about the sender keeps the money on
 * hold, as the law requires; one about another party rejects the transfer, or returns a deposit to its bank. Without a
 * confirmed case, a transfer settles unless another case stops a party or the lists are stale.
 */
export async function readDecided(
  db: Db,
  { caseId, areListsTooOld }: { caseId: string | undefined; areListsTooOld: boolean },
): Promise<DecidedTransfer[]> {
  const { rows } = await db.query<DecidedTransfer>(
    `select t.*, case when cases.confirmed = 0 then 'settle' when t.kind = 'deposit' then 'send_back' else 'reject' end as fate,
         coalesce(cases.names, 'cases') as by, 'compliance ' || coalesce(cases.ids, '') as note
       from transfer t
       cross join lateral (
         select count(*) filter (where c.state = 'open') as open, count(*) filter (where c.state = 'confirmed') as confirmed,
             bool_or(c.state = 'confirmed' and c.user_id = t.sender_id and c.kind <> 'counterparty_name') as is_frozen,
             string_agg(distinct c.decided_by, ', ') as names, string_agg(c.id::text, ' ') as ids
           from compliance_case_transfer l join compliance_case c on c.id = l.case_id where l.transfer_id = t.id
       ) as cases
      where t.state = 'held' and t.hold_reason = 'compliance' and cases.open = 0 and cases.is_frozen is not true
        and ($1::uuid is null or t.id in (select transfer_id from compliance_case_transfer where case_id = $1))
        and (cases.confirmed > 0 or not exists (select from compliance_case c
          where c.user_id in (t.sender_id, t.recipient_id) and c.stops = 'person' and c.state <> 'cleared'))
        and (cases.confirmed > 0 or not $3)
      order by t.held_at limit $2`,
    [caseId ?? null, batchSize, areListsTooOld],
  )
  return rows
}

/** Extends the deadlines of transfers that wait for lists. */
export async function extendDeadlines(db: Db, { at, until }: { at: Date; until: Date }): Promise<void> {
  await db.query(
    `update transfer set held_until = $2, updated_at = $1
      where state = 'held' and hold_reason = 'compliance' and held_until <= $1
        and not exists (select from compliance_case_transfer l where l.transfer_id = transfer.id)`,
    [at, until],
  )
}
