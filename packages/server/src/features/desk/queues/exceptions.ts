import type { DeskSection } from '@tern/contract/desk/queues'
import { paramsInWords } from '@tern/messages/formats'
import { sentence } from '@tern/messages/message'
import type { Db } from '../../../platform/database/db.ts'
import { type Messages, messagesHere } from '../../../platform/messages.ts'
import { refuse } from '../../../platform/refuse.ts'
import { CannotResolve, type OpenCase, openCases } from '../../payments/payments.ts'
import type { QueueContext } from '../context.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../facts.ts'
import { type Queue, type QueueEntry, usdMinorIfKnown } from './queue.ts'

interface Resolution {
  /** Id of a payment or payout. */
  readonly id: string
  readonly because: string
  readonly event: 'settle' | 'release'
}

/** Settles or releases a payment or payout. Refuses `desk_not_carried_out` with a sentence for the operator. */
export async function resolveByHand({ payments }: QueueContext, { id, because, event }: Resolution): Promise<void> {
  try {
    await (event === 'settle' ? payments.settle({ id, because }) : payments.release({ id, because }))
  } catch (error) {
    if (error instanceof CannotResolve) refuse('desk_not_carried_out', { extra: { because: error.message } })
    throw error
  }
}

/** Formats the differences, with amounts as on the rest of the page. */
const detailInWords = ({ language, operator }: Messages, { code, params }: OpenCase['detail']): string =>
  sentence(operator.cases, {
    code,
    ...(params ? { params: paramsInWords(language, params) } : {}),
  } as OpenCase['detail'])

const entryOf = (ctx: QueueContext, { id, kind, amount = null, openedAt, takenUp }: OpenCase): QueueEntry => ({
  id,
  kind,
  who: null,
  people: [],
  amount,
  openedAt,
  dueAt: takenUp?.until ?? null,
  usdMinor: amount === null ? undefined : usdMinorIfKnown(ctx, amount),
})

const findCase = async (db: Db, id: string): Promise<OpenCase | undefined> =>
  (await openCases(db)).find((one) => one.id === id)

function differenceSection(found: OpenCase): DeskSection {
  const { kind, provider, subject, reference, amount, happenedAt, openedAt, detail } = found
  const facts = [
    codeFact('kind', kind),
    textFact('what', detailInWords(messagesHere(), detail)),
    textFact('provider', provider),
    textFact('movement', subject),
    ...(reference ? [textFact('payment_or_payout', reference)] : []),
    ...(amount ? [moneyFact('amount', amount)] : []),
    ...(happenedAt ? [momentFact('happened_at', happenedAt)] : []),
    momentFact('opened_at', openedAt),
  ]
  return { code: 'difference', chapter: 'money', facts }
}

function takenUpSections({ takenUp }: OpenCase): DeskSection[] {
  if (!takenUp) return []
  const facts = [textFact('taken_up_by', takenUp.by), textFact('taken_up_because', takenUp.because)]
  return [{ code: 'taken_up', chapter: 'people', facts }]
}

/** Queue of differences between our books and a provider's that only an operator can resolve. */
export const exceptionsQueue: Queue = {
  name: 'exceptions',
  verdicts: ['close', 'release', 'settle'],
  reading: { purpose: 'case', what: ['payments'] },

  async list(ctx, db) {
    const cases = await openCases(db)
    await ctx.payments.exceptions.markShown(cases)
    return cases.map((one) => entryOf(ctx, one))
  },

  async find(ctx, db, id) {
    const found = await findCase(db, id)
    return found && entryOf(ctx, found)
  },

  async readSections(_ctx, db, id) {
    const found = await findCase(db, id)
    return found ? [differenceSection(found), ...takenUpSections(found)] : []
  },

  async perform(ctx, db, { id, verdict, by: { note } }) {
    const found = (await findCase(db, id)) ?? refuse('desk_item_closed')
    if (verdict === 'close') {
      if (!(await ctx.payments.exceptions.close(id, note))) refuse('desk_item_closed')
      return
    }
    const { reference } = found
    if (!reference) return refuse('desk_not_carried_out', { reason: 'case_names_no_payment' })
    await resolveByHand(ctx, { id: reference, because: note, event: verdict === 'settle' ? 'settle' : 'release' })
  },
}
