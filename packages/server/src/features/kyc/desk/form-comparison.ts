import { fullName } from '@tern/contract/kyc/person-names'
import type { Comparison, ComparedRow, ComparedValue } from '@tern/contract/desk/comparison'
import { snakeCase } from '../../../platform/operations/desk-facts.ts'
import type { SubmissionInReview as Form } from '../manual-decision.ts'

/** Builds a value as written in the form, marked as different or not. */
type ValueBuilder = (differs: boolean) => ComparedValue

const text =
  (value: string): ValueBuilder =>
  (differs) => ({ kind: 'text', parts: [{ text: value, differs }] })
const plain =
  (kind: 'date' | 'country' | 'code', value: string): ValueBuilder =>
  (differs) => ({ kind, text: value, differs })

/** Builds a row of the comparison: a detail of the form, and the codes that the check reports about its fields. */
function buildRow({ reasons }: Form, label: string, fields: readonly string[], buildValue: ValueBuilder): ComparedRow {
  const codes = reasons.filter(({ field }) => fields.includes(field)).map(({ code }) => code)
  const differs = codes.includes('differs_from_document')
  return {
    label,
    own: [buildValue(differs)],
    other: codes.map((code) => ({ kind: 'code', text: code, differs })),
    compared: differs ? 'differs' : codes.length > 0 ? 'not_comparable' : 'not_given',
    detail: null,
  }
}

/**
 * Compares a form with its check. Providers name a questionable detail but not the document's text. Only
 * `differs_from_document` marks a difference; a detail without a code counts as not given.
 */
export function formComparison(form: Form): Comparison {
  const row = (label: string, fields: string | readonly string[], buildValue: ValueBuilder) =>
    buildRow(form, label, [fields].flat(), buildValue)
  return {
    own: { label: 'side_wrote', name: fullName(form) },
    other: { label: 'side_check', name: form.provider, reference: null },
    score: null,
    status: null,
    rows: [
      ...(form.firstName === '' ? [] : [row('first_name', 'firstName', text(form.firstName))]),
      row('last_name', 'lastName', text(form.lastName)),
      ...(form.localName ? [row('local_name', 'localName', text(form.localName))] : []),
      row('date_of_birth', 'dateOfBirth', plain('date', form.dateOfBirth)),
      row('country', 'country', plain('country', form.country)),
      row('nationality', 'nationality', plain('country', form.nationality)),
      row('address', ['streetAddress', 'city', 'state', 'postalCode'], text(form.address)),
      row('document_type', ['documentType', 'document'], plain('code', snakeCase(form.documentType))),
      ...(form.issuingCountry === null
        ? []
        : [row('issuing_country', 'issuingCountry', plain('country', form.issuingCountry))]),
      ...Object.entries(form.numbers).map(([kind, last]) => row(`${snakeCase(kind)}_ending`, kind, text(last))),
    ],
  }
}
