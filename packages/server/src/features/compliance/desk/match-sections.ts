import type { DeskSection } from '@tern/contract/desk/queues'
import type { Db } from '../../../platform/database/db.ts'
import { snakeCase } from '../../../platform/operations/desk-facts.ts'
import type { Product } from '../../../product.ts'
import type { ListedDetails, OwnDetails } from '../screening/comparison/compare-entry.ts'
import { splitHolderNames } from '../screening/counterparties/holder-names.ts'
import { holdFrom, reviewFrom } from '../screening/names/score.ts'
import type { ComplianceCaseRow, ScreeningCounterpartyRow, ScreeningEntryRow, ScreeningMatchRow } from '../row-types.ts'

type MatchRow = Pick<ScreeningEntryRow, 'source' | 'reference' | 'kind' | 'programme' | 'birth_dates' | 'countries'> &
  Pick<ScreeningMatchRow, 'listed_name' | 'status'> & {
    readonly score: number
    readonly names: ListedDetails['names']
  }

async function readMatches(db: Db, caseId: string): Promise<MatchRow[]> {
  const { rows } = await db.query<MatchRow>(
    `select e.source, e.reference, m.listed_name, m.score_basis_points as score, m.status, e.kind, e.programme, e.birth_dates,
         e.countries, (select coalesce(jsonb_agg(jsonb_build_object('name', n.name, 'kind', n.kind) order by n.id), '[]')
           from screening_name n where n.entry_id = e.id) as names
       from screening_match m join screening_entry e on e.id = m.entry_id
      where m.case_id = $1 order by m.score_basis_points desc, m.id`,
    [caseId],
  )
  return rows
}

/** Returns the details of a user that are compared, and the type of document on the newest identity form. */
async function readUser({ compliance }: Product, db: Db, userId: bigint): Promise<OwnDetails> {
  const { names, birthDate, country, nationality } = await compliance.readPerson(db, userId)
  const { rows } = await db.query<{ document: string }>(
    `select document_type as document from kyc_submission where user_id = $1 and status <> 'superseded'
      order by submitted_at desc, id desc limit 1`,
    [userId],
  )
  const document = rows[0]?.document
  return {
    kind: 'person',
    names,
    ...(birthDate && { birthDate }),
    ...(nationality && { nationality }),
    ...(country && { residence: country }),
    ...(document && { documentType: snakeCase(document) }),
  }
}

/** Returns the names of a counterparty; a joint bank account has several holders. */
async function readCounterparty(db: Db, id: string): Promise<{ kind: string; own: OwnDetails } | undefined> {
  const { rows } = await db.query<Pick<ScreeningCounterpartyRow, 'kind' | 'name'>>(
    'select kind, name from screening_counterparty where id = $1',
    [id],
  )
  return rows.map(({ kind, name }) => ({
    kind,
    own: { names: kind === 'account_holder' ? splitHolderNames(name) : [name] },
  }))[0]
}

/** Returns one section per match of a case. Each compares the party with the list entry. */
export async function readMatchSections(
  product: Product,
  db: Db,
  complianceCase: ComplianceCaseRow,
): Promise<DeskSection[]> {
  const matches = await readMatches(db, complianceCase.id)
  if (matches.length === 0) return []
  const counterparty =
    complianceCase.counterparty_id === null ? undefined : await readCounterparty(db, complianceCase.counterparty_id)
  const ownDetails = counterparty?.own ?? (await readUser(product, db, complianceCase.user_id))
  const comparisons = await product.compliance.compareWithEntries(db, {
    own: ownDetails,
    entries: matches.map(toListedDetails),
  })
  return matches.map((match, index) => ({
    code: 'match',
    chapter: 'match',
    facts: [],
    comparison: {
      own: { label: `side_${counterparty?.kind ?? 'user'}`, name: ownDetails.names[0] ?? '' },
      other: { label: `list_${match.source}`, name: match.listed_name, reference: match.reference },
      score: { basis_points: match.score, review_from: reviewFrom, hold_from: holdFrom },
      status: `match_${match.status}`,
      rows: comparisons[index] ?? [],
    },
  }))
}

const toListedDetails = ({ listed_name: name, score, birth_dates: birthDates, ...entry }: MatchRow): ListedDetails => ({
  ...entry,
  birthDates,
  matched: { name, score },
})
