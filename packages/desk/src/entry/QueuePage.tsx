import { useQuery } from '@tanstack/react-query'
import { type DeskItem, listQueue } from '@tern/contract/desk/queues'
import { type DeskQueue, deskQueues } from '@tern/contract/desk/roles'
import { desk } from '@tern/messages/en/desk/desk'
import { entries } from '@tern/messages/en/desk/entries'
import { useEffect, useRef, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { call, keysOf } from '../app/client.ts'
import { useKeys } from '../app/keyboard.ts'
import { said, useCounts, useMe, useTitle } from '../app/use-desk.ts'
import { EntryPane } from './EntryPane.tsx'
import { QueueList } from './QueueList.tsx'

const filters = ['all', 'mine', 'free', 'second'] as const
type Filter = (typeof filters)[number]

const matches: Readonly<Record<Filter, (item: DeskItem) => boolean>> = {
  all: () => true,
  mine: ({ is_mine: isMine }) => isMine,
  free: ({ claimed_by: claimedBy, barred }) => claimedBy === null && barred === null,
  second: ({ state }) => state === 'proposed',
}

/** A queue, and its open entry beside it. */
export function QueuePage() {
  const { queue: named, id } = useParams()
  const queue = deskQueues.find((known) => known === named)
  const { acts } = useMe()
  return queue && acts.includes(queue) ? (
    <Queue key={queue} queue={queue} id={id} />
  ) : (
    <main id="main" className="dk-page">
      {desk.nothingToDo}
    </main>
  )
}

/** The list, refetched when the queue's count changes. */
function useEntries(queue: DeskQueue) {
  const list = useQuery({
    queryKey: keysOf.queue(queue),
    queryFn: ({ signal }) => call(listQueue, { params: { queue } }, signal),
  })
  const count = useCounts().data?.counts[queue]
  const { refetch } = list
  const known = useRef(count)
  useEffect(() => {
    if (known.current !== undefined && count !== known.current) void refetch()
    known.current = count
  }, [count, refetch])
  return list
}

function Queue({ queue, id }: { queue: DeskQueue; id: string | undefined }) {
  const title = desk.rail[queue]
  useTitle(title)
  const navigate = useNavigate()
  const list = useEntries(queue)
  const [filter, setFilter] = useState<Filter>('all')
  const items = list.data?.items.filter(matches[filter]) ?? []
  const at = items.findIndex((item) => item.id === id)
  const open = (other: string | undefined) => void navigate(`/queues/${queue}${other === undefined ? '' : `/${other}`}`)
  const step = (by: number) => {
    const next = at === -1 ? items[0] : items[at + by]
    if (next) open(next.id)
    return next !== undefined
  }
  useKeys((key) => {
    if (key === 'j') return step(1)
    if (key === 'k') return step(-1)
    if (key !== 'Escape' || id === undefined) return false
    open(undefined)
    return true
  })

  return (
    <>
      <section className={id === undefined ? 'dk-list' : 'dk-list dk-list-behind'} aria-label={title}>
        <header>
          <h1>
            {title}{' '}
            {list.data !== undefined && list.data.items.length > 0 && (
              <small>{entries.dueFirst(list.data.items.length)}</small>
            )}
          </h1>
          <div className="dk-filters" role="group" aria-label={entries.show}>
            {filters.map((name) => (
              <button key={name} type="button" aria-pressed={filter === name} onClick={() => setFilter(name)}>
                {entries.filters[name]}
              </button>
            ))}
          </div>
        </header>
        {list.isPending && <ListSkeleton />}
        {list.isError && (
          <div className="dk-problem">
            <Note tone="error">{said(list.error)}</Note>
            <Button onClick={() => void list.refetch()}>{desk.tryAgain}</Button>
          </div>
        )}
        {list.data?.items.length === 0 && (
          <div className="dk-empty">
            <p className="display-s">{entries.emptyTitle}</p>
            <p>{entries.emptyText}</p>
          </div>
        )}
        {list.data && list.data.items.length > 0 && items.length === 0 && (
          <p className="dk-empty">{entries.emptyFilter}</p>
        )}
        <QueueList queue={queue} items={items} openId={id} label={title} />
      </section>
      {id === undefined ? (
        <main id="main" className="dk-page dk-nothing">
          {items.length > 0 && <p>{entries.choose}</p>}
        </main>
      ) : (
        <EntryPane key={id} queue={queue} id={id} onStep={step} onBack={() => open(undefined)} />
      )}
    </>
  )
}

function ListSkeleton() {
  return (
    <div aria-hidden="true">
      {[1, 2, 3].map((row) => (
        <div key={row} className="dk-row-skeleton">
          <span className="skeleton" />
          <span className="skeleton" />
        </div>
      ))}
    </div>
  )
}
