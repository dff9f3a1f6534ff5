import { paramsInWords } from '@tern/messages/formats'
import { sentence } from '@tern/messages/message'
import type { Money } from '@tern/money/money'
import { type Messages, messagesHere } from '../../../platform/messages.ts'
import { refuse } from '../../../platform/refuse.ts'
import { CannotResolve, type OpenCase, type Payments } from '../../payments/payments.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../facts.ts'
import type { Queue, QueueEntry } from './queue.ts'

export interface PaymentQueueOptions {
  readonly payments: Payments
  /** Value in US dollar cents; undefined without a rate. */
  readonly usdMinorOf: (amount: Money) => bigint | undefined
}

/** Turns CannotResolve into `desk_not_carried_out` with a sentence for the operator. */
export async function resolving(work: Promise<void>): Promise<void> {
  try {
    await work
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

/** Queue of differences between our books and a provider's that only an operator can resolve. */
export function createExceptionsQueue({ payments, usdMinorOf }: PaymentQueueOptions): Queue {
  const entryOf = ({ id, kind, amount = null, openedAt, takenUp }: OpenCase): QueueEntry => ({
    ...{ id, kind, who: null, people: [], amount, openedAt, dueAt: takenUp?.until ?? null },
    usdMinor: amount === null ? undefined : usdMinorOf(amount),
  })
  const findCase = async (id: string) => (await payments.exceptions.open()).find((one) => one.id === id)

  return {
    name: 'exceptions',
    verdicts: ['close', 'release', 'settle'],
    reading: { purpose: 'case', what: ['payments'] },
    async list() {
      const cases = await payments.exceptions.open()
      await payments.exceptions.markShown(cases)
      return cases.map(entryOf)
    },
    async find(id) {
      const found = await findCase(id)
      return found && entryOf(found)
    },

    async sectionsOf({ id }) {
      const found = await findCase(id)
      if (!found) return []
      const { kind, provider, subject, reference, amount, happenedAt, openedAt, detail, takenUp } = found
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
      const taken = takenUp && [textFact('taken_up_by', takenUp.by), textFact('taken_up_because', takenUp.because)]
      return [
        { code: 'difference', chapter: 'money', facts },
        ...(taken ? [{ code: 'taken_up', chapter: 'people' as const, facts: taken }] : []),
      ]
    },

    async perform({ id }, verdict, { note }) {
      const found = (await findCase(id)) ?? refuse('desk_item_closed')
      if (verdict === 'close') {
        if (!(await payments.exceptions.close(id, note))) refuse('desk_item_closed')
        return
      }
      const { reference } = found
      if (!reference) return refuse('desk_not_carried_out', { reason: 'case_names_no_payment' })
      await resolving(
        verdict === 'settle'
          ? payments.settle({ id: reference, because: note })
          : payments.release({ id: reference, because: note }),
      )
    },
  }
}
