import { keepPreviousData, type QueryKey, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'

// About two minutes in all; the provider usually answers within a second.
const pausesMs = [1000, 1000, 2000, 3000, 5000, 8000, 15_000, 15_000, 15_000, 30_000, 30_000]

/** How something stands, asked again with growing pauses while `isOpen`, also when the tab is hidden or offline. */
export const statusQuery = <Status>(
  key: QueryKey,
  ask: (signal: AbortSignal) => Promise<Status>,
  isOpen: (status: Status) => boolean,
) =>
  queryOptions({
    queryKey: ['status', ...key],
    queryFn: ({ signal }) => ask(signal),
    refetchInterval: ({ state }) => {
      if (state.data !== undefined && !isOpen(state.data)) return false
      return pausesMs[Math.max(0, state.dataUpdateCount + state.errorUpdateCount - 1)] ?? false
    },
    refetchIntervalInBackground: true,
    networkMode: 'always',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })

interface Question<Status> {
  key: QueryKey
  /** Gives failures as a status too, and throws nothing. `isFirst`: nobody has asked before. */
  ask: (signal: AbortSignal, isFirst: boolean) => Promise<Status>
  isOpen: (status: Status) => boolean
  enabled?: boolean
}

/** Follows how something stands. After the last pause (`isTired`) nobody asks until `askAgain`. */
export function useStatus<Status>({ key, ask, isOpen, enabled = true }: Question<Status>) {
  const queryClient = useQueryClient()
  const [round, setRound] = useState(0)
  const wasAsked = useRef(false)
  const askNow = async (signal: AbortSignal) => {
    const isFirst = !wasAsked.current
    wasAsked.current = true
    const status = await ask(signal, isFirst)
    signal.throwIfAborted()
    return status
  }
  const options = statusQuery([...key, round], askNow, isOpen)
  const { data, isFetching } = useQuery({ ...options, enabled, placeholderData: keepPreviousData })
  const count = queryClient.getQueryState(options.queryKey)?.dataUpdateCount ?? 0
  return {
    status: data,
    isTired: data !== undefined && isOpen(data) && !isFetching && count > pausesMs.length,
    isAsking: isFetching,
    askAgain: () => setRound(round + 1),
  }
}
