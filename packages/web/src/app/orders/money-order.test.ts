import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { type RefusalCode, refusalStatus } from '@tern/contract/protocol/refusal'
import { refusals } from '@tern/messages/en/problems'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Confirmation } from '../step-up/step-up.ts'
import { createMoneyOrder, type OrderKind, type OrderState } from './money-order.ts'
import type { PersistedOrder } from './persisted-order.ts'

const answers: Confirmation[] = []
vi.mock('../step-up/ask-for-step-up.tsx', () => ({ askForStepUp: () => Promise.resolve(answers.shift()) }))
const visited: string[] = []
vi.mock('../provider-page.ts', () => ({
  goToProvider: (address: string) => void visited.push(address),
  usePageBack: () => undefined,
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
const refused = (code: RefusalCode, extra: object = {}) =>
  new Refused({
    type: 'about:blank',
    title: code,
    status: refusalStatus(code),
    detail: refusals[code],
    code,
    requestId: 'r',
    ...extra,
  })
const unreachable = new Unreachable(undefined)
const stepUp = refused('step_up_required', { confirmation: requirement })

/** Creates a page whose server answers with `replies` in turn, then carries out every order. */
function page(replies: unknown[], left?: PersistedOrder<Order>, part: Partial<OrderKind<Order, string>> = {}) {
  const given: OrderOptions[] = []
  const states: OrderState<Order>[] = []
  let stored = left
  let isHere = true
  const kind: OrderKind<Order, string> = {
    store: {
      read: () => stored,
      keep: (kept) => void (stored = kept),
      drop: (key) => void (stored = stored?.idempotencyKey === key ? undefined : stored),
    },
    buildBody: ({ amount }) => ({ amount }),
    async call(sent, keys) {
      expect(part.isCharging?.(sent) === false || stored?.idempotencyKey === keys.idempotencyKey).toBe(true)
      given.push({ order: sent, ...keys })
      const reply = replies.length > 0 ? replies.shift() : 'done'
      if (reply instanceof Error) throw reply
      return reply as string
    },
    onReply: () => undefined,
    onFailure: (error) => ({ detail: (error as Error).message }),
    ...part,
  }
  const machine = createMoneyOrder(left, {
    kind: () => kind,
    isCurrentPage: () => isHere,
    setState: (state) => void states.push(state),
  })
  return {
    given,
    states,
    stored: () => stored,
    leave: () => void (isHere = false),
    last: () => states.at(-1)?.status,
    async send(wanted: Order = order) {
      const sent = machine.send(wanted)
      await vi.runAllTimersAsync()
      await sent
    },
  }
}
const listKeys = (given: readonly OrderOptions[]) => [...new Set(given.map(({ idempotencyKey }) => idempotencyKey))]

beforeEach(() => {
  vi.useFakeTimers()
  answers.length = 0
  visited.length = 0
})
afterEach(() => void vi.useRealTimers())

describe('an order whose answer is lost', () => {
  it('is resent with its key, and stays stored with an unknown outcome until it is answered', async () => {
    const rendered = page([unreachable, unreachable, unreachable])
    await rendered.send()
    expect(rendered.states.at(-1)).toEqual({ status: 'unknown', order })
    expect(rendered.stored()?.order).toEqual(order)
    await rendered.send({ amount: '9.00' })
    expect(rendered.given.map((given) => given.order.amount)).toEqual(['5.00', '5.00', '5.00', '5.00'])
    expect(listKeys(rendered.given)).toHaveLength(1)
    expect(rendered.last()).toBe('idle')
    expect(rendered.stored()).toBeUndefined()
  })

  it('is resent under the same key after a reload, even if the form has changed', async () => {
    const rendered = page([], { idempotencyKey: oldKey, order })
    await rendered.send({ amount: '9.00' })
    expect(rendered.given).toMatchObject([{ order, idempotencyKey: oldKey }])
    await rendered.send()
    expect(listKeys(rendered.given)).toHaveLength(2)
  })

  it('stays unknown when its retry is turned away undecided', async () => {
    const rendered = page([refused('rate_limited')], { idempotencyKey: oldKey, order })
    await rendered.send()
    expect(rendered.last()).toBe('unknown')
    expect(rendered.stored()?.idempotencyKey).toBe(oldKey)
  })

  it('ends with a final refusal, and the next order has another key', async () => {
    const rendered = page([unreachable, refused('insufficient_funds')])
    await rendered.send()
    expect(rendered.last()).toBe('failed')
    expect(rendered.stored()).toBeUndefined()
    await rendered.send()
    expect(listKeys(rendered.given)).toHaveLength(2)
  })

  it('is a plain failure under the same key if no charge was possible', async () => {
    const rendered = page([unreachable, unreachable, unreachable], undefined, { isCharging: () => false })
    await rendered.send()
    expect(rendered.last()).toBe('failed')
    expect(rendered.stored()).toBeUndefined()
    await rendered.send()
    expect(listKeys(rendered.given)).toHaveLength(1)
  })
})

describe('an order that was turned away', () => {
  it('keeps its key if it was undecided', async () => {
    const rendered = page([refused('rate_limited')])
    await rendered.send()
    expect(rendered.last()).toBe('failed')
    expect(rendered.stored()).toBeUndefined()
    await rendered.send()
    expect(listKeys(rendered.given)).toHaveLength(1)
  })

  it('has an unknown outcome for the problem types listed', async () => {
    const rendered = page([refused('provider_unavailable')], undefined, { isOutcomeUnknown: () => true })
    await rendered.send()
    expect(rendered.last()).toBe('unknown')
  })

  it('shows no message if there is none', async () => {
    const rendered = page([refused('quote_expired')], undefined, { onFailure: () => undefined })
    await rendered.send()
    expect(rendered.last()).toBe('idle')
  })
})

describe('an order that has to be confirmed', () => {
  it('is resent with the confirmation, under the same key', async () => {
    answers.push('confirmed')
    const rendered = page([stepUp])
    await rendered.send()
    expect(rendered.given.map(({ confirmation }) => confirmation)).toEqual([undefined, requirement.id])
    expect(listKeys(rendered.given)).toHaveLength(1)
    expect(rendered.last()).toBe('idle')
  })

  it('had no effect if the confirmation is dismissed, and is no longer stored', async () => {
    answers.push('cancelled')
    const rendered = page([stepUp])
    await rendered.send()
    expect(rendered.last()).toBe('unconfirmed')
    expect(rendered.stored()).toBeUndefined()
  })

  it('stays unknown if the confirmation is dismissed after a lost answer', async () => {
    answers.push('cancelled')
    const rendered = page([unreachable, stepUp])
    await rendered.send()
    expect(rendered.last()).toBe('unknown')
    expect(rendered.stored()?.order).toEqual(order)
  })
})

describe('an order that is answered', () => {
  it('is removed from the store before its consequences, and shows failures of these', async () => {
    const rendered = page([], undefined, {
      onReply: () => {
        expect(rendered.stored()).toBeUndefined()
        return { detail: 'declined' }
      },
    })
    await rendered.send()
    expect(rendered.states.at(-1)).toEqual({ status: 'failed', failure: { detail: 'declined' } })
    await rendered.send()
    expect(listKeys(rendered.given)).toHaveLength(2)
  })

  it('redirects to the provider, unless the user has navigated away', async () => {
    const rendered = page([], undefined, { onReply: () => ({ leaveFor: 'https://pay.example/1' }) })
    await rendered.send()
    expect(visited).toEqual(['https://pay.example/1'])
    expect(rendered.last()).toBe('sending')
    rendered.leave()
    await rendered.send()
    expect(visited).toHaveLength(1)
  })

  it('is sent once, for any number of presses', async () => {
    const rendered = page([])
    await Promise.all([rendered.send(), rendered.send()])
    expect(rendered.given).toHaveLength(1)
  })
})
