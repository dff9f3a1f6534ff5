import { cancelPayment, paymentStatus } from '@tern/contract/payments'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { paymentReturns } from '#messages/payments/returns.ts'
import { type StatusResult, useStatus } from '../../../app/use-status.ts'
import { callApi } from '../../../app/session/session.ts'
import { useAction } from '../../../app/use-action.ts'

export type Payment = Reply<typeof paymentStatus>

/** Polls a payment while it is pending. `isCanceled` requests its cancellation first. */
export function usePaymentStatus(id: string | undefined, isCanceled = false) {
  const input = { params: { id: id ?? '' } }
  const { answer, found, hasStopped, refetchNow } = useStatus<Payment>({
    key: ['payment', id],
    enabled: id !== undefined,
    isOpen: ({ status }) => status === 'pending',
    async fetchStatus(signal, isFirst) {
      // The status is queried whether or not the cancellation succeeds.
      if (isCanceled && isFirst) await callApi(cancelPayment, input, signal).catch(() => undefined)
      return callApi(paymentStatus, input, signal)
    },
  })
  const { run, isBusy, error } = useAction({
    failed: (cause) => `${paymentReturns.cancelFailed} ${cause instanceof Refused ? cause.message : ''}`,
    onSettled: refetchNow,
  })
  return {
    payment: found,
    view: choosePaymentView(answer, isCanceled),
    isUnreachable: answer === 'unreachable',
    hasStopped: hasStopped || answer === 'unreachable',
    refetchNow,
    cancel: () => run(() => callApi(cancelPayment, input)),
    isCanceling: isBusy,
    error,
  }
}

export type PaymentView = 'asking' | 'completed' | 'canceled' | 'failed' | 'reversed' | 'unknown' | 'awaited'

/** View for a payment's status. Counts as canceled only once it has failed: a pending payment may still be paid. */
export function choosePaymentView(answer: StatusResult<Payment> | undefined, isCanceled: boolean): PaymentView {
  if (answer === undefined) return isCanceled ? 'asking' : 'awaited'
  if (answer === 'unknown') return 'unknown'
  if (answer === 'unreachable' || answer.status === 'pending') return 'awaited'
  if (answer.status === 'failed') return isCanceled ? 'canceled' : 'failed'
  return answer.status
}
