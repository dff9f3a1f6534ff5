import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { emptyForm } from './form-fields.ts'
import { removeKycDraft, storeKycDraft, readKycDraft } from './kyc-draft.ts'

const stored = new Map<string, string>()

beforeEach(() => {
  stored.clear()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
})
afterEach(() => vi.unstubAllGlobals())

it('restores the answers of its own user, without personal numbers', () => {
  const numbers = { idNumber: '123-45-6789', documentNumber: 'P1234567', panCard: 'ABCDE1234F', medicareNumber: '2123' }
  storeKycDraft(1, 2, { ...emptyForm, email: 'ida@example.com', firstName: 'Ida', country: 'India', ...numbers })
  expect(readKycDraft(1)).toMatchObject({ step: 2, values: { firstName: 'Ida', country: 'India' } })
  expect(readKycDraft(2)).toBeUndefined()
  expect(readKycDraft(undefined)).toBeUndefined()
  const [text = ''] = stored.values()
  for (const number of [...Object.values(numbers), 'ida@example.com']) expect(text).not.toContain(number)
  removeKycDraft()
  expect(readKycDraft(1)).toBeUndefined()
})

it('stores no empty form, and ignores invalid drafts', () => {
  storeKycDraft(1, 0, { ...emptyForm, email: 'ida@example.com' })
  expect(stored.size).toBe(0)
  const savedAt = '2026-11-22T10:42:00Z'
  for (const draft of [
    null,
    { userId: 1, savedAt, step: 3, values: {} },
    { userId: 1, savedAt, step: 0, values: { idNumber: '1' } },
    { userId: 1, savedAt, step: 0, values: { city: 5 } },
  ]) {
    stored.set('verificationDraft', JSON.stringify(draft))
    expect(readKycDraft(1), JSON.stringify(draft)).toBeUndefined()
  }
})
