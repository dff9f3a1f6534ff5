import type { FieldProblem } from '../server/api.ts'

export type Verdict = 'verified' | 'in_review' | 'needs_information' | 'rejected'

export interface Reason extends FieldProblem {
  code: string
}

/** Planned outcome of an identity check. */
export interface CheckOutcome {
  verdict: Verdict
  /** Name of the wrong field, or `document`. */
  about?: string
  code?: string
  message?: string
  /** Delay until the decision, in milliseconds of real time. */
  delayMs?: number
  events?: 'lost' | 'twice'
  /** True if the person must complete a hosted page. */
  isHosted?: boolean
  /** True if the verdict applies only without files; with a file, the check is verified. */
  appliesUnlessFiled?: boolean
}

/** Magic value and its effect, as listed on the start page and in the docs. */
export interface MagicIdentity {
  field: 'last_name' | 'document_number' | 'date_of_birth' | 'postal_code'
  value: string
  effect: string
  course: CheckOutcome
}

/** Default delay of a decision, so that it comes shortly after the reply to the request. */
export const decisionDelayMs = 20

const notConfirmed = { code: 'not_confirmed', message: 'We could not confirm this.' }

/** Values that change the verdict, delay or events of a check, which is otherwise verified. The first match applies. */
export const magicIdentities: readonly MagicIdentity[] = [
  {
    ...{ field: 'last_name', value: 'Rejected', effect: 'rejected, because of the last name' },
    course: { verdict: 'rejected', about: 'last_name', ...notConfirmed },
  },
  {
    ...{ field: 'last_name', value: 'Review', effect: 'in review until somebody decides' },
    course: {
      ...{ verdict: 'in_review', about: 'last_name', code: 'reviewed_by_hand' },
      message: 'A person is looking at this by hand.',
    },
  },
  {
    ...{ field: 'document_number', value: '0000', effect: 'more needed: the document could not be read' },
    course: {
      ...{ verdict: 'needs_information', about: 'document_number', code: 'document_unreadable' },
      message: 'We could not read the document number. Please check it and send it again.',
    },
  },
  {
    ...{ field: 'date_of_birth', value: '1970-01-01', effect: 'more needed: the birth date differs' },
    course: {
      ...{ verdict: 'needs_information', about: 'date_of_birth', code: 'differs_from_document' },
      message: 'The document says another date of birth.',
    },
  },
  {
    ...{ field: 'postal_code', value: '00000', effect: 'more needed: the address is not confirmed' },
    course: { verdict: 'needs_information', about: 'postal_code', ...notConfirmed },
  },
  {
    ...{ field: 'last_name', value: 'Document', effect: 'more needed until a photo of the document comes with it' },
    course: {
      ...{ verdict: 'needs_information', about: 'document', code: 'document_missing', appliesUnlessFiled: true },
      message: 'We need a photo of the document.',
    },
  },
  {
    ...{ field: 'last_name', value: 'Slow', effect: 'verified after 5 seconds' },
    course: { verdict: 'verified', delayMs: 5000 },
  },
  {
    ...{ field: 'last_name', value: 'Lost', effect: 'verified, and the event never arrives' },
    course: { verdict: 'verified', events: 'lost' },
  },
  {
    ...{ field: 'last_name', value: 'Twice', effect: 'verified, and the event arrives twice' },
    course: { verdict: 'verified', events: 'twice' },
  },
  {
    ...{ field: 'last_name', value: 'Hosted', effect: 'verified once they have been to a page here' },
    course: { verdict: 'verified', isHosted: true },
  },
]

/** Returns the planned outcome of a check of these details. */
export const findCourse = (details: Readonly<Record<string, string>>): CheckOutcome =>
  magicIdentities.find(({ field, value }) => details[field]?.trim().toLowerCase() === value.toLowerCase())?.course ?? {
    verdict: 'verified',
  }

/** Returns the reasons for a verdict other than `verified`. */
export const listReasons = ({ verdict, about, code, message }: CheckOutcome): Reason[] =>
  verdict === 'verified' || !about || !code ? [] : [{ field: about, code, message: message ?? '' }]
