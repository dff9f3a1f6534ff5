import { type QueryClient, useQuery } from '@tanstack/react-query'
import { readOwnCall } from '@tern/contract/desk/calls'
import { countQueues } from '@tern/contract/desk/queues'
import { type CurrentOperator, readMe } from '@tern/contract/desk/operators'
import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { createContext, use, useEffect } from 'react'
import { desk } from '@tern/messages/en/desk/desk'
import { call, queryKeys } from './client.ts'

export const MeContext = createContext<CurrentOperator | undefined>(undefined)

/** Returns the signed-in operator. Throws outside the frame. */
export function useMe(): CurrentOperator {
  const me = use(MeContext)
  if (!me) throw new Error('nobody is signed in')
  return me
}

/** Query for the signed-in operator; its data is null without a session. */
export const useSession = () =>
  useQuery({
    queryKey: queryKeys.me,
    queryFn: ({ signal }) =>
      call(readMe, {}, signal).catch((error: unknown) => {
        if (error instanceof Refused && error.code === 'unauthenticated') return null
        throw error
      }),
    staleTime: Infinity,
  })

/** Ends the session in the page and drops all loaded data. */
export function forgetSession(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.me[0] })
  client.setQueryData(queryKeys.me, null)
}

const countIntervalMs = 15_000

/** Query for the number of items in each queue. Polled, because counts contain no personal data. */
export const useCounts = () =>
  useQuery({
    queryKey: queryKeys.counts,
    queryFn: ({ signal }) => call(countQueues, {}, signal),
    refetchInterval: countIntervalMs,
  })

const callIntervalMs = 3000

/** The operator's own call and the number of alerts about calls; polled more often while a call is on. */
export const useOwnCall = (isPermitted: boolean) =>
  useQuery({
    queryKey: queryKeys.ownCall,
    queryFn: ({ signal }) => call(readOwnCall, {}, signal),
    refetchInterval: ({ state: { data } }) => (data?.call?.code ? callIntervalMs : countIntervalMs),
    enabled: isPermitted,
  })

export const isOffline = (error: unknown): boolean => error instanceof Unreachable

export const errorMessage = (error: unknown): string => (error instanceof Refused ? error.message : desk.offline)

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = desk.pageTitle(title)
  }, [title])
}
