import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Notification, readNotification, readNotifications } from '@tern/contract/notifications/notifications'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { notifications as texts } from '#messages/home/notifications.ts'
import { shell } from '#messages/shell.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button, IconButton } from '../../ui/forms/Button.tsx'
import { daysAgo, formatDate } from '../../ui/format/format.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { paths } from '../paths.ts'
import { callApi } from '../session/session.ts'
import { useAction } from '../use-action.ts'
import { notificationsQuery } from './notification-queries.ts'
import { NotificationRow } from './NotificationRow.tsx'
import { textOf } from './notification-text.ts'

interface PanelProps {
  userId: number
  titleId: string
  unread: number
  onClose: () => void
}

/** What a person was told, by day: what waits for them first. */
export function Panel({ userId, titleId, unread, onClose }: PanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const list = useQuery(notificationsQuery(userId))
  const actions = useReading(userId)
  useEffect(() => heading.current?.focus(), [])
  const { waiting = [], others = [], next } = list.data ?? {}
  const newest = others[0]
  const row = (notification: Notification) => (
    <NotificationRow
      key={notification.id}
      notification={notification}
      onRead={() => {
        actions.read(notification.id)
        // The answered question goes, and the focus with it.
        if (notification.needs_action) heading.current?.focus()
      }}
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
        <Link
          className="button button-square"
          to={paths.notificationSettings}
          aria-label={texts.settings}
          onClick={onClose}
        >
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
        <Days notifications={others} row={row} />
        {next && <Older userId={userId} cursor={next} after={others.at(-1)} row={row} />}
      </div>
    </>
  )
}

type Row = (notification: Notification) => ReactNode

interface DaysProps {
  notifications: readonly Notification[]
  /** The one above, under whose day the first ones may stand. */
  after?: Notification | undefined
  row: Row
}

function Days({ notifications, after, row }: DaysProps) {
  return byDay(notifications).map(([day, told]) => (
    <section key={day} aria-label={day}>
      {(!after || dayOf(after) !== day) && <h3>{day}</h3>}
      <ul>
        {byPerson(told).map((group) => (
          <Group key={group[0]?.id} group={group} row={row} />
        ))}
      </ul>
    </section>
  ))
}

/** What one person did, one thing after another: the newest, and the others when they are asked for. */
function Group({ group: [newest, ...others], row }: { group: readonly Notification[]; row: Row }) {
  const [isOpen, setIsOpen] = useState(false)
  if (!newest) return null
  const name = textOf(newest).name ?? ''
  const hasUnread = others.some(({ read_at: readAt }) => readAt === null)
  return (
    <>
      {row(newest)}
      {others.length > 0 && (
        <li className={classNames('notification-group', hasUnread && !isOpen && 'notification-unread')}>
          <Button look="ghost" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {hasUnread && <span className="visually-hidden">{texts.unread} </span>}
            {texts.moreFrom(others.length, name)}
          </Button>
        </li>
      )}
      {isOpen && others.map(row)}
    </>
  )
}

/** The pages after this place, each once it is asked for. */
function Older({ userId, cursor, after, row }: { userId: number; cursor: string } & Pick<DaysProps, 'after' | 'row'>) {
  const [isWanted, setIsWanted] = useState(false)
  const { data, isError, refetch } = useQuery({ ...notificationsQuery(userId, cursor), enabled: isWanted })
  if (isWanted && isError && !data) return <ErrorState title={texts.loadFailed} onRetry={() => void refetch()} />
  if (!data) {
    return (
      <div className="notifications-more">
        <Button look="ghost" wide processing={isWanted} onClick={() => setIsWanted(true)}>
          {texts.more}
        </Button>
      </div>
    )
  }
  return (
    <>
      <Days notifications={data.others} after={after} row={row} />
      {data.next && <Older userId={userId} cursor={data.next} after={data.others.at(-1)} row={row} />}
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

function dayOf({ created_at: at }: Notification): string {
  const ago = daysAgo(at)
  return ago === 0 ? shell.today : ago === 1 ? shell.yesterday : formatDate(at)
}

/** The notifications under the days on which they came. */
function byDay(all: readonly Notification[]): readonly (readonly [string, readonly Notification[]])[] {
  const days = new Map<string, Notification[]>()
  for (const notification of all) {
    const day = dayOf(notification)
    days.set(day, [...(days.get(day) ?? []), notification])
  }
  return [...days]
}

/** From how many on the notifications about one person fold into a group. */
const fewestOfGroup = 3

/** Notifications that follow one another and are about one person, together where they are many; others alone. */
function byPerson(told: readonly Notification[]): readonly (readonly Notification[])[] {
  const runs: Notification[][] = []
  for (const notification of told) {
    const last = runs.at(-1)
    const { name } = textOf(notification)
    if (last?.[0] && name !== undefined && textOf(last[0]).name === name) last.push(notification)
    else runs.push([notification])
  }
  return runs.flatMap((run) => (run.length < fewestOfGroup ? run.map((notification) => [notification]) : [run]))
}
