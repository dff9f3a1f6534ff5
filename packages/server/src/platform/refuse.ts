import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type { fields } from '@tern/messages/en/fields'
import type { reasons, refusals } from '@tern/messages/en/problems'
import type { requestFields } from '@tern/messages/en/request-fields'
import type { verificationFields } from '@tern/messages/en/verification-fields'
import type { Coded, Params, PlainCode } from '@tern/messages/message'

type Reasons = typeof fields & typeof requestFields & typeof verificationFields & typeof reasons

/** Exact reason of a refusal: code of a sentence in the catalogue, with its parameters, if any. */
export type Reason = Coded<Reasons> | PlainCode<Reasons>

/** Invalid field of a request. Its sentence is looked up when the refusal is sent. */
export interface FieldRefusal {
  readonly field: string
  readonly code: keyof Reasons | keyof typeof refusals
  readonly params?: Params | undefined
}

export interface RefusalDetails {
  /** Reason that is more specific than the code. */
  readonly reason?: Reason
  readonly errors?: readonly FieldRefusal[]
  /** Additional members of the problem document, such as a new quote. */
  readonly extra?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
}

/** Expected refusal. Rolls back the transaction it is thrown in; the server answers with problem+json. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: RefusalDetails
  constructor(code: RefusalCode, details: RefusalDetails = {}) {
    super(code)
    this.name = 'Refusal'
    this.code = code
    this.details = details
  }
}

/** Failure of an operator's command; the message is one sentence for the operator. */
export class OperatorError extends Error {}

export function refuse(code: RefusalCode, details: RefusalDetails = {}): never {
  throw new Refusal(code, details)
}

/** Refuses because of one field, whose reason also applies to the whole refusal. */
export function refuseField(code: RefusalCode, field: string, reason?: Reason): never {
  if (reason === undefined) return refuse(code, { errors: [{ field, code }] })
  return refuse(code, fieldReason(field, reason))
}

/** Returns details with the reason for one field, which also applies to the whole refusal. */
export const fieldReason = (field: string, reason: Reason): RefusalDetails => ({
  reason,
  errors: [{ field, ...(typeof reason === 'string' ? { code: reason } : reason) }],
})
