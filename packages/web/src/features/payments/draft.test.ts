import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { removeDraft, writeDraft, readDraft } from './draft.ts'

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

it('restores the input of its own user on the same page, until it is dropped', () => {
  const draft = { userId: 1, amount: '12.5', currency: 'EUR', method: 'bank' } as const
  writeDraft('deposit', draft)
  expect(readDraft('deposit', 1)).toEqual(draft)
  expect(readDraft('withdraw', 1)).toBeUndefined()
  expect(readDraft('deposit', 2)).toBeUndefined()
  removeDraft('deposit')
  expect(readDraft('deposit', 1)).toBeUndefined()
})

it('ignores invalid amounts and unreadable drafts', () => {
  for (const text of [
    '{',
    'null',
    '{"userId":1}',
    '{"userId":1,"amount":"1e9"}',
    '{"userId":1,"amount":"-5"}',
    '{"userId":1,"amount":5}',
  ]) {
    stored.set('depositDraft', text)
    expect(readDraft('deposit', 1), text).toBeUndefined()
  }
})

it('omits an unavailable payment method', () => {
  stored.set('depositDraft', '{"userId":1,"amount":"5","method":"gold","currency":{},"paymentId":7}')
  expect(readDraft('deposit', 1)).toEqual({ userId: 1, amount: '5' })
})

it('is empty without browser storage, and raises no error', () => {
  vi.stubGlobal('reportError', () => undefined)
  const throwDenied = () => {
    throw new Error('denied')
  }
  vi.stubGlobal('sessionStorage', { getItem: throwDenied, setItem: throwDenied, removeItem: throwDenied })
  writeDraft('withdraw', { userId: 1, amount: '5' })
  removeDraft('withdraw')
  expect(readDraft('withdraw', 1)).toBeUndefined()
})
