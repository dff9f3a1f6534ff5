import type { RefusalCode } from '@tern/contract/protocol/refusal'
import type { fields } from '@tern/messages/en/fields'
import type { reasons, refusals } from '@tern/messages/en/problems'
import type { Coded, Params, PlainCode } from '@tern/messages/message'

type Reasons = typeof fields & typeof reasons

/** Why exactly something is refused: the code of a sentence in the catalogue, with its parameters if it takes any. */
export type Reason = Coded<Reasons> | PlainCode<Reasons>

/** One wrong field, as it is kept and sent: its sentence is looked up when somebody reads it. */
export interface FieldRefusal {
  readonly field: string
  readonly code: keyof Reasons | keyof typeof refusals
  readonly params?: Params | undefined
}

export interface RefusalDetails {
  /** Why, where more is known than the code says. */
  readonly reason?: Reason
  readonly errors?: readonly FieldRefusal[]
  /** Further members of the problem document, such as a fresh quote. */
  readonly extra?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
}

/** An expected "no". Thrown inside a transaction it rolls everything back; the server turns it into problem+json. */
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

/** Says no with a code of the closed table, and with the field it concerns when there is one. */
export function refuse(code: RefusalCode, details: RefusalDetails = {}): never {
  throw new Refusal(code, details)
}

/** Says no because of one field: what is wrong is said of the whole and of the field. */
export function refuseField(code: RefusalCode, field: string, reason?: Reason): never {
  if (reason === undefined) return refuse(code, { errors: [{ field, code }] })
  return refuse(code, fieldReason(field, reason))
}

/** What is wrong with one field, told of the whole and of the field. */
export const fieldReason = (field: string, reason: Reason): RefusalDetails => ({
  reason,
  errors: [{ field, ...(typeof reason === 'string' ? { code: reason } : reason) }],
})
