import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { ownSplits, splitDetails } from '@tern/contract/requests/splits'
import { callApi } from '../../../app/session/session.ts'

/** A page of the person's splits. The event stream keeps it current, as it does everything about requests. */
export const splitsQuery = (userId: number, cursor?: string) =>
  queryOptions({
    queryKey: ['requests', userId, 'splits', cursor],
    queryFn: ({ signal }) => callApi(ownSplits, { query: cursor === undefined ? {} : { cursor } }, signal),
    placeholderData: keepPreviousData,
  })

/** One split with who has paid. Null: the person has none with this id. */
export const splitQuery = (userId: number, id: string) =>
  queryOptions({
    queryKey: ['requests', userId, 'split', id],
    async queryFn({ signal }) {
      try {
        return await callApi(splitDetails, { params: { id } }, signal)
      } catch (error) {
        // An id that is none is refused as invalid.
        if (error instanceof Refused && (error.code === 'not_found' || error.code === 'invalid_request')) return null
        throw error
      }
    },
  })
