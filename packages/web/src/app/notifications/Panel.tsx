import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { type Notification, readNotification, readNotifications } from '@tern/contract/notifications/notifications'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { notifications as texts } from '#messages/home/notifications.ts'
import { shell } from '#messages/shell.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button, IconButton } from '../../ui/forms/Button.tsx'
import { daysAgo, formatDate } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { paths } from '../paths.ts'
import { callApi } from '../session/session.ts'
import { useAction } from '../use-action.ts'
import { notificationsQuery } from './notification-queries.ts'
import { NotificationRow } from './NotificationRow.tsx'

interface PanelProps {
  userId: number
  titleId: string
  unread: number
  onClose: () => void
}

/** What a person was told, by day: what waits for them first. */
export function Panel({ userId, titleId, unread, onClose }: PanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const list = useInfiniteQuery(notificationsQuery(userId))
  const actions = useReading(userId)
  useEffect(() => heading.current?.focus(), [])
  const pages = list.data?.pages ?? []
  const waiting = pages[0]?.waiting ?? []
  const others = pages.flatMap((page) => page.others)
  const newest = others[0]
  const row = (notification: Notification) => (
    <NotificationRow
      key={notification.id}
      notification={notification}
      onRead={() => actions.read(notification.id)}
      onLeave={onClose}
    />
  )
  return (
    <>
      <div className="notifications-top">
        <h2 ref={heading} className="display-s" id={titleId} tabIndex={-1}>
          {texts.title}
        </h2>
        {newest && unread > waiting.length && (
          <Button look="ghost" processing={actions.isBusy} onClick={() => actions.readUpTo(newest.id)}>
            {texts.markAll}
          </Button>
        )}
        <Link className="button button-square" to={paths.settings} aria-label={texts.settings} onClick={onClose}>
          <Icon name="settings" />
        </Link>
        <IconButton className="narrow-only" icon="cross" label={texts.close} onClick={onClose} />
      </div>
      <div className="notifications-list">
        {list.isPending && (
          <div className="px-5">
            <ActivitySkeleton rows={4} />
          </div>
        )}
        {list.isError && !list.data && (
          <div className="px-5">
            <ErrorState title={texts.loadFailed} onRetry={() => void list.refetch()} />
          </div>
        )}
        {list.data && waiting.length + others.length === 0 && (
          <EmptyState title={texts.emptyTitle} text={texts.emptyText} />
        )}
        {waiting.length > 0 && <h3>{texts.needsYou}</h3>}
        {waiting.length > 0 && <ul>{waiting.map(row)}</ul>}
        {byDay(others).map(([day, told]) => (
          <section key={day} aria-label={day}>
            <h3>{day}</h3>
            <ul>{told.map(row)}</ul>
          </section>
        ))}
        {list.hasNextPage && (
          <div className="notifications-more">
            <Button look="ghost" wide processing={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {texts.more}
            </Button>
          </div>
        )}
      </div>
    </>
  )
}

/** Marking as read; the list and the count follow from the server. */
function useReading(userId: number) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const action = useAction({ sentenceOf: () => texts.actionFailed })
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['notifications', userId] })
  const read = (id: string) => {
    callApi(readNotification, { params: { id } }).then(refresh, () => toast(texts.actionFailed, 'warning'))
  }
  const readUpTo = (id: string) =>
    action.run(async () => {
      await callApi(readNotifications, { body: { up_to: id } })
      await refresh()
    })
  return { read, readUpTo, isBusy: action.isBusy }
}

/** The notifications under the days on which they came. */
function byDay(all: readonly Notification[]): readonly (readonly [string, readonly Notification[]])[] {
  const days = new Map<string, Notification[]>()
  for (const notification of all) {
    const ago = daysAgo(notification.created_at)
    const day = ago === 0 ? shell.today : ago === 1 ? shell.yesterday : formatDate(notification.created_at)
    days.set(day, [...(days.get(day) ?? []), notification])
  }
  return [...days]
}
