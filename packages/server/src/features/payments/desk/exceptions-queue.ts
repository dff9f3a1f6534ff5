import type { DeskSection } from '@tern/contract/desk/queues'
import { paramsInWords } from '@tern/messages/formats'
import { sentence } from '@tern/messages/message'
import type { Queue, QueueEntry } from '../../../manifests/desk-queue.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type Messages, currentRequestMessages } from '../../../platform/messages.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../../../platform/operations/desk-facts.ts'
import { refuse } from '../../../platform/refuse.ts'
import type { Product } from '../../../product.ts'
import { ResolutionRefused } from '../reconciliation/manual-resolution.ts'
import { type OpenCase, openCases } from '../records/reconciliation-exceptions.ts'

interface Resolution {
  /** Id of a payment or payout. */
  readonly id: string
  readonly because: string
  readonly event: 'settle' | 'release'
}

/** Settles or releases a payment or payout. Refuses `desk_not_carried_out` with a sentence for the operator. */
export async function resolveManually({ payments }: Product, { id, because, event }: Resolution): Promise<void> {
  try {
    await (event === 'settle' ? payments.settle({ id, because }) : payments.release({ id, because }))
  } catch (error) {
    if (error instanceof ResolutionRefused) refuse('desk_not_carried_out', { extra: { because: error.message } })
    throw error
  }
}

/** Describes the problem of a case in the operator's language. */
const detailInWords = ({ language, operator }: Messages, { code, params }: OpenCase['detail']): string =>
  sentence(operator.cases, {
    code,
    ...(params ? { params: paramsInWords(language, params) } : {}),
  } as OpenCase['detail'])

const toEntry = (product: Product, { id, kind, amount = null, openedAt, takenUp }: OpenCase): QueueEntry => ({
  id,
  kind,
  who: null,
  people: [],
  amount,
  openedAt,
  dueAt: takenUp?.until ?? null,
  usdMinor: amount === null ? undefined : product.exchange.usdMinorIfKnown(amount),
})

const findCase = async (db: Db, id: string): Promise<OpenCase | undefined> =>
  (await openCases(db)).find((openCase) => openCase.id === id)

function differenceSection(openCase: OpenCase): DeskSection {
  const { kind, provider, subject, reference, amount, happenedAt, openedAt, detail } = openCase
  const facts = [
    codeFact('kind', kind),
    textFact('what', detailInWords(currentRequestMessages(), detail)),
    textFact('provider', provider),
    textFact('movement', subject),
    ...(reference ? [textFact('payment_or_payout', reference)] : []),
    ...(amount ? [moneyFact('amount', amount)] : []),
    ...(happenedAt ? [momentFact('happened_at', happenedAt)] : []),
    momentFact('opened_at', openedAt),
  ]
  return { code: 'difference', chapter: 'money', facts }
}

function assignmentSections({ takenUp }: OpenCase): DeskSection[] {
  if (!takenUp) return []
  const facts = [textFact('taken_up_by', takenUp.by), textFact('taken_up_because', takenUp.because)]
  return [{ code: 'taken_up', chapter: 'people', facts }]
}

/**
 * Queue of all open exceptions: differences between our books and a provider's, unmatched money, and losses. Opening
 * one marks it as reported.
 */
export const exceptionsQueue: Queue = {
  name: 'exceptions',
  verdicts: ['close', 'release', 'settle'],
  reading: { purpose: 'case', what: ['payments'] },

  list: async (product, db) => (await openCases(db)).map((openCase) => toEntry(product, openCase)),

  async find(product, db, id) {
    const openCase = await findCase(db, id)
    return openCase && toEntry(product, openCase)
  },

  async readSections(product, db, id) {
    const openCase = await findCase(db, id)
    if (!openCase) return []
    await product.payments.exceptions.markShown([openCase])
    return [differenceSection(openCase), ...assignmentSections(openCase)]
  },

  async perform(product, db, { id, verdict, by: { note } }) {
    const openCase = (await findCase(db, id)) ?? refuse('desk_item_closed')
    if (verdict === 'close') {
      if (!(await product.payments.exceptions.close(id, note))) refuse('desk_item_closed')
      return
    }
    const { reference } = openCase
    if (!reference) return refuse('desk_not_carried_out', { reason: 'case_names_no_payment' })
    await resolveManually(product, { id: reference, because: note, event: verdict === 'settle' ? 'settle' : 'release' })
  },
}
