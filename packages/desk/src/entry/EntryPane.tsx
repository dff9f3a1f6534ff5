import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type DeskOpenItem, openDeskItem } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import { Refused } from '@tern/contract/protocol/client'
import { desk } from '@tern/messages/en/desk/desk'
import { entries } from '@tern/messages/en/desk/entries'
import { useEffect, useRef } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { formatDateTime, formatMoney } from '@tern/web/ui/format/format.ts'
import { Button, IconButton } from '@tern/web/ui/forms/Button.tsx'
import { Icon } from '@tern/web/ui/icon/Icon.tsx'
import { call, queryKeys } from '../app/client.ts'
import { errorMessage } from '../app/use-desk.ts'
import { DecisionDock } from './DecisionDock.tsx'
import { dueText, kindName } from './entry-text.ts'
import { DueRuler } from './DueRuler.tsx'
import { EntryActions } from './EntryActions.tsx'
import { ChapterNav, Chapters } from './EntrySections.tsx'

interface EntryPaneProps {
  queue: DeskQueue
  id: string
  onStep: (offset: number) => boolean
  onBack: () => void
}

/** Open item: facts, timeline and decision form. The server logs each opening. */
export function EntryPane({ queue, id, onStep, onBack }: EntryPaneProps) {
  const entry = useQuery({
    queryKey: queryKeys.entry(queue, id),
    queryFn: ({ signal }) => call(openDeskItem, { params: { queue, id } }, signal),
  })
  const client = useQueryClient()
  /** Refetches the queue, this item and the counts. */
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: queryKeys.queue(queue) }),
      client.invalidateQueries({ queryKey: queryKeys.counts }),
    ])
  const isNotFound = entry.error instanceof Refused && entry.error.code === 'not_found'
  const head = { onStep, onBack }
  return (
    <main id="main" className="group relative flex min-h-0 min-w-0 flex-col max-md:overflow-y-auto">
      {entry.isPending && <p className="p-6">{desk.loading}</p>}
      {entry.isError && !entry.data && (
        <div className="grid justify-items-start gap-3 p-4">
          <Button look="ghost" icon="previous" onClick={onBack}>
            {entries.back}
          </Button>
          <Note tone={isNotFound ? 'info' : 'error'} live>
            {isNotFound ? entries.gone : errorMessage(entry.error)}
          </Note>
          {!isNotFound && <Button onClick={() => void entry.refetch()}>{desk.tryAgain}</Button>}
        </div>
      )}
      {entry.data && <OpenEntry queue={queue} item={entry.data} refresh={refresh} isNotFound={isNotFound} {...head} />}
    </main>
  )
}

interface OpenEntryProps extends Omit<EntryPaneProps, 'id'> {
  item: DeskOpenItem
  refresh: () => Promise<unknown>
  isNotFound: boolean
}

function OpenEntry({ queue, item, refresh, isNotFound, onStep, onBack }: OpenEntryProps) {
  const body = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const goToDecision = () => {
    const dock = body.current?.nextElementSibling
    dock?.scrollIntoView()
    dock?.querySelector<HTMLElement>('input, button')?.focus()
  }
  const dueLabel = dueText(item, Date.now())
  return (
    <>
      <header className="px-6 pt-3 max-md:px-4">
        <div className="flex min-h-8 flex-wrap items-center gap-2">
          <span className="hidden max-md:-ms-3.5 max-md:block max-sm:-order-3 max-sm:me-auto">
            <IconButton icon="previous" label={entries.back} onClick={onBack} />
          </span>
          <span className="inline-flex items-center gap-1.5 font-medium text-wait max-sm:-order-1 max-sm:w-full">
            <Icon name={item.state === 'open' ? 'pause' : 'clock'} small /> {kindName(item.kind)} ·{' '}
            {entries.states[item.state]}
          </span>
          <EntryActions queue={queue} item={item} refresh={refresh} />
          <IconButton
            className="max-sm:-order-2 [&_svg]:rotate-180"
            icon="down"
            label={entries.previous}
            onClick={() => onStep(-1)}
          />
          <IconButton
            className="max-md:-me-3.5 max-sm:-order-2"
            icon="down"
            label={entries.next}
            onClick={() => onStep(1)}
          />
        </div>
        <h2 ref={heading} tabIndex={-1} className="my-1 font-display text-title wrap-anywhere outline-none">
          {item.amount && `${formatMoney(item.amount.amount, item.amount.currency)} · `}
          {item.who ?? kindName(item.kind)}
        </h2>
        <p className="muted">
          {entries.waitingSince(formatDateTime(item.opened_at))}
          {dueLabel && (
            <>
              {' · '}
              <span className={dueLabel.isLate ? 'font-medium text-wait' : undefined}>{dueLabel.text}</span>
            </>
          )}
          {item.claimed_by && ` · ${item.is_mine ? entries.takenByYou : entries.takenBy(item.claimed_by)}`}
        </p>
        {item.due_at && <DueRuler from={item.opened_at} until={item.due_at} />}
      </header>
      <ChapterNav item={item} body={body} />
      <button
        type="button"
        className="fixed inset-x-0 bottom-0 z-2 hidden min-h-13 place-items-center border-t border-ink bg-sheet font-medium text-sea max-md:grid max-md:group-has-[aside_:focus]:hidden"
        onClick={goToDecision}
      >
        {entries.toDecision}
      </button>
      <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_292px] max-wide:flex max-wide:flex-col max-md:flex-none max-md:overflow-visible">
        <div
          className="@container relative overflow-y-auto px-6 pb-8 max-wide:min-h-30 max-wide:flex-[1_1_0px] max-md:flex-none max-md:overflow-visible max-md:px-4"
          ref={body}
        >
          <Chapters queue={queue} item={item} />
        </div>
        <DecisionDock queue={queue} item={item} refresh={refresh} isNotFound={isNotFound} />
      </div>
    </>
  )
}
