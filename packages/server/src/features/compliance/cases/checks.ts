import type { Check } from '@tern/contract/compliance/checks'
import { findCountry } from '@tern/contract/countries'
import type { Db } from '../../../platform/database/db.ts'
import { isUuid } from '../../../platform/ids.ts'
import { refuse } from '../../../platform/refuse.ts'
import { readResidence } from '../../kyc/kyc.ts'
import type { CaseContext } from '../context.ts'
import type { ComplianceCaseRow, TellingPolicyRow } from '../row-types.ts'

// Cases as shown to account holders and senders. Most countries forbid tipping off, so `telling_policy` states per
// country what may be disclosed.

type Ctx = Pick<CaseContext, 'now'>

type CheckRow = Pick<ComplianceCaseRow, 'id' | 'kind' | 'state' | 'need' | 'need_by' | 'decide_by' | 'decided_at'> & {
  readonly is_own: boolean
  /** Time the case was opened; for a case about another person, the first hold of the reader's money. */
  readonly opened_at: Date
  readonly telling: TellingPolicyRow['telling']
  readonly answered_at: Date | null
  readonly transfers: string[]
  readonly request_id: string | null
  readonly objection: Objection | null
  readonly is_objected: boolean
}

interface Objection {
  readonly state: 'open' | 'upheld' | 'dismissed'
  readonly made_at: string
  readonly decide_by: string
  readonly decided_at: string | null
}

const maxEndedChecks = 20

/** SQL: what a country's policy allows to disclose of a kind of check. */
const disclosureSql = (kind: string, country: string, at: string): string => `
  coalesce((select p.telling from telling_policy p
             where p.check_kind = ${kind} and (p.country = ${country} or p.country is null) and p.valid_from <= ${at}::date
             order by p.country is null, p.valid_from desc limit 1), 'limited')`

/** SQL: the account holder of case `c` may know of it, since it stops payments or a question was asked. */
export const isDisclosedSql = `(c.stops <> 'nothing' or exists (select from compliance_question q where q.case_id = c.id))`

const checkKindSql = `case c.kind when 'name_match' then 'name' else 'payment' end`

// SQL: checks for reader `$1` with country code `$2` at time `$3`; `condition` selects the cases.
const checksSql = (condition: string): string => `
  select c.id, c.kind, c.user_id = $1 as is_own, c.state, c.need, c.need_by, c.decide_by, c.decided_at,
      case when c.user_id = $1 then c.opened_at else (
        select min(l.linked_at) from compliance_case_transfer l join transfer t on t.id = l.transfer_id
         where l.case_id = c.id and t.sender_id = $1) end as opened_at,
      ${disclosureSql(checkKindSql, '$2', '$3')} as telling,
      (select max(q.answered_at) from compliance_question q where q.case_id = c.id) as answered_at,
      array(select l.transfer_id from compliance_case_transfer l join transfer t on t.id = l.transfer_id
             where l.case_id = c.id and t.sender_id = $1 order by l.linked_at, t.id) as transfers,
      (select g.request_id from guest_payment g where g.payment_id = c.counterparty_id and c.user_id = $1) as request_id,
      (select to_jsonb(o) from (
         select state, made_at, decide_by, decided_at from compliance_objection
          where case_id = c.id and user_id = $1 order by made_at desc limit 1) o) as objection,
      exists (select from compliance_objection o where o.case_id = c.id
                and (o.state = 'open' or o.user_id = $1 and o.made_at >= coalesce(c.decided_at, '-infinity'))) as is_objected
    from compliance_case c
   where (c.user_id = $1 and ${isDisclosedSql}
          or c.id in (select l.case_id from compliance_case_transfer l join transfer t on t.id = l.transfer_id
                       where t.sender_id = $1))
     and ${condition}`

const isoTime = (at: Date | string | null): string | null => (at === null ? null : new Date(at).toISOString())

function toView({ is_own: isOwn, is_objected: hasObjection, kind, objection, ...row }: CheckRow): Check {
  // Senders learn no more about a check of another person than that it holds their money.
  const telling = isOwn ? row.telling : 'limited'
  const { opened_at: openedAt, decided_at } = row
  // A decision before the reader's payment is dated to the hold, so that it does not reveal an earlier check.
  const decidedAt = decided_at !== null && !isOwn && decided_at < openedAt ? openedAt : decided_at
  return {
    id: row.id,
    // Only an account holder for whom the policy is `full` learns that it is a name check.
    kind: telling === 'full' && kind === 'name_match' ? 'name' : 'payment',
    state: row.state,
    need: isOwn ? row.need : 'nothing',
    need_by: isOwn ? isoTime(row.need_by) : null,
    decide_by: row.decide_by.toISOString(),
    opened_at: openedAt.toISOString(),
    decided_at: isoTime(decidedAt),
    telling,
    objection: objection && {
      state: objection.state,
      made_at: new Date(objection.made_at).toISOString(),
      decide_by: new Date(objection.decide_by).toISOString(),
      decided_at: isoTime(objection.decided_at),
    },
    may_object: row.state !== 'cleared' && !hasObjection,
    answered_at: isOwn ? isoTime(row.answered_at) : null,
    transfers: row.transfers,
    request_id: row.request_id,
  }
}

/** User for whom checks are read; the disclosure policy depends on their country of residence. */
interface CheckReader {
  readonly userId: bigint
  /** ISO 3166-1 alpha-2; null before verification. */
  readonly country: string | null
}

async function findReader(db: Db, userId: bigint): Promise<CheckReader> {
  const residence = await readResidence(db, userId)
  const country = residence === undefined ? undefined : findCountry(residence)?.code
  return { userId, country: country ?? null }
}

interface CheckSelection {
  readonly reader: CheckReader
  /** SQL condition, which may be followed by an order and a limit. */
  readonly condition: string
  readonly values?: readonly unknown[]
}

async function readChecks({ now }: Ctx, db: Db, { reader, condition, values = [] }: CheckSelection): Promise<Check[]> {
  const { rows } = await db.query<CheckRow>(checksSql(condition), [reader.userId, reader.country, now(), ...values])
  return rows.map(toView)
}

/** Returns the open and confirmed checks that concern a user, then the last cleared ones; newest first. */
export async function listChecks(ctx: Ctx, db: Db, userId: bigint): Promise<Check[]> {
  const reader = await findReader(db, userId)
  const openChecks = await readChecks(ctx, db, {
    reader,
    condition: `c.state <> 'cleared' order by opened_at desc, c.id desc`,
  })
  const endedChecks = await readChecks(ctx, db, {
    reader,
    condition: `c.state = 'cleared' order by c.decided_at desc, c.id desc limit $4`,
    values: [maxEndedChecks],
  })
  return [...openChecks, ...endedChecks]
}

/** Returns a check that the user may see. Refuses `not_found`. */
export async function readCheck(
  ctx: Ctx,
  db: Db,
  { userId, id }: { readonly userId: bigint; readonly id: string },
): Promise<Check> {
  if (!isUuid(id)) return refuse('not_found')
  const reader = await findReader(db, userId)
  const [check] = await readChecks(ctx, db, { reader, condition: 'c.id = $4', values: [id] })
  return check ?? refuse('not_found')
}

/**
 * Returns the check that holds a transfer, as its sender may see it. Prefers open to confirmed to cleared checks; among
 * equal ones, those about the sender, then the oldest.
 */
export async function findTransferCheck(
  ctx: Ctx,
  db: Db,
  { userId, transferId }: { readonly userId: bigint; readonly transferId: string },
): Promise<Check | undefined> {
  const reader = await findReader(db, userId)
  const condition = `c.id in (select case_id from compliance_case_transfer where transfer_id = $4)
    order by c.state = 'cleared', c.state = 'confirmed', c.user_id <> $1, c.opened_at, c.id limit 1`
  const [check] = await readChecks(ctx, db, { reader, condition, values: [transferId] })
  return check
}
