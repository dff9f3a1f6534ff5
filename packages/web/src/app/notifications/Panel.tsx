import '../../css/notification-list.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type NotificationGroup, readNotification, readNotifications } from '@tern/contract/notifications/notifications'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { notifications as texts } from '#messages/home/notifications.ts'
import { shell } from '#messages/shell.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button, IconButton } from '../../ui/forms/Button.tsx'
import { daysAgo } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { paths } from '../paths.ts'
import { callApi } from '../session/session.ts'
import { GroupRow } from './GroupRow.tsx'
import { groupsQuery } from './notification-queries.ts'
import { unreadQuery } from './unread-query.ts'

interface PanelProps {
  userId: number
  titleId: string
  unread: number
  onClose: () => void
  onUnrecognized: (sessionId: string) => void
}

/** A person's notifications in groups: those that need an answer first, then today's, then earlier ones. */
export function Panel({ userId, titleId, unread, onClose, onUnrecognized }: PanelProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [pages, setPages] = useState(1)
  const list = useQuery(groupsQuery(userId, pages))
  const readMutation = useReading(userId)
  useEffect(() => heading.current?.focus(), [])
  const { rows: groups = [], next } = list.data ?? {}
  const sections = groupSections(groups)
  const newest = findNewest(groups)
  const answer = ({ latest }: NotificationGroup) => {
    readMutation.read(latest.id)
    // The focused question is removed once it is answered.
    if (latest.needs_action) heading.current?.focus()
  }
  return (
    <>
      <PanelTop
        heading={heading}
        titleId={titleId}
        onClose={onClose}
        onReadAll={
          newest && unread > 0
            ? () => {
                readMutation.readUpTo(newest)
                heading.current?.focus()
              }
            : undefined
        }
      />
      <div className="notifications-list">
        {!list.data && (
          <div className="px-5">
            <DataShell query={list} skeleton={<ActivitySkeleton rows={4} />} failed={texts.loadFailed} />
          </div>
        )}
        {list.data && sections.length === 0 && <EmptyState title={texts.emptyTitle} text={texts.emptyText} />}
        {sections.map((section) => (
          <section key={section.title} aria-label={section.title}>
            <h3>{section.title}</h3>
            <ul>
              {section.groups.map((group) => (
                <GroupRow
                  key={group.latest.id}
                  userId={userId}
                  group={group}
                  onRead={() => answer(group)}
                  onLeave={onClose}
                  onUnrecognized={onUnrecognized}
                />
              ))}
            </ul>
          </section>
        ))}
        {next && (
          <div className="notifications-more">
            <Button look="ghost" wide processing={list.isPlaceholderData} onClick={() => setPages(pages + 1)}>
              {texts.more}
            </Button>
          </div>
        )}
      </div>
    </>
  )
}

interface PanelTopProps {
  heading: RefObject<HTMLHeadingElement | null>
  titleId: string
  onClose: () => void
  /** Undefined if nothing is unread or the list has not loaded. */
  onReadAll: (() => void) | undefined
}

function PanelTop({ heading, titleId, onClose, onReadAll }: PanelTopProps) {
  return (
    <div className="notifications-top">
      <h2 ref={heading} className="display-s" id={titleId} tabIndex={-1}>
        {texts.title}
      </h2>
      {onReadAll && (
        <Button look="ghost" onClick={onReadAll}>
          {texts.markAll}
        </Button>
      )}
      <Link
        className="button button-square wide-only"
        to={paths.notificationSettings}
        aria-label={texts.settings}
        onClick={onClose}
      >
        <Icon name="settings" />
      </Link>
      <IconButton className="narrow-only" icon="cross" label={texts.close} onClick={onClose} />
    </div>
  )
}

const isOpen = ({ latest }: NotificationGroup): boolean => latest.needs_action && latest.answered_at === null
const isFromToday = ({ latest }: NotificationGroup): boolean => daysAgo(latest.created_at) === 0

function groupSections(groups: readonly NotificationGroup[]) {
  const otherGroups = groups.filter((group) => !isOpen(group))
  return [
    { title: texts.needsYou, groups: groups.filter(isOpen) },
    { title: shell.today, groups: otherGroups.filter(isFromToday) },
    { title: texts.earlier, groups: otherGroups.filter((group) => !isFromToday(group)) },
  ].filter((section) => section.groups.length > 0)
}

/** Ids begin with their time, so the greatest is the newest. */
const findNewest = (groups: readonly NotificationGroup[]): string | undefined =>
  groups
    .map(({ latest }) => latest.id)
    .toSorted()
    .at(-1)

/** Marks notifications as read. Lists and count reload from the server; marking all clears the count at once. */
function useReading(userId: number) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const refreshAfter = (call: Promise<unknown>) => {
    call
      .catch(() => toast(texts.actionFailed, 'warning'))
      .then(() => queryClient.invalidateQueries({ queryKey: ['notifications', userId] }))
      .catch(() => undefined)
  }
  return {
    read: (id: string) => refreshAfter(callApi(readNotification, { params: { id } })),
    readUpTo: (id: string) => {
      queryClient.setQueryData(unreadQuery(userId).queryKey, { unread: 0 })
      refreshAfter(callApi(readNotifications, { body: { up_to: id } }))
    },
  }
}
