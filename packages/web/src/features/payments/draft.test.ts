import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { dropDraft, writeDraft, readDraft } from './draft.ts'

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

it('restores the input of its own user on the same page, until it is dropped', () => {
  const draft = { userId: 1, amount: '12.5', currency: 'EUR', method: 'bank' } as const
  writeDraft('deposit', draft)
  expect(readDraft('deposit', 1)).toEqual(draft)
  expect(readDraft('withdraw', 1)).toBeUndefined()
  expect(readDraft('deposit', 2)).toBeUndefined()
  dropDraft('deposit')
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
    kept.set('depositDraft', text)
    expect(readDraft('deposit', 1), text).toBeUndefined()
  }
})

it('omits an unavailable payment method', () => {
  kept.set('depositDraft', '{"userId":1,"amount":"5","method":"gold","currency":{},"paymentId":7}')
  expect(readDraft('deposit', 1)).toEqual({ userId: 1, amount: '5' })
})

it('is empty without browser storage, and raises no error', () => {
  vi.stubGlobal('reportError', () => undefined)
  const refuse = () => {
    throw new Error('denied')
  }
  vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse, removeItem: refuse })
  writeDraft('withdraw', { userId: 1, amount: '5' })
  dropDraft('withdraw')
  expect(readDraft('withdraw', 1)).toBeUndefined()
})
