import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import {
  type Notification,
  type NotificationGroup,
  notificationGroups,
  notifications,
} from '@tern/contract/notifications/notifications'
import { notificationParams } from '@tern/contract/notifications/notification-params'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { callApi } from '../session/session.ts'

/** First `pages` pages of a person's notification groups: those that need an answer, then the others, newest first. */
export const groupsQuery = (userId: number, pages: number) =>
  queryOptions({
    queryKey: ['notifications', userId, 'groups', pages],
    queryFn: ({ signal }) =>
      readPages(pages, async (cursor) => {
        const page = await callApi(notificationGroups, { query: cursor ? { cursor } : {} }, signal)
        const parsed = [...page.needs_action, ...page.groups].flatMap((group) => parseGroup(group) ?? [])
        return { rows: parsed, next: page.next_cursor }
      }),
    placeholderData: keepPreviousData,
  })

/** First `pages` pages of the group of notification `id`: those that need an answer, then the others, newest first. */
export const membersQuery = (userId: number, id: string, pages: number) =>
  queryOptions({
    queryKey: ['notifications', userId, 'group', id, pages],
    queryFn: ({ signal }) =>
      readPages(pages, async (cursor) => {
        const query = cursor ? { group: id, cursor } : { group: id }
        const page = await callApi(notifications, { query }, signal)
        const all = [...page.needs_action, ...page.notifications]
        return { rows: all.flatMap((row) => parseNotification(row) ?? []), next: page.next_cursor }
      }),
    placeholderData: keepPreviousData,
  })

interface Page<Row> {
  readonly rows: readonly Row[]
  /** Null on the last page. */
  readonly next: string | null
}

async function readPages<Row>(
  pages: number,
  readPage: (cursor: string | null) => Promise<Page<Row>>,
): Promise<Page<Row>> {
  let firstPage = await readPage(null)
  for (let page = 1; page < pages && firstPage.next !== null; page += 1) {
    const { rows, next } = await readPage(firstPage.next)
    firstPage = { rows: [...firstPage.rows, ...rows], next }
  }
  return firstPage
}

type ReceivedNotification = Reply<typeof notifications>['notifications'][number]

/** Notification with the parameters of its code; undefined if this version of the page does not know them. */
function parseNotification(received: ReceivedNotification): Notification | undefined {
  const schema: (typeof notificationParams)[typeof received.code] | undefined = notificationParams[received.code]
  const params = schema?.safeParse(received.params)
  return params?.success ? ({ ...received, params: params.data } as Notification) : undefined
}

function parseGroup(group: Reply<typeof notificationGroups>['groups'][number]): NotificationGroup | undefined {
  const latest = parseNotification(group.latest)
  return latest && { ...group, latest }
}
