import type { CallInput } from '@tern/contract/protocol/endpoint'
import { ownRequests } from '@tern/contract/requests/requests'
import { keepPreviousData, type QueryClient } from '@tanstack/react-query'
import { buildQuery } from '../../app/session/query.ts'

type Query = NonNullable<CallInput<typeof ownRequests>['query']>

/** A page of the user's requests, kept current by the event stream. */
export const requestsQuery = (userId: number, query: Query) => ({
  ...buildQuery(['requests', userId], ownRequests, { query }),
  placeholderData: keepPreviousData,
})

export const refreshRequests = (queryClient: QueryClient, userId: number): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['requests', userId] })
