import { schedules } from '@tern/contract/schedules/schedules'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { callApi } from '../../app/session/session.ts'

export type ScheduledSends = Reply<typeof schedules>

/** Everything the person has scheduled. The event stream keeps it current. */
export const schedulesQuery = (userId: number) =>
  queryOptions({
    queryKey: ['schedules', userId],
    queryFn: ({ signal }) => callApi(schedules, {}, signal),
  })

/** Asks again, after an action of the person's own. */
export const refreshSchedules = (queryClient: QueryClient, userId: number): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['schedules', userId] })
