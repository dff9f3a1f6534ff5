import type { Tx } from '../../../platform/database/db.ts'
import { type CaseKind, addHours, newestPolicy, type CaseScope } from './case-rows.ts'
import { beginReview, linkHeldTransfers, openCase } from './open-case.ts'
import type { ComplianceCaseRow, ScreeningEntryRow, ScreeningMatchRow } from '../row-types.ts'

type OpenMatch = Pick<ScreeningMatchRow, 'id' | 'entry_id' | 'tier' | 'case_id'> &
  Pick<ScreeningEntryRow, 'source' | 'reference'> & {
    readonly score: number
    readonly birth_date: string
    readonly country: string
  }

/** User whose name is compared with the lists; with `counterpartyId`, that counterparty of the user instead. */
export interface NamedParty {
  readonly userId: bigint
  readonly counterpartyId?: string
}

/**
 * Opens a case for the open matches of a party, or adds new ones to its uncleared case; this restarts the review of an
 * open case. A match in tier `hold` stops all money of a user, or the payments of a counterparty; one in tier `review`
 * stops nothing. Call it in the transaction that stores the matches.
 */
export async function openMatchCase(tx: Tx, party: NamedParty, at: Date): Promise<void> {
  const { userId, counterpartyId } = party
  const kind = counterpartyId === undefined ? 'name_match' : 'counterparty_name'
  const { rows: matches } = await tx.query<OpenMatch>(
    `select m.id, m.entry_id, e.source, e.reference, m.score_basis_points as score, m.tier,
         m.birth_date_evidence as birth_date, m.country_evidence as country, m.case_id
       from screening_match m join screening_entry e on e.id = m.entry_id
      where (m.user_id = $1 or m.counterparty_id = $2) and m.status = 'open' order by m.score_basis_points desc, m.id`,
    counterpartyId === undefined ? [userId, null] : [null, counterpartyId],
  )
  const { rows } = await tx.query<Pick<ComplianceCaseRow, 'id' | 'stops' | 'evidence'>>(
    `select id, stops, evidence from compliance_case
      where user_id = $1 and kind = $2 and counterparty_id is not distinct from $3 and state <> 'cleared'
      order by state = 'open' desc, opened_at desc limit 1 for update`,
    [userId, kind, counterpartyId ?? null],
  )
  const [unclearedCase] = rows
  const hasNewMatches = matches.some(({ case_id: caseId }) => caseId === null || caseId !== unclearedCase?.id)
  const strongestStop = counterpartyId === undefined ? 'person' : 'transfers'
  const stops = matches.some(({ tier }) => tier === 'hold') ? strongestStop : 'nothing'
  if (
    matches.length === 0 ||
    (unclearedCase && !hasNewMatches && (stops === 'nothing' || unclearedCase.stops === strongestStop))
  )
    return
  const evidence = {
    matches: matches.map(({ case_id: _caseId, ...match }) => match),
  }
  const caseId = unclearedCase
    ? await addMatches(
        tx,
        unclearedCase.id,
        { userId, kind, stops: unclearedCase.stops === strongestStop ? strongestStop : stops, evidence },
        at,
      )
    : await openCase(tx, { userId, counterpartyId, kind, stops, evidence }, at)
  await tx.query('update screening_match set case_id = $2 where id = any($1)', [matches.map(({ id }) => id), caseId])
}

interface AddedMatches {
  readonly userId: bigint
  readonly kind: CaseKind
  readonly stops: CaseScope
  readonly evidence: object
}

async function addMatches(
  tx: Tx,
  id: string,
  { userId, kind, stops, evidence }: AddedMatches,
  at: Date,
): Promise<string> {
  const { decide_hours: hours } = await newestPolicy(tx, kind)
  const { rows } = await tx.query<Pick<ComplianceCaseRow, 'state'>>(
    `update compliance_case set stops = $2, evidence = $3, decide_by = case state when 'open' then $4 else decide_by end
      where id = $1 returning state`,
    [id, stops, JSON.stringify(evidence), addHours(at, hours)],
  )
  // A confirmed case needs no review of further matches.
  if (rows[0]?.state === 'open') await beginReview(tx, id, 'more_found', at)
  if (stops === 'person') await linkHeldTransfers(tx, id, userId, at)
  return id
}
