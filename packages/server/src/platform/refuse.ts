import { type FieldProblem, type RefusalCode, refusalSentence } from '@tern/contract/protocol/refusal'

export interface RefusalDetails {
  /** What the person reads; the code's own sentence unless given. */
  readonly detail?: string
  readonly errors?: readonly FieldProblem[]
  /** Further members of the problem document, such as a fresh quote. */
  readonly extra?: Readonly<Record<string, unknown>>
  readonly retryAfterSeconds?: number
}

/** An expected "no". Thrown inside a transaction it rolls everything back; the server turns it into problem+json. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: RefusalDetails
  constructor(code: RefusalCode, details: RefusalDetails = {}) {
    super(details.detail ?? refusalSentence(code))
    this.name = 'Refusal'
    this.code = code
    this.details = details
  }
}

/** Says no with a code of the closed table, and with the field it concerns when there is one. */
export function refuse(code: RefusalCode, details: RefusalDetails = {}): never {
  throw new Refusal(code, details)
}

/** Says no because of one field: the sentence stands both in `detail` and beside the field. */
export const refuseField = (code: RefusalCode, field: string, detail = refusalSentence(code)): never =>
  refuse(code, { detail, errors: [{ field, message: detail }] })
