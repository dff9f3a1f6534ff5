import { useQuery } from '@tanstack/react-query'
import type { NotificationGroup } from '@tern/contract/notifications/notifications'
import { useState } from 'react'
import { notifications as texts } from '#messages/home/notifications.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { classNames } from '../../ui/icon/class-names.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { describeGroup } from './group-text.ts'
import { Content, LinkRow, OpenRow } from './NotificationRow.tsx'
import { membersQuery } from './notification-queries.ts'
import { describeNotification } from './notification-text.ts'

interface RowProps {
  userId: number
  group: NotificationGroup
  /** Marks the shown notifications of the group as read and answered. */
  onRead: () => void
  /** Runs when a link leads to another page. */
  onLeave: () => void
  /** Receives the session of a login that was not the person's own. */
  onUnrecognized: (sessionId: string) => void
}

/** Row of a group of notifications: a question, a link, or a heading that expands to its notifications. */
export function GroupRow(props: RowProps) {
  const { latest, count, unread } = props.group
  const content = { text: describeGroup(props.group), at: latest.created_at, isUnread: unread > 0 }
  const close = () => {
    // A payment on hold stays open until it is confirmed, canceled or expired.
    if (latest.code !== 'street_hold' && (content.isUnread || latest.needs_action)) props.onRead()
    props.onLeave()
  }
  if (latest.needs_action && latest.answered_at === null) {
    if (latest.code === 'new_sign_in') return <LoginRow {...props} content={content} onOpenMember={close} />
    return (
      <OpenRow {...content}>
        <LinkButton look="primary" to={content.text.to} onClick={close}>
          {texts.review}
        </LinkButton>
      </OpenRow>
    )
  }
  if (count === 1) return <LinkRow {...content} onPress={close} />
  return <FoldedRow {...props} content={content} onOpenMember={close} />
}

interface FoldedRowProps extends RowProps {
  content: Parameters<typeof Content>[0]
  onOpenMember: () => void
}

function LoginRow({ userId, group, content, onRead, onOpenMember, onUnrecognized }: FoldedRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <OpenRow {...content}>
        <Button look="primary" onClick={onRead}>
          {texts.wasMe}
        </Button>
        <Button onClick={() => onUnrecognized(group.latest.subject_id ?? '')}>{texts.notMe}</Button>
        {group.count > 1 && (
          <Button
            look="ghost"
            className="notification-all"
            iconAfter="down"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? texts.showFewer : texts.showAll(group.count)}
          </Button>
        )}
      </OpenRow>
      {isOpen && <Members userId={userId} id={group.latest.id} onPress={onOpenMember} />}
    </>
  )
}

function FoldedRow({ userId, group, content, onOpenMember }: FoldedRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  const className = classNames('notification notification-fold', content.isUnread && 'notification-unread')
  return (
    <>
      <li>
        <button type="button" className={className} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <Content {...content} />
          <Icon name="next" />
        </button>
      </li>
      {isOpen && <Members userId={userId} id={group.latest.id} onPress={onOpenMember} />}
    </>
  )
}

function Members({ userId, id, onPress }: { userId: number; id: string; onPress: () => void }) {
  const [pages, setPages] = useState(1)
  const { data, isError, refetch, isPlaceholderData } = useQuery(membersQuery(userId, id, pages))
  if (isError && !data) {
    return (
      <li>
        <ErrorState title={texts.loadFailed} onRetry={() => void refetch()} />
      </li>
    )
  }
  return (
    <li className="notification-members" aria-busy={!data}>
      <ul>
        {data?.rows.map((row) => (
          <LinkRow
            key={row.id}
            text={describeNotification(row)}
            at={row.created_at}
            isUnread={row.read_at === null}
            onPress={onPress}
          />
        ))}
      </ul>
      {data?.next && (
        <Button look="ghost" wide processing={isPlaceholderData} onClick={() => setPages(pages + 1)}>
          {texts.more}
        </Button>
      )}
    </li>
  )
}
