import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { emptyForm } from './form-fields.ts'
import { dropKycDraft, storeKycDraft, readKycDraft } from './kyc-draft.ts'

const kept = new Map<string, string>()

beforeEach(() => {
  kept.clear()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
})
afterEach(() => vi.unstubAllGlobals())

it('restores the answers of its own user, without personal numbers', () => {
  const numbers = { idNumber: '123-45-6789', documentNumber: 'P1234567', panCard: 'ABCDE1234F', medicareNumber: '2123' }
  storeKycDraft(1, 2, { ...emptyForm, email: 'ida@example.com', firstName: 'Ida', country: 'India', ...numbers })
  expect(readKycDraft(1)).toMatchObject({ step: 2, values: { firstName: 'Ida', country: 'India' } })
  expect(readKycDraft(2)).toBeUndefined()
  expect(readKycDraft(undefined)).toBeUndefined()
  const [text = ''] = kept.values()
  for (const number of [...Object.values(numbers), 'ida@example.com']) expect(text).not.toContain(number)
  dropKycDraft()
  expect(readKycDraft(1)).toBeUndefined()
})

it('stores no empty form, and ignores invalid drafts', () => {
  storeKycDraft(1, 0, { ...emptyForm, email: 'ida@example.com' })
  expect(kept.size).toBe(0)
  const savedAt = '2026-11-22T10:42:00Z'
  for (const draft of [
    null,
    { userId: 1, savedAt, step: 3, values: {} },
    { userId: 1, savedAt, step: 0, values: { idNumber: '1' } },
    { userId: 1, savedAt, step: 0, values: { city: 5 } },
  ]) {
    kept.set('verificationDraft', JSON.stringify(draft))
    expect(readKycDraft(1), JSON.stringify(draft)).toBeUndefined()
  }
})
