import type { Money } from '@tern/money/money'

/** Item of a standard notification. */
export interface AdyenItem {
  readonly code: string
  /** Id of the payment, or of the change to a payment that the item reports. */
  readonly pspReference: string
  /** Id of the payment that was changed; that of the payment itself for an authorization. */
  readonly paymentReference: string
  readonly merchantReference: string
  readonly isSuccess: boolean
  readonly amount: Money
  readonly at: Date
  readonly additional: object | undefined
}
