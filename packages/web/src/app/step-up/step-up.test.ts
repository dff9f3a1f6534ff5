import { Refused } from '@tern/contract/protocol/client'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import { beforeEach, expect, test, vi } from 'vitest'
import { type Confirmation, notConfirmed, withStepUp } from './step-up.ts'

const answers: Confirmation[] = []
const requests: string[] = []
const previousSubjects: unknown[] = []

vi.mock('./prompt-step-up.tsx', () => ({
  promptStepUp: ({ id }: { id: string }, before: unknown) => {
    requests.push(id)
    previousSubjects.push(before)
    return Promise.resolve(answers.shift())
  },
}))

beforeEach(() => {
  answers.length = 0
  requests.length = 0
  previousSubjects.length = 0
})

const ids = ['01a1fe5d-15bb-71b7-a870-440dec63b5b4', '01a1fe5d-15bb-71b7-a870-440dec63b5b5'] as const

const createRefusal = (code: RefusalCode, confirmation?: object) =>
  new Refused({ type: 'about:blank', title: '', status: 403, detail: code, code, requestId: '', confirmation })

const buildRequirement = (id: string, amount = '250.00 USD') =>
  createRefusal('step_up_required', {
    id,
    action: 'send_money',
    subject: { to: 'Bruno', amount },
    expires_at: '2026-11-21T12:00:00Z',
    passkey: false,
    password: true,
    code: 'email',
    recovery_code: false,
  })

/**
 * Creates an order that is refused for each of these reasons in turn, then carried out; `confirmations` collects the
 * confirmations sent with it.
 */
function createOrder(...reasons: readonly unknown[]) {
  const confirmations: (string | undefined)[] = []
  const order = (confirmation: string | undefined) => {
    const reason = reasons[confirmations.length]
    confirmations.push(confirmation)
    return reason ? Promise.reject(reason) : Promise.resolve('done')
  }
  return { order, confirmations }
}

test('an action without step-up runs without a dialog', async () => {
  const { order, confirmations } = createOrder()
  expect(await withStepUp(order)).toBe('done')
  expect([confirmations, requests]).toEqual([[undefined], []])
})

test('an action with step-up shows the dialog, then is resent with the confirmation', async () => {
  answers.push('confirmed')
  const { order, confirmations } = createOrder(buildRequirement(ids[0]))
  const onPrompt = vi.fn()
  expect(await withStepUp(order, onPrompt)).toBe('done')
  expect([confirmations, requests]).toEqual([[undefined, ids[0]], [ids[0]]])
  expect(onPrompt).toHaveBeenCalledTimes(1)
})

test('closing the dialog ends the action without a retry', async () => {
  answers.push('cancelled')
  const { order, confirmations } = createOrder(buildRequirement(ids[0]))
  expect(await withStepUp(order)).toBe(notConfirmed)
  expect(confirmations).toEqual([undefined])
})

test('an expired confirmation, given or not, is requested again', async () => {
  answers.push('expired', 'confirmed', 'confirmed')
  const { order, confirmations } = createOrder(
    buildRequirement(ids[0]),
    buildRequirement(ids[1]),
    createRefusal('step_up_invalid'),
    buildRequirement(ids[0]),
  )
  expect(await withStepUp(order)).toBe('done')
  expect(confirmations).toEqual([undefined, undefined, ids[1], undefined, ids[0]])
  expect(requests).toEqual([ids[0], ids[1], ids[0]])
})

test('an order whose cost has changed is confirmed again, marked as changed', async () => {
  answers.push('confirmed', 'confirmed')
  const { order, confirmations } = createOrder(buildRequirement(ids[0]), buildRequirement(ids[1], '251.00 USD'))
  expect(await withStepUp(order)).toBe('done')
  expect(confirmations).toEqual([undefined, ids[0], ids[1]])
  expect(previousSubjects).toEqual([undefined, { to: 'Bruno', amount: '250.00 USD' }])
})

test('every other refusal, and an unreadable challenge, is thrown', async () => {
  await expect(withStepUp(createOrder(createRefusal('insufficient_funds')).order)).rejects.toThrow('insufficient_funds')
  await expect(withStepUp(createOrder(createRefusal('step_up_invalid')).order)).rejects.toThrow('step_up_invalid')
  await expect(withStepUp(createOrder(createRefusal('step_up_required', {})).order)).rejects.toThrow('step_up_required')
  expect(requests).toEqual([])
})
