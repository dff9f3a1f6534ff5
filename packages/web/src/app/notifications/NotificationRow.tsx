import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { notifications as texts } from '#messages/home/notifications.ts'
import { daysAgo, formatDate, formatTime } from '../../ui/format/format.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { Drawing } from '../../ui/icon/Icon.tsx'
import { Avatar } from '../../ui/layout/Avatar.tsx'
import type { NotificationText } from './notification-text.ts'

const devices = {
  computer: 'M5 6h14v10H5zM3 19h18',
  phone: 'M8 3.5h8v17H8zM11 17.5h2',
}

export interface RowContent {
  text: NotificationText
  at: string
  isUnread: boolean
}

/** Sentence, details and time of a notification or a group, without its actions. */
export function Content({ text, at, isUnread }: RowContent) {
  const { sentence, name, details, amount, icon, device } = text
  const [before = '', after] = name ? sentence.split(name, 2) : [sentence]
  const isPerson = name !== undefined && name !== texts.summaryName
  return (
    <>
      {device ? (
        <span className="avatar" aria-hidden="true">
          <Drawing name={device} path={devices[device]} />
        </span>
      ) : (
        <Avatar name={isPerson ? name : undefined} icon={icon} />
      )}
      <span>
        <span className="notification-sentence">
          {isUnread && <span className="visually-hidden">{texts.unread} </span>}
          {before}
          {after !== undefined && <b>{name}</b>}
          {after}
        </span>
        <span className="notification-details">
          {details && <>{details} · </>}
          <time dateTime={at}>{daysAgo(at) === 0 ? formatTime(at) : formatDate(at)}</time>
        </span>
      </span>
      {amount && <span className="notification-amount">+{amount}</span>}
    </>
  )
}

/** Notification that links to its subject. */
export function LinkRow({ onPress, ...content }: RowContent & { onPress: () => void }) {
  const className = classNames('notification', content.isUnread && 'notification-unread')
  return (
    <li>
      <Link className={className} to={content.text.to} onClick={onPress}>
        <Content {...content} />
      </Link>
    </li>
  )
}

/** Notification that needs an answer, with its buttons. */
export function OpenRow({ children, ...content }: RowContent & { children: ReactNode }) {
  return (
    <li>
      <div className={classNames('notification notification-open', content.isUnread && 'notification-unread')}>
        <Content {...content} />
        <span className="notification-answers">{children}</span>
      </div>
    </li>
  )
}
