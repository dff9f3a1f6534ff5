import type { DeskItem } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import { entries } from '@tern/messages/en/desk/entries'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { formatMoney, formatRelative } from '@tern/web/ui/format/format.ts'
import { Icon } from '@tern/web/ui/icon/Icon.tsx'
import { dueText, kindName } from './entry-text.ts'

interface QueueListProps {
  queue: DeskQueue
  items: readonly DeskItem[]
  openId: string | undefined
  label: string
}

/** Items of a queue. The list is one tab stop; arrow keys move between the items. */
export function QueueList({ queue, items, openId, label }: QueueListProps) {
  const list = useRef<HTMLUListElement>(null)
  const [focusedId, setFocusedId] = useState<string>()
  const focusTarget = items.find(({ id }) => id === focusedId) ?? items.find(({ id }) => id === openId) ?? items[0]

  // Scrolls to the item that J or K opened.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [openId])

  function onKeyDown(event: KeyboardEvent) {
    const offset = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const links = [...(list.current?.querySelectorAll('a') ?? [])]
    const at = links.findIndex((link) => link === document.activeElement)
    const target =
      event.key === 'Home'
        ? links[0]
        : event.key === 'End'
          ? links.at(-1)
          : offset !== 0
            ? links[at + offset]
            : undefined
    if (!target) return
    event.preventDefault()
    target.focus()
  }

  if (items.length === 0) return null
  return (
    <ul ref={list} aria-label={label} onKeyDown={onKeyDown}>
      {items.map((item) => (
        <li key={item.id}>
          <Link
            to={`/queues/${queue}/${item.id}`}
            className="grid min-h-14 grid-cols-[minmax(0,1fr)_auto] content-center gap-x-3 gap-y-0.5 border-b px-4 py-2 no-underline *:truncate hover:bg-water focus-visible:-outline-offset-2 aria-[current]:bg-sea-wash aria-[current]:[box-shadow:inset_3px_0_var(--sea)]"
            aria-current={item.id === openId ? 'true' : undefined}
            tabIndex={item === focusTarget ? 0 : -1}
            onFocus={() => setFocusedId(item.id)}
          >
            <b className={item.barred === null ? 'font-medium' : 'font-normal text-ink-2'}>
              {item.who ?? kindName(item.kind)}
            </b>
            <span className="text-end tabular-nums">
              {item.amount && formatMoney(item.amount.amount, item.amount.currency)}
            </span>
            <span className="text-tiny text-ink-2">{describeItem(item)}</span>
            <DueTime item={item} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

function describeItem({
  who,
  kind,
  state,
  for_lead: forLead,
  is_mine: isMine,
  claimed_by: claimedBy,
}: DeskItem): string {
  return [
    who === null ? undefined : kindName(kind),
    state === 'open' ? undefined : entries.states[state],
    forLead ? entries.forLead : undefined,
    isMine ? entries.takenByYou : claimedBy === null ? undefined : entries.takenBy(claimedBy),
  ]
    .filter(Boolean)
    .join(' · ')
}

const dueClass = 'inline-flex justify-end gap-1 text-tiny'

function DueTime({ item }: { item: DeskItem }) {
  const [now] = useState(Date.now)
  const dueLabel = dueText(item, now)
  if (!dueLabel) return <span className={`${dueClass} text-ink-2`}>{formatRelative(item.opened_at)}</span>
  return (
    <span className={`${dueClass} ${dueLabel.isLate ? 'font-medium text-wait' : 'text-ink-2'}`}>
      {dueLabel.isLate && <Icon name="clock" small />} {dueLabel.text}
    </span>
  )
}
