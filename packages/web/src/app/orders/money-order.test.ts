import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { type RefusalCode, refusalStatus } from '@tern/contract/protocol/refusal'
import { refusals } from '@tern/messages/en/problems'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Confirmation } from '../step-up/step-up.ts'
import { createMoneyOrder, type OrderKind, type OrderState } from './money-order.ts'
import type { PersistedOrder } from './persisted-order.ts'

const answers: Confirmation[] = []
vi.mock('../step-up/prompt-step-up.tsx', () => ({ promptStepUp: () => Promise.resolve(answers.shift()) }))
const visitedUrls: string[] = []
vi.mock('../provider-page.ts', () => ({
  goToProvider: (address: string) => void visitedUrls.push(address),
  usePageRestore: () => undefined,
}))

interface Order {
  amount: string
}
interface OrderOptions {
  order: Order
  idempotencyKey: string
  confirmation: string | undefined
}

const order: Order = { amount: '5.00' }
const oldKey = '3f0c9a52-8f4e-4a44-9e8f-0d3c9a1b2c3d'
const requirement = {
  id: '01a1fe5d-15bb-71b7-a870-440dec63b5b4',
  action: 'send_money',
  subject: {},
  expires_at: '2026-11-21T12:00:00Z',
  passkey: false,
  password: true,
  code: 'email',
  recovery_code: false,
}
const createRefusal = (code: RefusalCode, extraFields: object = {}) =>
  new Refused({
    type: 'about:blank',
    title: code,
    status: refusalStatus(code),
    detail: refusals[code],
    code,
    requestId: 'r',
    ...extraFields,
  })
const unreachable = new Unreachable(undefined)
const stepUp = createRefusal('step_up_required', { confirmation: requirement })

/** Creates a page whose server answers with `replies` in turn, then carries out every order. */
function page(replies: unknown[], persisted?: PersistedOrder<Order>, part: Partial<OrderKind<Order, string>> = {}) {
  const calls: OrderOptions[] = []
  const states: OrderState<Order>[] = []
  let storedOrder = persisted
  let isCurrentPage = true
  const kind: OrderKind<Order, string> = {
    store: {
      read: () => storedOrder,
      save: (newOrder) => void (storedOrder = newOrder),
      remove: (key) => void (storedOrder = storedOrder?.idempotencyKey === key ? undefined : storedOrder),
    },
    buildBody: ({ amount }) => ({ amount }),
    async call(sentOrder, keys) {
      expect(part.isCharging?.(sentOrder) === false || storedOrder?.idempotencyKey === keys.idempotencyKey).toBe(true)
      calls.push({ order: sentOrder, ...keys })
      const reply = replies.length > 0 ? replies.shift() : 'done'
      if (reply instanceof Error) throw reply
      return reply as string
    },
    onReply: () => undefined,
    onFailure: (error) => ({ detail: (error as Error).message }),
    ...part,
  }
  const controller = createMoneyOrder(persisted, {
    kind: () => kind,
    isCurrentPage: () => isCurrentPage,
    setState: (state) => void states.push(state),
  })
  return {
    calls,
    states,
    storedOrder: () => storedOrder,
    leave: () => void (isCurrentPage = false),
    last: () => states.at(-1)?.status,
    async send(newOrder: Order = order) {
      const sentOrder = controller.send(newOrder)
      await vi.runAllTimersAsync()
      await sentOrder
    },
  }
}
const listKeys = (calls: readonly OrderOptions[]) => [...new Set(calls.map(({ idempotencyKey }) => idempotencyKey))]

beforeEach(() => {
  vi.useFakeTimers()
  answers.length = 0
  visitedUrls.length = 0
})
afterEach(() => void vi.useRealTimers())

describe('an order whose answer is lost', () => {
  it('is resent with its key, and stays stored with an unknown outcome until it is answered', async () => {
    const rendered = page([unreachable, unreachable, unreachable])
    await rendered.send()
    expect(rendered.states.at(-1)).toEqual({ status: 'unknown', order })
    expect(rendered.storedOrder()?.order).toEqual(order)
    await rendered.send({ amount: '9.00' })
    expect(rendered.calls.map((call) => call.order.amount)).toEqual(['5.00', '5.00', '5.00', '5.00'])
    expect(listKeys(rendered.calls)).toHaveLength(1)
    expect(rendered.last()).toBe('idle')
    expect(rendered.storedOrder()).toBeUndefined()
  })

  it('is resent under the same key after a reload, even if the form has changed', async () => {
    const rendered = page([], { idempotencyKey: oldKey, order })
    await rendered.send({ amount: '9.00' })
    expect(rendered.calls).toMatchObject([{ order, idempotencyKey: oldKey }])
    await rendered.send()
    expect(listKeys(rendered.calls)).toHaveLength(2)
  })

  it('stays unknown when its retry is turned away undecided', async () => {
    const rendered = page([createRefusal('rate_limited')], { idempotencyKey: oldKey, order })
    await rendered.send()
    expect(rendered.last()).toBe('unknown')
    expect(rendered.storedOrder()?.idempotencyKey).toBe(oldKey)
  })

  it('ends with a final refusal, and the next order has another key', async () => {
    const rendered = page([unreachable, createRefusal('insufficient_funds')])
    await rendered.send()
    expect(rendered.last()).toBe('failed')
    expect(rendered.storedOrder()).toBeUndefined()
    await rendered.send()
    expect(listKeys(rendered.calls)).toHaveLength(2)
  })

  it('is a plain failure under the same key if no charge was possible', async () => {
    const rendered = page([unreachable, unreachable, unreachable], undefined, { isCharging: () => false })
    await rendered.send()
    expect(rendered.last()).toBe('failed')
    expect(rendered.storedOrder()).toBeUndefined()
    await rendered.send()
    expect(listKeys(rendered.calls)).toHaveLength(1)
  })
})

describe('an order that was turned away', () => {
  it('keeps its key if it was undecided', async () => {
    const rendered = page([createRefusal('rate_limited')])
    await rendered.send()
    expect(rendered.last()).toBe('failed')
    expect(rendered.storedOrder()).toBeUndefined()
    await rendered.send()
    expect(listKeys(rendered.calls)).toHaveLength(1)
  })

  it('has an unknown outcome for the problem types listed', async () => {
    const rendered = page([createRefusal('provider_unavailable')], undefined, { isOutcomeUnknown: () => true })
    await rendered.send()
    expect(rendered.last()).toBe('unknown')
  })

  it('shows no message if there is none', async () => {
    const rendered = page([createRefusal('quote_expired')], undefined, { onFailure: () => undefined })
    await rendered.send()
    expect(rendered.last()).toBe('idle')
  })
})

describe('an order that has to be confirmed', () => {
  it('is resent with the confirmation, under the same key', async () => {
    answers.push('confirmed')
    const rendered = page([stepUp])
    await rendered.send()
    expect(rendered.calls.map(({ confirmation }) => confirmation)).toEqual([undefined, requirement.id])
    expect(listKeys(rendered.calls)).toHaveLength(1)
    expect(rendered.last()).toBe('idle')
  })

  it('had no effect if the confirmation is dismissed, and is no longer stored', async () => {
    answers.push('cancelled')
    const rendered = page([stepUp])
    await rendered.send()
    expect(rendered.last()).toBe('unconfirmed')
    expect(rendered.storedOrder()).toBeUndefined()
  })

  it('stays unknown if the confirmation is dismissed after a lost answer', async () => {
    answers.push('cancelled')
    const rendered = page([unreachable, stepUp])
    await rendered.send()
    expect(rendered.last()).toBe('unknown')
    expect(rendered.storedOrder()?.order).toEqual(order)
  })
})

describe('an order that is answered', () => {
  it('is removed from the store before its consequences, and shows failures of these', async () => {
    const rendered = page([], undefined, {
      onReply: () => {
        expect(rendered.storedOrder()).toBeUndefined()
        return { detail: 'declined' }
      },
    })
    await rendered.send()
    expect(rendered.states.at(-1)).toEqual({ status: 'failed', failure: { detail: 'declined' } })
    await rendered.send()
    expect(listKeys(rendered.calls)).toHaveLength(2)
  })

  it('redirects to the provider, unless the user has navigated away', async () => {
    const rendered = page([], undefined, { onReply: () => ({ redirectTo: 'https://pay.example/1' }) })
    await rendered.send()
    expect(visitedUrls).toEqual(['https://pay.example/1'])
    expect(rendered.last()).toBe('sending')
    rendered.leave()
    await rendered.send()
    expect(visitedUrls).toHaveLength(1)
  })

  it('is sent once, for any number of presses', async () => {
    const rendered = page([])
    await Promise.all([rendered.send(), rendered.send()])
    expect(rendered.calls).toHaveLength(1)
  })
})
