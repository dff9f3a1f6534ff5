import { cancelPayment } from '@tern/contract/payments'
import { Refused } from '@tern/contract/protocol/client'
import { type Payment, readPayment, useStatus } from '../../../app/orders/status.ts'
import { callApi } from '../../../app/session/session.ts'

/** What the server said last; `unknown`: this person has no such payment. */
type Answer = { readonly payment: Payment } | 'unknown' | 'unreachable'

const isOpen = (answer: Answer) =>
  answer === 'unreachable' || (answer !== 'unknown' && answer.payment.status === 'pending')

async function ask(id: string, signal: AbortSignal): Promise<Answer> {
  try {
    return { payment: await readPayment(id, signal) }
  } catch (error) {
    return error instanceof Refused && error.status < 500 ? 'unknown' : 'unreachable'
  }
}

/** How a payment stands, asked again while it is pending. With `isCanceled` the server is first asked to cancel it. */
export function usePaymentStatus(id: string | undefined, isCanceled = false) {
  const {
    status: answer,
    isTired,
    askAgain,
  } = useStatus({
    key: ['payment', id],
    enabled: id !== undefined,
    isOpen,
    async ask(signal, isFirst): Promise<Answer> {
      if (id === undefined) return 'unknown'
      // What becomes of it is asked next, whatever the answer is.
      if (isCanceled && isFirst) await callApi(cancelPayment, { params: { id } }, signal).catch(() => undefined)
      return ask(id, signal)
    },
  })
  const payment = typeof answer === 'object' ? answer.payment : undefined
  return {
    answer,
    payment,
    view: viewOf(answer, isCanceled),
    hasStopped: isTired || answer === 'unreachable',
    askAgain,
  }
}

export type PaymentView = 'asking' | 'completed' | 'canceled' | 'failed' | 'reversed' | 'unknown' | 'awaited'

/** What is shown of a payment. It counts as canceled only once it has failed: a pending one may still be paid. */
export function viewOf(answer: Answer | undefined, isCanceled: boolean): PaymentView {
  if (answer === undefined) return isCanceled ? 'asking' : 'awaited'
  if (answer === 'unknown') return 'unknown'
  if (answer === 'unreachable' || answer.payment.status === 'pending') return 'awaited'
  if (answer.payment.status === 'failed') return isCanceled ? 'canceled' : 'failed'
  return answer.payment.status
}
