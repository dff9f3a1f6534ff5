import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { createSchedule } from '@tern/contract/schedules/schedules'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useKeyedCall } from './use-keyed-call.ts'

const { callApi } = vi.hoisted(() => ({ callApi: vi.fn() }))
vi.mock('../session/session.ts', () => ({ callApi }))

const unreachable = new Unreachable(new Error('offline'))
const createRefusal = (code: string, status: number) =>
  new Refused({ code, detail: code, status } as unknown as Refused['problem'])

beforeEach(() => {
  vi.useFakeTimers()
  callApi.mockReset().mockResolvedValue('created')
})
afterEach(() => void vi.useRealTimers())

/** Form that creates a schedule; `keys` are those of its calls. */
function createForm() {
  let call: ReturnType<typeof useKeyedCall> | undefined
  function Page() {
    call = useKeyedCall()
    return null
  }
  renderToStaticMarkup(<Page />)
  return {
    async create(amount: string, confirmation?: string) {
      const createCall = call?.(createSchedule, { body: { amount } as never, confirmation })
      const settledCalls = Promise.allSettled([createCall])
      await vi.runAllTimersAsync()
      return (await settledCalls)[0]
    },
    keys: () => callApi.mock.calls.map(([, { idempotencyKey }]) => idempotencyKey as string),
  }
}

test('a lost answer is asked for again under the same key, which ends with the reply', async () => {
  const page = createForm()
  callApi.mockRejectedValueOnce(unreachable).mockRejectedValueOnce(unreachable)
  expect(await page.create('5.00')).toEqual({ status: 'fulfilled', value: 'created' })
  await page.create('5.00')
  const [first, ...rest] = page.keys()
  expect(rest.slice(0, 2)).toEqual([first, first])
  expect(rest[2]).not.toBe(first)
})

test('a repeated press keeps the key of an open call; another body, or a final refusal, takes a new one', async () => {
  const page = createForm()
  callApi.mockRejectedValue(unreachable)
  await page.create('5.00')
  await page.create('5.00')
  await page.create('6.00')
  const keys = page.keys()
  expect(new Set(keys.slice(0, 6)).size).toBe(1)
  expect(keys[6]).not.toBe(keys[0])
  callApi.mockReset().mockRejectedValue(createRefusal('invalid_request', 422))
  await page.create('6.00')
  await page.create('6.00')
  expect(new Set(page.keys()).size).toBe(2)
})

test('a step-up keeps the key', async () => {
  const page = createForm()
  callApi.mockRejectedValueOnce(createRefusal('step_up_required', 403))
  expect((await page.create('5.00')).status).toBe('rejected')
  await page.create('5.00', 'confirmed')
  const [first, second] = page.keys()
  expect(second).toBe(first)
})
