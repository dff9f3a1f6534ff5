import type { CardProvider } from '@tern/providers/collect/port'
import type { LinkProvider } from '@tern/providers/link/port'
import type { MoneyProvider } from '@tern/providers/money'
import type { PayoutProvider } from '@tern/providers/payout/port'
import { expect, test } from 'vitest'
import { createMoneyRegistry } from './money-registry.ts'

const answerUnknown = () => Promise.resolve({ status: 'unknown', reason: 'a test' } as const)
const resolveTrue = () => Promise.resolve(true)
const card: CardProvider = {
  createCheckout: answerUnknown,
  charge: answerUnknown,
  lookup: answerUnknown,
  capture: answerUnknown,
  cancel: answerUnknown,
  forgetCard: resolveTrue,
}
const link: LinkProvider = { beginLink: answerUnknown, lookupLink: answerUnknown, unlink: resolveTrue }
const payout: PayoutProvider = { keysKeptMs: 1, pay: answerUnknown, lookup: answerUnknown }

const cardProvider: MoneyProvider = { name: 'cards', collect: { keysKeptMs: 1, card } }
const linkProvider: MoneyProvider = { name: 'links', link }
const payoutProvider: MoneyProvider = { name: 'payouts', payout }
const numberProvider: MoneyProvider = { name: 'numbers', payout: { ...payout, needsPayee: true } }
const disclosingProvider: MoneyProvider = { name: 'disclosing', link: { ...link, readPayee: answerUnknown } }

test('without rules, the first provider with the capability takes card payments and bank links', () => {
  const { choose } = createMoneyRegistry([payoutProvider, linkProvider, cardProvider])
  expect(choose({ method: 'card' })?.name).toBe('cards')
  expect(choose({ method: 'bank' })?.name).toBe('links')
  expect(
    createMoneyRegistry([payoutProvider]).choose({ method: 'card' }),
    'a payout-only provider takes none',
  ).toBeUndefined()
})

test('payouts go where a payout rule says, and otherwise to the provider that linked the account', () => {
  const payoutRules = [{ provider: 'payouts', currency: ['EUR'], country: ['DE'] }]
  const { choosePayout } = createMoneyRegistry([linkProvider, payoutProvider], { payoutRules })
  expect(choosePayout({ currency: 'EUR', country: 'DE' })?.name).toBe('payouts')
  expect(choosePayout({ currency: 'EUR', country: 'FR' })).toBeUndefined()
  expect(createMoneyRegistry([linkProvider, payoutProvider]).choosePayout({ currency: 'EUR' })).toBeUndefined()
})

test.each([
  ['card payments for one that takes none', { rules: [{ provider: 'links' }] }, /links.*collect.*limit.*method=bank/],
  ['bank links for one that links none', { rules: [{ provider: 'cards', method: ['bank'] }] }, /cards.*link.*limit/],
  ['anything new for a payout-only one', { rules: [{ provider: 'payouts' }] }, /payouts.*collect.*remove the rule/],
  ['payouts for one that makes none', { payoutRules: [{ provider: 'cards' }] }, /cards.*lacks.*payout/],
  ['payouts for one that is not set up', { payoutRules: [{ provider: 'acme' }] }, /acme.*not set up/],
  ['payouts to numbers that no provider discloses', { payoutRules: [{ provider: 'numbers' }] }, /numbers.*discloses/],
])('a rule with %s is refused', (_name, rules, message) => {
  expect(() => createMoneyRegistry([cardProvider, linkProvider, payoutProvider, numberProvider], rules)).toThrow(
    message,
  )
})

test('payouts to account numbers are possible once a provider discloses them', () => {
  const payoutRules = [{ provider: 'numbers' }]
  expect(createMoneyRegistry([numberProvider, disclosingProvider], { payoutRules }).choosePayout({})?.name).toBe(
    'numbers',
  )
})
