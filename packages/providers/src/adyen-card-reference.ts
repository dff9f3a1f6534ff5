// References of our payments at Adyen, which its events repeat and sign.

const laterMark = '.later'

export interface PaymentReference {
  readonly paymentId: string
  /** The money is captured later, or never. */
  readonly capturesLater: boolean
}

/** Returns the reference of a payment. It says whether an authorization is the payment, since events do not. */
export const writeReference = ({ paymentId, capturesLater }: PaymentReference): string =>
  capturesLater ? paymentId + laterMark : paymentId

export const readReference = (reference: string): PaymentReference =>
  reference.endsWith(laterMark)
    ? { paymentId: reference.slice(0, -laterMark.length), capturesLater: true }
    : { paymentId: reference, capturesLater: false }
