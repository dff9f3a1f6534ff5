import type { PaymentStatus } from './use-payment-status.ts'

/** What is shown of a payment that the browser came back from. */
export type ReturnView = 'asking' | 'completed' | 'canceled' | 'failed' | 'reversed' | 'unknown' | 'awaited'

/**
 * By the server's word on the payment. That it was canceled is only said once the server says that it failed: as long as
 * it is pending it may still be paid.
 */
export function returnViewOf(state: PaymentStatus['state'], isCanceled: boolean): ReturnView {
  if (state === 'failed') return isCanceled ? 'canceled' : 'failed'
  if (state === 'asking') return isCanceled ? 'asking' : 'awaited'
  return state === 'completed' || state === 'reversed' || state === 'unknown' ? state : 'awaited'
}
