import * as z from 'zod/mini'
import { storedJson } from '../../app/orders/persisted-order.ts'
import { emptyForm, type FormField, type FormValues } from './form-fields.ts'

/** Fields of a draft. National and document numbers are never stored. */
const draftFields = [
  'firstName',
  'lastName',
  'singleName',
  'localName',
  'dateOfBirth',
  'country',
  'nationality',
  'currencyPreference',
  'documentType',
  'issuingCountry',
  'streetAddress',
  'city',
  'state',
  'postalCode',
] as const satisfies readonly FormField[]

const draftShape = z.object({
  userId: z.int(),
  savedAt: z.iso.datetime(),
  step: z.int().check(z.minimum(0), z.maximum(2)),
  values: z.partialRecord(z.enum(draftFields), z.string().check(z.maxLength(200))),
})
export type KycDraft = z.output<typeof draftShape>

const draftStore = storedJson('sessionStorage', 'verificationDraft')

/** Stores the entries for this tab only; an empty form removes the draft. */
export function storeKycDraft(userId: number, step: number, values: FormValues): void {
  const filledFields = draftFields.filter((name) => values[name] !== emptyForm[name])
  if (filledFields.length === 0) return draftStore.remove()
  const draft: KycDraft = {
    userId,
    savedAt: new Date().toISOString(),
    step,
    values: Object.fromEntries(filledFields.map((name) => [name, values[name]])),
  }
  draftStore.write(draft)
}

export const removeKycDraft = (): void => draftStore.remove()

/** Draft of this user in this tab; undefined if it belongs to another user or cannot be parsed. */
export function readKycDraft(userId: number | undefined): KycDraft | undefined {
  const { data: draft } = draftShape.safeParse(draftStore.read())
  return draft?.userId === userId ? draft : undefined
}
