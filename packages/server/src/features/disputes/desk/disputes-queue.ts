import type { DeskFact, DeskSection } from '@tern/contract/desk/queues'
import { money } from '@tern/money/money'
import type { Queue, QueueEntry } from '../../../manifests/desk-queue.ts'
import type { Db } from '../../../platform/database/db.ts'
import {
  codeFact,
  fileFact,
  fileSize,
  momentFact,
  moneyFact,
  textFact,
} from '../../../platform/operations/desk-facts.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import { nameForOperators, personFacts } from '../../identity/identity.ts'
import type { Disputes } from '../disputes.ts'
import type { DisputeReview } from '../dispute-reviews.ts'
import { disputeVerdicts } from '../outcomes/decide-dispute.ts'

type DisputeDetails = Awaited<ReturnType<Disputes['operators']['details']>>

async function listEntries(product: Product, db: Db, reviews: readonly DisputeReview[]): Promise<QueueEntry[]> {
  const people = await product.identity.usersById(
    db,
    reviews.map(({ userId }) => userId),
  )
  return reviews.map(({ id, kind, cause, userId, claimed, openedAt, dueAt }) => ({
    id,
    kind: cause === 'objected' ? 'dispute_objection' : `dispute_${kind}`,
    who: nameForOperators(people.get(userId)),
    amount: claimed,
    usdMinor: product.exchange.usdMinorIfKnown(claimed),
    people: [userId],
    openedAt,
    dueAt,
  }))
}

/** Returns the open review. Refuses `desk_item_closed`. */
const requireReview = async ({ disputes }: Product, db: Db, id: string): Promise<DisputeReview> =>
  (await disputes.operators.reviews(db, id))[0] ?? refuse('desk_item_closed')

async function readPeople({ identity }: Product, db: Db, { transaction, row }: DisputeDetails): Promise<DeskSection[]> {
  const { recipient_id: recipientId } = transaction
  const counterparties = recipientId === null || recipientId === row.user_id ? [] : [recipientId]
  const people = await identity.usersById(db, [row.user_id, ...counterparties])
  return [
    { code: 'owner', chapter: 'people', facts: personFacts(people.get(row.user_id)) },
    ...counterparties.map((id) => ({
      code: 'recipient',
      chapter: 'people' as const,
      facts: personFacts(people.get(id)),
    })),
  ]
}

/** Operators' queue of disputes, and of objections to decisions about them. */
export const disputesQueue: Queue = {
  name: 'disputes',
  verdicts: disputeVerdicts,
  soleVerdicts: ['ask_explanation', 'ask_document'],
  reading: { purpose: 'dispute', what: ['name', 'payments', 'logins', 'documents'] },
  list: async (product, db) => listEntries(product, db, await product.disputes.operators.reviews(db)),
  find: async (product, db, id) =>
    (await listEntries(product, db, await product.disputes.operators.reviews(db, id)))[0],
  isInvolved: ({ disputes }, db, { id, operatorId }) => disputes.operators.isInvolved(db, id, operatorId),
  passDeadlines: ({ disputes }, tx) => disputes.operators.passDeadlines(tx),

  async readSections(product, db, id) {
    const review = await requireReview(product, db, id)
    const details = await product.disputes.operators.details(review.disputeId)
    return [
      { code: 'dispute', chapter: null, facts: disputeFacts(review, details) },
      { code: 'said', chapter: null, facts: statementFacts(details) },
      { code: 'transaction', chapter: 'money', facts: transactionFacts(details) },
      buildWarnings(details),
      { code: 'on_record', chapter: 'rules', facts: recordFacts(details) },
      ...(await readPeople(product, db, details)),
    ]
  },

  async readFile(product, db, { id, fileId }) {
    const { disputeId } = await requireReview(product, db, id)
    return product.disputes.operators.file(disputeId, fileId)
  },

  async perform(product, db, { id, verdict }) {
    const knownVerdict = disputeVerdicts.find((candidate) => candidate === verdict) ?? refuse('not_found')
    const { disputeId } = await requireReview(product, db, id)
    await product.disputes.operators.decide(disputeId, knownVerdict)
  },

  async askProvider(product, db, id) {
    const { operators } = product.disputes
    const { disputeId } = await requireReview(product, db, id)
    const { transaction } = await operators.details(disputeId)
    await operators.askProvider(transaction.payment_id ?? refuse('not_found'))
  },
}

/** Returns the facts of a total amount and of the fee it contains. */
const partsFacts = (
  name: 'still_due' | 'given_back',
  { currency }: DisputeDetails['row'],
  parts: DisputeDetails['amountDue']['due'],
) => [
  moneyFact(name, money(currency, parts.amount + parts.fee)),
  ...(parts.fee > 0n ? [moneyFact(`${name}_fee`, money(currency, parts.fee))] : []),
]

const disputeFacts = (
  { claimed, cause, dueAt }: DisputeReview,
  { row, amountDue, objection }: DisputeDetails,
): DeskFact[] => [
  codeFact('kind', `dispute_${row.kind}`),
  codeFact('waits_because', `dispute_${cause}`),
  moneyFact('claimed', claimed),
  ...partsFacts('still_due', row, amountDue.due),
  ...partsFacts('given_back', row, amountDue.credited),
  momentFact('opened_at', row.opened_at),
  momentFact('decide_by', dueAt),
  ...(row.credit_by ? [momentFact('credited_on', row.credit_by)] : []),
  ...(row.credit_waits_at ? [momentFact('credit_waits_at', row.credit_waits_at)] : []),
  ...(row.suspected_at ? [momentFact('credit_stopped_at', row.suspected_at)] : []),
  ...(objection ? [textFact('objection', objection.text)] : []),
  textFact('dispute_id', row.id),
]

const statementFacts = ({ row, facts, events, files }: DisputeDetails): DeskFact[] => [
  ...(row.statement === '' ? [] : [textFact('statement', row.statement)]),
  ...(typeof facts.said.was_asked === 'boolean' ? [codeFact('was_asked', facts.said.was_asked ? 'yes' : 'not')] : []),
  ...(facts.said.expected_amount === undefined
    ? []
    : [textFact(`expected_${facts.said.expected_side}`, facts.said.expected_amount)]),
  ...events.flatMap(({ code, text }) => (code === 'answered' && text !== null ? [textFact('added', text)] : [])),
  ...files.map(({ id, content_type: type, size_bytes: bytes }) => fileFact('file', id, fileSize(type, bytes))),
]

const transactionFacts = ({ transaction: row, amountDue }: DisputeDetails): DeskFact[] => [
  codeFact('state', `transaction_${row.status.toLowerCase()}`),
  moneyFact('paid', money(row.source_currency, row.source_amount + row.fee_amount)),
  moneyFact('fee', money(row.fee_currency, row.fee_amount)),
  moneyFact('arrives', money(row.target_currency, row.target_amount)),
  momentFact('happened_at', row.created_at),
  ...(amountDue.providerStatus === undefined ? [] : [codeFact('provider_says', `outside_${amountDue.providerStatus}`)]),
  textFact('transaction_id', row.id),
]

/** Returns the warnings about the payee that the customer was shown before the payment, one line per pattern. */
function buildWarnings({ facts: { warnings }, transaction }: DisputeDetails): DeskSection {
  const section = { code: 'warnings', chapter: 'rules' } as const
  if (transaction.kind !== 'SEND') return { ...section, facts: [codeFact('warned', 'warnings_only_for_sends')] }
  if (!warnings) return { ...section, facts: [codeFact('warned', 'warnings_not_recorded')] }
  if (warnings.length === 0) return { ...section, facts: [codeFact('warned', 'no_warning_shown')] }
  const rules = warnings.flatMap(({ patterns, ...warning }) =>
    patterns.map((pattern) => ({
      rule: `warning_${pattern}`,
      version: warning.policy_version,
      inputs: [
        moneyFact('amount', money(warning.currency, BigInt(warning.amount_minor))),
        ...(warning.acknowledged_at === null ? [] : [momentFact('answered_at', new Date(warning.acknowledged_at))]),
      ],
      did: `warning_answer_${warning.answer}`,
      at: new Date(warning.shown_at).toISOString(),
    })),
  )
  return { ...section, facts: [], rules }
}

/** Returns the evidence frozen when the dispute was opened. */
const recordFacts = ({ facts, row }: DisputeDetails): DeskFact[] => [
  ...facts.decisions.map(({ rule, decided_at: at }) => textFact('let_pass_by', `${rule}, ${at}`)),
  ...(facts.confirmations.length === 0 ? [codeFact('confirmed_with', 'not')] : []),
  ...facts.confirmations.map(({ action, used_at: at }) => textFact('confirmed_with', `${action}, ${at}`)),
  ...facts.sessions.map(({ user_agent: device, country, network, created_at: at }) =>
    textFact('logged_in', `${device.slice(0, 120)}; ${country ?? network}; ${at}`),
  ),
  ...facts.outside.map(({ what, provider, reference }) =>
    textFact('outside', `${provider} ${what} ${reference ?? ''}`),
  ),
  textFact('evidence_hash', row.hash.toString('hex')),
]
