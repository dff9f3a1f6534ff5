import type { Notification } from '@tern/contract/notifications/notifications'
import { reportUnrecognizedSession } from '@tern/contract/security'
import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import { notifications as texts } from '#messages/home/notifications.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { formatTime } from '../../ui/format/format.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { Avatar } from '../../ui/layout/Avatar.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { callApi, signOut } from '../session/session.ts'
import { type NotificationText, textOf } from './notification-text.ts'

const ConfirmDialog = lazyComponent(() => import('../../ui/layout/ConfirmDialog.tsx'), 'ConfirmDialog')

interface RowProps {
  notification: Notification
  onRead: () => void
  /** It led to another page. */
  onLeave: () => void
}

/** A notification: a link to what it is about, or a question to answer. */
export function NotificationRow({ notification, onRead, onLeave }: RowProps) {
  const text = textOf(notification)
  const isUnread = notification.read_at === null
  const className = classNames('notification', isUnread && 'notification-unread')
  const content = <Content text={text} notification={notification} />
  if (notification.needs_action && isUnread && notification.code === 'new_sign_in') {
    return (
      <li>
        <div className={classNames(className, 'notification-alert')}>
          {content}
          <Answers sessionId={notification.subject_id ?? ''} onMine={onRead} />
        </div>
      </li>
    )
  }
  const leave = () => {
    if (isUnread) onRead()
    onLeave()
  }
  return (
    <li>
      <Link className={className} to={text.to} onClick={leave}>
        {content}
      </Link>
    </li>
  )
}

function Content({ text, notification }: { text: NotificationText; notification: Notification }) {
  const { sentence, name, details, amount, icon } = text
  const [before = '', after] = name ? sentence.split(name, 2) : [sentence]
  return (
    <>
      <Avatar name={name} icon={icon} />
      <span>
        <span className="notification-sentence">
          {notification.read_at === null && <span className="visually-hidden">{texts.unread} </span>}
          {before}
          {after !== undefined && <b>{name}</b>}
          {after}
        </span>
        <span className="notification-details">
          {details && <>{details} · </>}
          <time dateTime={notification.created_at}>{formatTime(notification.created_at)}</time>
        </span>
      </span>
      {amount && <span className="notification-amount">+{amount}</span>}
    </>
  )
}

/** Whether a login was one's own. */
function Answers({ sessionId, onMine }: { sessionId: string; onMine: () => void }) {
  const [isAsking, setIsAsking] = useState(false)
  const toast = useToast()
  const report = async () => {
    await callApi(reportUnrecognizedSession, { params: { id: sessionId } })
    await signOut()
  }
  return (
    <span className="notification-answers">
      <Button look="primary" onClick={() => setIsAsking(true)}>
        {texts.notMe}
      </Button>
      <Button onClick={onMine}>{texts.wasMe}</Button>
      {isAsking && (
        <Suspense>
          <ConfirmDialog
            title={texts.notMeTitle}
            text={texts.notMeText}
            action={texts.notMeConfirm}
            cancel={texts.keep}
            onConfirm={() => {
              setIsAsking(false)
              report().catch(() => toast(texts.actionFailed, 'warning'))
            }}
            onClose={() => setIsAsking(false)}
          />
        </Suspense>
      )}
    </span>
  )
}
