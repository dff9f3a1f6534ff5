import { useQuery } from '@tanstack/react-query'
import { type DeskItem, listQueue } from '@tern/contract/desk/queues'
import { type DeskQueue, deskQueues } from '@tern/contract/desk/roles'
import { desk } from '@tern/messages/en/desk/desk'
import { entries } from '@tern/messages/en/desk/entries'
import { useEffect, useRef, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { classNames } from '@tern/web/ui/icon/class-names.ts'
import { call, queryKeys } from '../app/client.ts'
import { useKeys } from '../app/keyboard.ts'
import { useCounts, useMe, useTitle } from '../app/use-desk.ts'
import { QueryView } from '../app/QueryView.tsx'
import { EntryPane } from './EntryPane.tsx'
import { QueueList } from './QueueList.tsx'

const filters = ['all', 'mine', 'free', 'second'] as const
type Filter = (typeof filters)[number]

const filterMatchers: Readonly<Record<Filter, (item: DeskItem) => boolean>> = {
  all: () => true,
  mine: ({ is_mine: isMine }) => isMine,
  free: ({ claimed_by: claimedBy, barred }) => claimedBy === null && barred === null,
  second: ({ state }) => state === 'proposed',
}

/** List of a queue's items, with the open item beside it. */
export function QueuePage() {
  const { queue: queueName, id } = useParams()
  const queue = deskQueues.find((candidate) => candidate === queueName)
  const { acts } = useMe()
  return queue && acts.includes(queue) ? (
    <Queue key={queue} queue={queue} id={id} />
  ) : (
    <main id="main" className="dk-page">
      {desk.nothingToDo}
    </main>
  )
}

/** Query for the items of a queue, refetched when the queue's count changes. */
function useEntries(queue: DeskQueue) {
  const list = useQuery({
    queryKey: queryKeys.queue(queue),
    queryFn: ({ signal }) => call(listQueue, { params: { queue } }, signal),
  })
  const count = useCounts().data?.counts[queue]
  const { refetch } = list
  const lastCount = useRef(count)
  useEffect(() => {
    if (lastCount.current !== undefined && count !== lastCount.current) void refetch()
    lastCount.current = count
  }, [count, refetch])
  return list
}

const listClass = 'flex min-w-0 flex-col overflow-y-auto border-e max-md:border-e-0'
/** Hides the list beside an open item on phones, except its heading, which screen readers still read. */
const hiddenClass =
  'max-md:absolute max-md:size-px max-md:overflow-hidden max-md:[clip-path:inset(50%)] max-md:[&>:not(header)]:hidden'
const emptyClass = 'grid gap-2 px-6 py-10 text-center text-ink-2'

function Queue({ queue, id }: { queue: DeskQueue; id: string | undefined }) {
  const title = desk.rail[queue]
  useTitle(title)
  const navigate = useNavigate()
  const list = useEntries(queue)
  const [filter, setFilter] = useState<Filter>('all')
  const items = list.data?.items.filter(filterMatchers[filter]) ?? []
  const isEntryOpen = id !== undefined
  const at = items.findIndex((item) => item.id === id)
  const open = (entryId: string | undefined) =>
    void navigate(`/queues/${queue}${entryId === undefined ? '' : `/${entryId}`}`)
  const step = (offset: number) => {
    const next = at === -1 ? items[0] : items[at + offset]
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
      <section className={classNames(listClass, isEntryOpen && hiddenClass)} aria-label={title}>
        <header className="sticky top-0 z-1 bg-paper px-4 pt-3">
          <h1 className="font-display text-[1.375rem]/7">
            {title}{' '}
            {list.data !== undefined && list.data.items.length > 0 && (
              <small className="font-text text-fine text-ink-3">{entries.dueFirst(list.data.items.length)}</small>
            )}
          </h1>
          <div
            className={classNames('mt-1 flex gap-4 border-b border-ink', isEntryOpen && 'max-md:hidden')}
            role="group"
            aria-label={entries.show}
          >
            {filters.map((name) => (
              <button
                key={name}
                type="button"
                className="dk-tab min-h-8.5 max-md:min-h-11"
                aria-pressed={filter === name}
                onClick={() => setFilter(name)}
              >
                {entries.filters[name]}
              </button>
            ))}
          </div>
        </header>
        <QueryView query={list} skeleton={<ListSkeleton />} />
        {list.data?.items.length === 0 && (
          <div className={emptyClass}>
            <p className="display-s">{entries.emptyTitle}</p>
            <p>{entries.emptyText}</p>
          </div>
        )}
        {list.data && list.data.items.length > 0 && items.length === 0 && (
          <p className={emptyClass}>{entries.emptyFilter}</p>
        )}
        <QueueList queue={queue} items={items} openId={id} label={title} />
      </section>
      {id === undefined ? (
        <main
          id="main"
          className="dk-page col-3 grid place-content-center text-ink-2 max-md:col-1 max-md:h-0 max-md:overflow-hidden max-md:p-0"
        >
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
        <div key={row} className="grid gap-2.5 border-b px-4 py-3.5">
          <span className="skeleton" />
          <span className="skeleton" />
        </div>
      ))}
    </div>
  )
}
