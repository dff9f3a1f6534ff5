import { expect, test } from 'vitest'
import { formComparison } from './form-comparison.ts'

type Form = Parameters<typeof formComparison>[0]

const form: Form = {
  ...{ id: 'f', userId: 7n, provider: 'sandbox', firstName: 'Ines', lastName: 'Okafor', dateOfBirth: '1991-05-04' },
  ...{ country: 'United States', nationality: 'United States', documentType: 'driversLicense', issuingCountry: null },
  ...{ address: '1 Road, 11201 Brooklyn, NY', currency: 'USD', numbers: { idNumber: '1234' }, sharedNumbers: 0n },
  ...{ submittedAt: new Date(), reasons: [] },
}
const findRow = (label: string, reasons: Form['reasons']) =>
  formComparison({ ...form, reasons }).rows.find((row) => row.label === label)

test('each detail is shown with the result of its check, and only a difference from the document differs', () => {
  expect(findRow('date_of_birth', [{ field: 'dateOfBirth', code: 'differs_from_document' }])).toEqual({
    label: 'date_of_birth',
    own: [{ kind: 'date', text: '1991-05-04', differs: true }],
    other: [{ kind: 'code', text: 'differs_from_document', differs: true }],
    compared: 'differs',
    detail: null,
  })
  expect(findRow('id_number_ending', [{ field: 'idNumber', code: 'not_confirmed' }])).toMatchObject({
    other: [{ text: 'not_confirmed', differs: false }],
    compared: 'not_comparable',
  })
  expect(findRow('document_type', [{ field: 'document', code: 'document_expired' }])).toMatchObject({
    own: [{ text: 'drivers_license' }],
    other: [{ text: 'document_expired' }],
  })
})

test('a detail the check does not mention has no result, regardless of the overall result', () => {
  const { rows } = formComparison({ ...form, reasons: [{ field: 'check', code: 'reviewed_by_hand' }] })
  expect(new Set(rows.map(({ compared, other }) => `${compared} ${other?.length}`))).toEqual(new Set(['not_given 0']))
})

test('a single name has one row, and the name in its own script another', () => {
  const { own, rows } = formComparison({ ...form, firstName: '', lastName: 'Suharto', localName: 'ᮞᮥᮠᮁᮒ' })
  expect(own.name).toBe('Suharto')
  expect(rows.slice(0, 2)).toMatchObject([
    { label: 'last_name', own: [{ parts: [{ text: 'Suharto' }] }] },
    { label: 'local_name', own: [{ parts: [{ text: 'ᮞᮥᮠᮁᮒ' }] }] },
  ])
})
