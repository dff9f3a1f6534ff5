import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Notification, notifications } from '@tern/contract/notifications/notifications'
import { notificationParams } from '@tern/contract/notifications/notification-params'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { callApi } from '../session/session.ts'

/** A page of a person's notifications, newest first: the first one, or that after `cursor`. The event stream keeps it current. */
export const notificationsQuery = (userId: number, cursor?: string) =>
  queryOptions({
    queryKey: ['notifications', userId, 'list', cursor],
    async queryFn({ signal }) {
      const page = await callApi(notifications, { query: cursor ? { cursor } : {} }, signal)
      return {
        waiting: page.needs_action.flatMap((one) => knownOf(one) ?? []),
        others: page.notifications.flatMap((one) => knownOf(one) ?? []),
        next: page.next_cursor,
      }
    },
    placeholderData: keepPreviousData,
  })

type OnTheWire = Reply<typeof notifications>['notifications'][number]

/** A notification with the parameters of its code; undefined when they are not what this page understands. */
function knownOf(told: OnTheWire): Notification | undefined {
  const params = notificationParams[told.code].safeParse(told.params)
  return params.success ? ({ ...told, params: params.data } as Notification) : undefined
}
