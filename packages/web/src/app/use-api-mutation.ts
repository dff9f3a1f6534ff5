import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import type { CallInput, Endpoint, ExactInput, Reply } from '@tern/contract/protocol/endpoint'
import { callApi } from './session/session.ts'
import { type Action, useAction } from './use-action.ts'

interface Mutation extends Action {
  /** Beginnings of the keys of queries that are refetched after each attempt. */
  refetches?: readonly QueryKey[]
}

/** Changes data on the server: `send` makes a single call, `run` several, or one with a step-up. */
export function useApiMutation({ refetches = [], onSettled, ...action }: Mutation) {
  const queryClient = useQueryClient()
  const { run, isBusy, error } = useAction({
    ...action,
    async onSettled() {
      await Promise.all(refetches.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
      await onSettled?.()
    },
  })
  return {
    run,
    send: <E extends Endpoint, I extends CallInput<E>>(
      endpoint: E,
      input: I & ExactInput<E, I>,
      onDone?: (reply: Reply<E>) => unknown,
    ) =>
      run(async () => {
        const reply = await callApi(endpoint, input)
        await onDone?.(reply)
      }),
    isBusy,
    error,
  }
}
