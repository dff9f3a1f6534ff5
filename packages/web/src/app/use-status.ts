import { keepPreviousData, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { useRef, useState } from 'react'

// About two minutes in all; the provider usually answers within a second.
const pausesMs = [1000, 1000, 2000, 3000, 5000, 8000, 15_000, 15_000, 15_000, 30_000, 30_000]

/** Last answer of the server; `unknown`: the request was refused, such as for an unknown id. */
export type StatusResult<Found> = Found | 'unknown' | 'unreachable'

interface StatusQuery<Found> {
  key: QueryKey
  /** `isFirstRequest` is true for the first request of this state. */
  fetchStatus: (signal: AbortSignal, isFirstRequest: boolean) => Promise<Found>
  /** True if the state may still change. */
  isOpen: (found: Found) => boolean
  enabled?: boolean
}

/**
 * Polls a state with growing pauses while it may change, also in a hidden tab or offline. After the last pause
 * (`hasStopped`) polling stops until `refetchNow`.
 */
export function useStatus<Found extends object>({ key, fetchStatus, isOpen, enabled = true }: StatusQuery<Found>) {
  const queryClient = useQueryClient()
  const [attempt, setAttempt] = useState(0)
  const hasFetched = useRef(false)
  const queryKey = ['status', ...key, attempt]
  const isChangeable = (answer: StatusResult<Found>) =>
    typeof answer === 'object' ? isOpen(answer) : answer === 'unreachable'
  const { data, isFetching } = useQuery({
    queryKey,
    async queryFn({ signal }): Promise<StatusResult<Found>> {
      const isFirstRequest = !hasFetched.current
      hasFetched.current = true
      const answer = await fetchStatus(signal, isFirstRequest).catch((error: unknown) =>
        error instanceof Refused && error.status < 500 ? 'unknown' : 'unreachable',
      )
      signal.throwIfAborted()
      return answer
    },
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data === undefined || isChangeable(state.data)
        ? (pausesMs[Math.max(0, state.dataUpdateCount - 1)] ?? false)
        : false,
    refetchIntervalInBackground: true,
    networkMode: 'always',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  const count = queryClient.getQueryState(queryKey)?.dataUpdateCount ?? 0
  return {
    /** Undefined until the first request has ended. */
    answer: data,
    found: typeof data === 'object' ? data : undefined,
    hasStopped: data !== undefined && isChangeable(data) && !isFetching && count > pausesMs.length,
    isAsking: isFetching,
    refetchNow: () => setAttempt(attempt + 1),
  }
}
