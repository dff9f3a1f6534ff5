import { randomUUID } from 'node:crypto'
import { chooseCard, paymentMethods, removeCard } from '@tern/contract/banking'
import type { KeptCard } from '@tern/providers/collect/port'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { settleCall } from '@tern/testkit/banking'
import { createPaymentsWithErrors, buildContext, saveCard } from '@tern/testkit/payments'
import { resolveFundingSource } from './funding-source.ts'

let world: TestApp
let alice: TestPerson

beforeAll(async () => {
  world = await startTestApp()
})
afterAll(() => world.close())
beforeEach(async () => {
  alice = await world.enroll('alice', 'United States')
})

const buildCard = (last4: string, overrides: Partial<KeptCard> = {}): KeptCard => ({
  token: `card_${randomUUID()}`,
  fingerprint: `${last4}-${alice.id}`,
  brand: 'Visa',
  last4,
  expMonth: 4,
  expYear: 2031,
  ...overrides,
})

/** Saves a card of alice without a payment. */
const saveTestCard = (card: KeptCard) => saveCard(world, alice, card)

/** Resolves the funding source of a payment in dollars with this card. */
const resolveSource = (paymentMethodId: string) =>
  resolveFundingSource(buildContext(world), world.database.pool, {
    userId: BigInt(alice.id),
    input: { method: 'card', paymentMethodId },
    currency: 'USD',
  })

const loadCards = async () => (await alice.call(paymentMethods, {})).cards
const listCards = async () => (await loadCards()).map(({ last4, is_default: isDefault }) => [last4, isDefault])
const findCardId = async (last4: string) => (await loadCards()).find((card) => card.last4 === last4)!.id
const loadToken = async (id: string) =>
  (await world.database.pool.query<{ token: string }>('select token from saved_card where id = $1', [id])).rows[0]
    ?.token
const loadDetachedTokens = async () =>
  (await world.database.pool.query<{ token: string }>('select token from detached_instrument')).rows.map(
    ({ token }) => token,
  )

describe('saved cards', () => {
  test('show brand, last digits and expiry, and never the provider’s token', async () => {
    const card = buildCard('4242')
    await saveTestCard(card)
    const [savedCard] = await loadCards()
    expect(savedCard).toEqual({
      id: expect.any(String),
      brand: 'Visa',
      last4: '4242',
      exp_month: 4,
      exp_year: 2031,
      is_default: true,
      saved_at: expect.any(String),
    })
    expect(await resolveSource(savedCard!.id)).toEqual({ provider: 'sandbox', saved_card_id: savedCard!.id })
    expect(await loadToken(savedCard!.id)).toBe(card.token)
  })

  test('have one default: the first, the chosen one, and another after its removal', async () => {
    for (const last4 of ['1111', '2222', '3333']) await saveTestCard(buildCard(last4))
    expect(await listCards()).toEqual([
      ['1111', true],
      ['3333', false],
      ['2222', false],
    ])
    const second = await findCardId('2222')
    expect(await alice.call(chooseCard, { params: { id: second } })).toMatchObject({ last4: '2222', is_default: true })
    expect((await listCards())[0]).toEqual(['2222', true])
    await alice.call(removeCard, { params: { id: second } })
    expect(await listCards()).toEqual([
      ['3333', true],
      ['1111', false],
    ])
    for (const call of [removeCard, chooseCard]) {
      expect(await settleCall(alice.call(call, { params: { id: second } }))).toMatchObject({ code: 'not_found' })
    }
    await expect(resolveSource(second)).rejects.toMatchObject({
      code: 'payment_method_not_found',
    })
  })

  test('saved repeatedly, also concurrently, are one card with the newest token and expiry', async () => {
    const first = buildCard('4242')
    await saveTestCard(first)
    const id = await findCardId('4242')
    await Promise.all(Array.from({ length: 10 }, () => saveTestCard(buildCard('4242'))))
    const lastCard = buildCard('4242', { expYear: 2033 })
    await saveTestCard(lastCard)
    expect(await loadCards()).toMatchObject([{ id, exp_year: 2033, is_default: true }])
    expect(await loadToken(id)).toBe(lastCard.token)
    const oldTokens = await loadDetachedTokens()
    expect(oldTokens).toContain(first.token)
    expect(oldTokens).not.toContain(lastCard.token)
  })

  test('are forgotten at the provider when removed, or once it answers again', async () => {
    const { now } = world.app.product
    const shortlyLater = () => new Date(now().getTime() + 1000)
    const forgottenTokens: string[] = []
    let answer: 'no' | 'breaks' | 'yes' = 'breaks'
    const { payments } = createPaymentsWithErrors(world, {
      card: {
        forgetCard(token) {
          forgottenTokens.push(token)
          if (answer === 'breaks') throw new Error('an answer nobody can read')
          return Promise.resolve(answer === 'yes')
        },
      },
    })
    await payments.checkPendingLinks(shortlyLater())
    await world.database.pool.query('delete from detached_instrument')
    forgottenTokens.length = 0
    const card = buildCard('4242')
    await saveTestCard(card)
    await payments.removeCard({ userId: BigInt(alice.id), id: await findCardId('4242') })
    expect(await loadCards()).toEqual([])
    answer = 'no'
    await payments.checkPendingLinks(shortlyLater())
    expect(await loadDetachedTokens()).toEqual([card.token])
    answer = 'yes'
    await payments.checkPendingLinks(shortlyLater())
    await payments.checkPendingLinks(shortlyLater())
    expect(forgottenTokens).toEqual([card.token, card.token, card.token])
    expect(await loadDetachedTokens()).toEqual([])
  })

  test('saved again while their removal waits for the provider stay usable', async () => {
    const { payments } = createPaymentsWithErrors(world, { card: { forgetCard: () => Promise.resolve(false) } })
    const card = buildCard('4242')
    await saveTestCard(card)
    await payments.removeCard({ userId: BigInt(alice.id), id: await findCardId('4242') })
    await saveTestCard(card)
    let forgetCount = 0
    const workingPayments = createPaymentsWithErrors(world, {
      card: {
        forgetCard() {
          forgetCount += 1
          return Promise.resolve(true)
        },
      },
    })
    await workingPayments.payments.checkPendingLinks(new Date(world.app.product.now().getTime() + 1000))
    expect(forgetCount).toBe(0)
    expect(await listCards()).toEqual([['4242', true]])
  })
})
