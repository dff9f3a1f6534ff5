import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Amount } from './Amount.tsx'
import { Avatar } from '../layout/Avatar.tsx'
import { Chip } from '../layout/Chip.tsx'
import { formatRelative } from '../format/format.ts'
import type { IconName } from '../icon/icons.ts'

export interface Activity {
  title: string
  /** Kind such as "Money Sent"; a status other than completed replaces it. */
  kind: string
  status: string | undefined
  at: string
  amount: string
  currency: string
  direction?: 'in' | 'out' | undefined
  /** Formatted amount in the other currency. */
  otherAmount?: string | undefined
  person?: string | undefined
  icon: IconName
  /** Separate line below the rest. */
  note?: ReactNode
}

type ActivityRowProps = Activity & { to?: string | undefined; onOpen?: (() => void) | undefined }

/** One movement as an item of a list. With `to` it is a link, with `onOpen` a button. */
export function ActivityRow({ to, onOpen, ...activity }: ActivityRowProps) {
  const content = <RowContent {...activity} />
  return (
    <li>
      {to ? (
        <Link className="activity-row" to={to}>
          {content}
        </Link>
      ) : onOpen ? (
        <button type="button" className="activity-row" onClick={onOpen}>
          {content}
        </button>
      ) : (
        <div className="activity-row">{content}</div>
      )}
    </li>
  )
}

function RowContent(activity: Activity) {
  return (
    <>
      <Avatar name={activity.person} icon={activity.icon} />
      <span>
        <span className="block truncate font-medium">{activity.title}</span>
        <span className="activity-sub activity-facts">
          <span>{activity.status === 'COMPLETED' ? activity.kind : <Chip status={activity.status} />}</span>
          <time dateTime={activity.at}>{formatRelative(activity.at)}</time>
        </span>
        {activity.note}
      </span>
      <span className="activity-end">
        <Amount amount={activity.amount} currency={activity.currency} direction={activity.direction} />
        <span className="activity-sub">{activity.otherAmount ?? '\u00a0'}</span>
      </span>
    </>
  )
}
