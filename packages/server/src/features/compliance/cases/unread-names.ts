import type { Tx } from '../../../platform/database/db.ts'
import type { CaseKind } from './case-rows.ts'
import type { NamedParty } from './match-cases.ts'
import { openCase } from './open-case.ts'

interface UnreadName {
  /** Hash of the compared details, the name among them. */
  readonly personHash: string
  readonly at: Date
}

/**
 * Opens a case, which stops nothing, for a name that could not be compared with the lists: the absence of matches is no
 * evidence. Does nothing if a case of the party is open or confirmed, or one about the same details was cleared.
 */
export async function openUnreadCase(tx: Tx, party: NamedParty, { personHash, at }: UnreadName): Promise<void> {
  const { userId, counterpartyId } = party
  const kind: CaseKind = counterpartyId === undefined ? 'name_match' : 'counterparty_name'
  const { rowCount } = await tx.query(
    `select from compliance_case
      where user_id = $1 and kind = $2 and counterparty_id is not distinct from $3
        and (state <> 'cleared' or evidence ->> 'unread_name' = $4) limit 1`,
    [userId, kind, counterpartyId ?? null, personHash],
  )
  if (rowCount !== 0) return
  const evidence = { matches: [], unread_name: personHash }
  await openCase(tx, { userId, counterpartyId, kind, stops: 'nothing', evidence }, at)
}
