import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { ownSplits, splitDetails } from '@tern/contract/requests/splits'
import { buildQuery } from '../../../app/session/query.ts'
import { callApi } from '../../../app/session/session.ts'

/** A page of the user's splits. Its key starts with 'requests', so the event stream keeps it current. */
export const splitsQuery = (userId: number, cursor?: string) => ({
  ...buildQuery(['requests', userId], ownSplits, { query: cursor === undefined ? {} : { cursor } }),
  placeholderData: keepPreviousData,
})

/** One split with its payments; null if the user has none with this id. */
export const splitQuery = (userId: number, id: string) =>
  queryOptions({
    queryKey: ['requests', userId, 'split', id],
    async queryFn({ signal }) {
      try {
        return await callApi(splitDetails, { params: { id } }, signal)
      } catch (error) {
        // A malformed id is refused as invalid.
        if (error instanceof Refused && (error.code === 'not_found' || error.code === 'invalid_request')) return null
        throw error
      }
    },
  })
