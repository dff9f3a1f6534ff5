import { schedules } from '@tern/contract/schedules/schedules'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { callApi } from '../../app/session/session.ts'

export type ScheduledSends = Reply<typeof schedules>

/** The user's schedules. The event stream keeps them current. */
export const schedulesQuery = (userId: number) =>
  queryOptions({
    queryKey: ['schedules', userId],
    queryFn: ({ signal }) => callApi(schedules, {}, signal),
  })

export const refreshSchedules = (queryClient: QueryClient, userId: number): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['schedules', userId] })
