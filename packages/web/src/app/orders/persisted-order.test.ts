import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { tabOrderStore } from './persisted-order.ts'

const idempotencyKey = '3f0c9a52-8f4e-4a44-9e8f-0d3c9a1b2c3d'
const otherKey = '3f0c9a52-8f4e-4a44-9e8f-0d3c9a1b2c3e'
const savedOrder = { idempotencyKey, order: { amount: '12.50', userId: 1 } }
const stored = new Map<string, string>()
const createStore = (userId: number) =>
  tabOrderStore<typeof savedOrder.order>(
    'withdraw',
    (order) => (order as typeof savedOrder.order | null)?.userId === userId,
  )
const store = createStore(1)

beforeEach(() => {
  stored.clear()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
  })
})
afterEach(() => vi.unstubAllGlobals())

it('restores an order with its key after a reload, for its own user and page', () => {
  store.save(savedOrder)
  expect(store.read()).toEqual(savedOrder)
  expect(createStore(2).read()).toBeUndefined()
  expect(tabOrderStore('deposit', () => true).read()).toBeUndefined()
})

it('removes only the order with its own key', () => {
  store.save(savedOrder)
  store.remove(otherKey)
  expect(store.read()).toEqual(savedOrder)
  store.remove(idempotencyKey)
  expect(store.read()).toBeUndefined()
})

it.each([
  '{',
  '',
  'null',
  '[]',
  '7',
  '"order"',
  '{}',
  JSON.stringify({ ...savedOrder, idempotencyKey: 'x' }),
  JSON.stringify({ ...savedOrder, idempotencyKey: undefined }),
  JSON.stringify({ ...savedOrder, order: null }),
])('ignores %j', (text) => {
  stored.set('withdrawOrder', text)
  expect(store.read()).toBeUndefined()
})

it('works without browser storage', () => {
  vi.stubGlobal('reportError', () => undefined)
  const throwDenied = () => {
    throw new Error('denied')
  }
  vi.stubGlobal('sessionStorage', { getItem: throwDenied, setItem: throwDenied, removeItem: throwDenied })
  store.save(savedOrder)
  store.remove(idempotencyKey)
  expect(store.read()).toBeUndefined()
})
