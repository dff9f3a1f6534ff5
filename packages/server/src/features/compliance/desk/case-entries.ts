import type { DeskFact, DeskSection } from '@tern/contract/desk/queues'
import type { CurrencyCode } from '@tern/money/currency'
import { money } from '@tern/money/money'
import type { QueueEntry } from '../../../manifests/desk-queue.ts'
import type { Db } from '../../../platform/database/db.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../../../platform/operations/desk-facts.ts'
import type { Product } from '../../../product.ts'
import { nameForOperators, personFacts } from '../../identity/identity.ts'
import { documentFacts } from '../../kyc/kyc.ts'
import { readCaseFiles } from './case-files.ts'
import { readMatchSections } from './match-sections.ts'
import { findCaseRule } from './case-rule.ts'
import type { ComplianceCaseRow, ComplianceObjectionRow, ComplianceQuestionRow } from '../row-types.ts'
import type { KycSubmissionRow } from '../../kyc/row-types.ts'
import type { AppUserRow } from '../../identity/row-types.ts'

/** Case with an open review or an open objection. */
export interface WaitingCase extends ComplianceCaseRow {
  /** Id of the review or the objection. */
  readonly entry_id: string
  readonly entry_opened_at: Date
  readonly entry_due_at: Date
  /** Value of the payments it holds, in US dollar cents. */
  readonly held_usd_minor: bigint
}

export const heldUsdSql = `coalesce((select sum(t.usd_minor) from compliance_case_transfer l join transfer t on t.id = l.transfer_id
  where l.case_id = c.id and t.state = 'held'), 0)
  + coalesce((select g.usd_minor from guest_payment g join payment p on p.id = g.payment_id
    where g.payment_id = c.counterparty_id and p.status in ('pending', 'needs_review')), 0) as held_usd_minor`

/** Returns the queue entries of cases. Name matches have no `usdMinor`, so they always need two operators. */
export async function listCaseEntries(
  { identity }: Product,
  db: Db,
  cases: readonly WaitingCase[],
): Promise<QueueEntry[]> {
  const people = await identity.usersById(
    db,
    cases.map(({ user_id: userId }) => userId),
  )
  return cases.map((shownCase) => ({
    id: shownCase.entry_id,
    kind: shownCase.kind,
    who: nameForOperators(people.get(shownCase.user_id)),
    amount: shownCase.held_usd_minor === 0n ? null : money('USD', shownCase.held_usd_minor),
    usdMinor: shownCase.kind === 'pattern' ? shownCase.held_usd_minor : undefined,
    people: [shownCase.user_id],
    openedAt: shownCase.entry_opened_at,
    dueAt: shownCase.entry_due_at,
  }))
}

interface ShownCase {
  readonly row: WaitingCase
  /** Chapter in which the desk shows the objections. */
  readonly objectionChapter: DeskSection['chapter']
}

/** Returns the desk's sections of a case: matches, held payments, rule, people, questions and objections. */
export async function readCaseSections(
  product: Product,
  db: Db,
  { row: caseRow, objectionChapter }: ShownCase,
): Promise<DeskSection[]> {
  const people = await product.identity.usersById(db, [caseRow.user_id])
  const reasonFacts = [
    codeFact('kind', caseRow.kind),
    codeFact('state', `case_${caseRow.state}`),
    codeFact('stops', `stops_${caseRow.stops}`),
    momentFact('opened_at', caseRow.opened_at),
    ...(caseRow.escalated_at ? [momentFact('escalated_at', caseRow.escalated_at)] : []),
    ...(caseRow.decided_by === null ? [] : [textFact('decided_by', caseRow.decided_by)]),
  ]
  return [
    ...(await readMatchSections(product, db, caseRow)),
    ...(await readTransferSections(product, db, caseRow.id)),
    { code: 'case', chapter: 'rules', facts: reasonFacts, rules: [findCaseRule(caseRow)] },
    {
      code: 'account',
      chapter: 'people',
      facts: [...personFacts(people.get(caseRow.user_id)), ...(await readFormFacts(db, caseRow.user_id))],
    },
    ...(await readCounterpartySections(db, caseRow)),
    ...(await readQuestionSections(db, { caseId: caseRow.id, objectionChapter })),
  ]
}

/** Returns the details of the newest identity form that screening compares. */
async function readFormFacts(db: Db, userId: bigint): Promise<DeskFact[]> {
  const { rows } = await db.query<
    Pick<KycSubmissionRow, 'country' | 'nationality'> & {
      readonly name: string
      readonly born: string
    }
  >(
    `select btrim(first_name || ' ' || last_name) as name, date_of_birth as born, country, nationality from kyc_submission
      where user_id = $1 and status <> 'superseded' order by submitted_at desc, id desc limit 1`,
    [userId],
  )
  return rows.flatMap(({ name, born, country, nationality }) => [
    textFact('form_name', name),
    textFact('date_of_birth', born),
    textFact('country', country),
    textFact('nationality', nationality),
  ])
}

interface CounterpartyRow {
  readonly kind: string
  readonly name: string
  readonly screened_at: Date | null
  readonly payment_id: string | null
  readonly payment_status: string | null
  readonly amount_minor: bigint | null
  readonly currency: CurrencyCode
  readonly email: string | null
  readonly request_id: string | null
  readonly bank_name: string | null
  readonly last4: string | null
  readonly account_country: string | null
}

/** Returns the section of the counterparty with its payment, if the case is about one. */
async function readCounterpartySections(db: Db, { counterparty_id: id }: ComplianceCaseRow): Promise<DeskSection[]> {
  if (id === null) return []
  const { rows } = await db.query<CounterpartyRow>(
    `select s.kind, s.name, s.screened_at, p.id as payment_id, p.status as payment_status, p.amount_minor, p.currency,
         g.email, g.request_id, b.bank_name, b.last4, b.country as account_country
       from screening_counterparty s left join payment p on p.id = s.id left join guest_payment g on g.payment_id = s.id
       left join bank_account b on b.id = s.id where s.id = $1`,
    [id],
  )
  return rows.map((row) => ({
    code: 'counterparty',
    chapter: 'people',
    facts: [
      codeFact('kind', `counterparty_${row.kind}`),
      textFact('name', row.name),
      ...(row.screened_at ? [momentFact('screened_at', row.screened_at)] : []),
      ...(row.email === null ? [] : [textFact('email', row.email)]),
      ...(row.amount_minor === null ? [] : [moneyFact('amount', money(row.currency, row.amount_minor))]),
      ...(row.payment_status === null ? [] : [codeFact('state', `payment_${row.payment_status}`)]),
      ...(row.payment_id === null ? [] : [textFact('payment_id', row.payment_id)]),
      ...(row.request_id === null ? [] : [textFact('request_id', row.request_id)]),
      ...(row.bank_name === null ? [] : [textFact('bank', `${row.bank_name} ${row.last4}`)]),
      ...(row.account_country === null ? [] : [textFact('country', row.account_country)]),
    ],
  }))
}

interface TransferRow {
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly amount_minor: bigint
  readonly currency: CurrencyCode
  readonly held_at: Date | null
  readonly username: string
  readonly recipient: string | null
}

/** Returns a section for each payment linked to the case, with the postings made so far and those of each outcome. */
async function readTransferSections(product: Product, db: Db, caseId: string): Promise<DeskSection[]> {
  const { rows } = await db.query<TransferRow>(
    `select t.id, t.kind, t.state, t.amount_minor, t.currency, t.held_at, s.username, r.username as recipient
       from compliance_case_transfer l join transfer t on t.id = l.transfer_id
       join app_user s on s.id = t.sender_id left join app_user r on r.id = t.recipient_id
      where l.case_id = $1 order by l.linked_at, t.id`,
    [caseId],
  )
  const sections: DeskSection[] = []
  // In sequence, since each payment needs several ledger queries.
  for (const row of rows) {
    const { facts, ...moves } = await product.heldTransfers.moneyForDesk(row.id)
    sections.push({ code: 'held_transfer', chapter: 'money', ...moves, facts: [...transferFacts(row), ...facts] })
  }
  return sections
}

const transferFacts = (row: TransferRow): DeskFact[] => [
  codeFact('kind', row.kind),
  codeFact('state', `transfer_${row.state}`),
  moneyFact('on_hold', money(row.currency, row.amount_minor)),
  textFact('sender', row.username),
  ...(row.recipient === null ? [] : [textFact('recipient', row.recipient)]),
  ...(row.held_at ? [momentFact('held_at', row.held_at)] : []),
  textFact('transfer_id', row.id),
]

/** Returns the questions of a case with their answers, then its objections. */
async function readQuestionSections(
  db: Db,
  { caseId, objectionChapter }: { readonly caseId: string } & Pick<ShownCase, 'objectionChapter'>,
): Promise<DeskSection[]> {
  const questions = await db.query<
    Pick<ComplianceQuestionRow, 'id' | 'need' | 'requested_at' | 'answer' | 'answered_at'>
  >(
    `select id, need, requested_at, answer, answered_at from compliance_question where case_id = $1 order by requested_at`,
    [caseId],
  )
  const files = await readCaseFiles(db, caseId)
  const objections = await db.query<
    Pick<ComplianceObjectionRow, 'text' | 'made_at' | 'state'> & Pick<AppUserRow, 'username'>
  >(
    `select o.text, o.made_at, o.state, u.username from compliance_objection o join app_user u on u.id = o.user_id
      where o.case_id = $1 order by o.made_at`,
    [caseId],
  )
  return [
    ...questions.rows.map((row) => ({
      code: 'question',
      chapter: 'people' as const,
      facts: [
        codeFact('asked_for', `need_${row.need}`),
        momentFact('requested_at', row.requested_at),
        ...(row.answered_at ? [momentFact('answered_at', row.answered_at)] : []),
        ...(row.answer === null ? [] : [textFact('answer', row.answer)]),
        ...documentFacts(files.filter((file) => file.question_id === row.id)),
      ],
    })),
    ...objections.rows.map((row) => ({
      code: 'objection',
      chapter: objectionChapter,
      facts: [
        textFact('by', row.username),
        momentFact('made_at', row.made_at),
        codeFact('state', `objection_${row.state}`),
        textFact('objection', row.text),
      ],
    })),
  ]
}
