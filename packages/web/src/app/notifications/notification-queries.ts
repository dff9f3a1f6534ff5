import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Notification, notifications } from '@tern/contract/notifications/notifications'
import { notificationParams } from '@tern/contract/notifications/notification-params'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { callApi } from '../session/session.ts'

/** A person's notifications, newest first, page after page. */
export const notificationsQuery = (userId: number) =>
  infiniteQueryOptions({
    queryKey: ['notifications', userId, 'list'],
    async queryFn({ pageParam, signal }) {
      const page = await callApi(notifications, { query: pageParam === '' ? {} : { cursor: pageParam } }, signal)
      return {
        waiting: page.needs_action.flatMap((one) => knownOf(one) ?? []),
        others: page.notifications.flatMap((one) => knownOf(one) ?? []),
        cursor: page.next_cursor,
      }
    },
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
  })

type OnTheWire = Reply<typeof notifications>['notifications'][number]

/** A notification with the parameters of its code; undefined when they are not what this page understands. */
function knownOf(told: OnTheWire): Notification | undefined {
  const params = notificationParams[told.code].safeParse(told.params)
  return params.success ? ({ ...told, params: params.data } as Notification) : undefined
}
