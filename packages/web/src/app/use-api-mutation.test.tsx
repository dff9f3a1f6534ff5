import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { cancelTransfer } from '@tern/contract/transfers'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { useApiMutation } from './use-api-mutation.ts'

const { callApi } = vi.hoisted(() => ({ callApi: vi.fn() }))
vi.mock('./session/session.ts', () => ({ callApi }))

const input = { params: { id: 'a' } }
const refusal = new Refused({ code: 'not_cancelable', detail: 'It has left.', status: 409 } as Refused['problem'])
const unreachable = new Unreachable(new Error('offline'))

beforeEach(() => void callApi.mockReset().mockResolvedValue('canceled'))

interface Call {
  readonly failed?: string | ((error: unknown) => string)
  /** False if the caller ignores the reply. */
  readonly isReplyRead?: boolean
}

/** Returns the steps of one call in order, until the action is over. */
async function runCall({ failed = 'It failed.', isReplyRead = true }: Call = {}): Promise<string[]> {
  const steps: string[] = []
  const finishGate = Promise.withResolvers<void>()
  const client = new QueryClient()
  vi.spyOn(client, 'invalidateQueries').mockImplementation(async (filters) => {
    await Promise.resolve()
    steps.push(`refetched ${JSON.stringify(filters?.queryKey)}`)
  })
  let send: ReturnType<typeof useApiMutation>['send'] | undefined
  function Page() {
    send = useApiMutation({
      failed,
      refetches: [
        ['held', 'a'],
        ['wallet', 1],
      ],
      onFailed: (message) => void steps.push(message),
      onSettled() {
        steps.push('settled')
        finishGate.resolve()
      },
    }).send
    return null
  }
  renderToStaticMarkup(
    <QueryClientProvider client={client}>
      <Page />
    </QueryClientProvider>,
  )
  send?.(cancelTransfer, input, isReplyRead ? (reply) => void steps.push(`done: ${JSON.stringify(reply)}`) : undefined)
  await finishGate.promise
  return steps
}

const refetchedKeys = ['refetched ["held","a"]', 'refetched ["wallet",1]', 'settled']

describe('a mutation', () => {
  test('calls its endpoint, hands over the reply, then refetches', async () => {
    expect(await runCall()).toEqual(['done: "canceled"', ...refetchedKeys])
    expect(callApi).toHaveBeenCalledWith(cancelTransfer, input)
  })

  test('calls its endpoint also for a caller that ignores the reply', async () => {
    expect(await runCall({ isReplyRead: false })).toEqual(refetchedKeys)
    expect(callApi).toHaveBeenCalledWith(cancelTransfer, input)
  })

  test('words a refusal as the server does, and any other failure in its own words; both refetch', async () => {
    callApi.mockRejectedValueOnce(refusal)
    expect(await runCall()).toEqual(['It has left.', ...refetchedKeys])
    callApi.mockRejectedValueOnce(unreachable)
    expect(await runCall()).toEqual(['It failed.', ...refetchedKeys])
  })

  test('may word every failure itself', async () => {
    callApi.mockRejectedValueOnce(refusal)
    expect(await runCall({ failed: (error) => `Refused: ${error === refusal}` })).toEqual([
      'Refused: true',
      ...refetchedKeys,
    ])
  })
})
