import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type DeskFact, type DeskOpenItem, openDeskItem } from '@tern/contract/desk/queues'
import type { DeskQueue } from '@tern/contract/desk/roles'
import { Refused } from '@tern/contract/protocol/client'
import { desk } from '@tern/messages/en/desk/desk'
import { entries } from '@tern/messages/en/desk/entries'
import { watch } from '@tern/messages/en/desk/watch'
import { useEffect, useRef } from 'react'
import { Note } from '../../src/ui/feedback/Note.tsx'
import { formatDateTime, formatMoney } from '../../src/ui/format/format.ts'
import { Button, IconButton } from '../../src/ui/forms/Button.tsx'
import { Icon } from '../../src/ui/icon/Icon.tsx'
import { call, keysOf } from '../app/client.ts'
import { useKeys } from '../app/keyboard.ts'
import { said } from '../app/use-desk.ts'
import { DecisionDock } from './DecisionDock.tsx'
import { comparedSign, dueText, factText, kindName, labelOf, sectionName, verdictName } from './entry-text.ts'
import { DueRuler } from './DueRuler.tsx'
import { EntryActs } from './EntryActs.tsx'

interface EntryPaneProps {
  queue: DeskQueue
  id: string
  onStep: (by: number) => boolean
  onBack: () => void
}

/** One entry: what is known of it, what was done about it, and the decision. Opening it is logged. */
export function EntryPane({ queue, id, onStep, onBack }: EntryPaneProps) {
  const entry = useQuery({
    queryKey: keysOf.entry(queue, id),
    queryFn: ({ signal }) => call(openDeskItem, { params: { queue, id } }, signal),
  })
  const client = useQueryClient()
  /** Reads again what an act has changed. */
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: keysOf.queue(queue) }),
      client.invalidateQueries({ queryKey: keysOf.counts }),
    ])
  const isGone = entry.error instanceof Refused && entry.error.code === 'not_found'
  const head = { onStep, onBack }
  return (
    <main id="main" className="dk-entry">
      {entry.isPending && <p className="dk-wait">{desk.loading}</p>}
      {entry.isError && !entry.data && (
        <div className="dk-problem">
          <Button look="ghost" icon="previous" onClick={onBack}>
            {entries.back}
          </Button>
          <Note tone={isGone ? 'info' : 'error'} live>
            {isGone ? entries.gone : said(entry.error)}
          </Note>
          {!isGone && <Button onClick={() => void entry.refetch()}>{desk.tryAgain}</Button>}
        </div>
      )}
      {entry.data && <Opened queue={queue} item={entry.data} refresh={refresh} isGone={isGone} {...head} />}
    </main>
  )
}

interface OpenedProps extends Omit<EntryPaneProps, 'id'> {
  item: DeskOpenItem
  refresh: () => Promise<unknown>
  isGone: boolean
}

function Opened({ queue, item, refresh, isGone, onStep, onBack }: OpenedProps) {
  const body = useRef<HTMLDivElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const showSection = (index: number) => {
    const target = body.current?.querySelectorAll('section')[index]
    target?.scrollIntoView()
    target?.querySelector('h3')?.focus()
    return target !== undefined
  }
  useKeys((key) => /^[1-9]$/.test(key) && showSection(Number(key) - 1))
  const goToDecision = () => {
    const dock = body.current?.nextElementSibling
    dock?.scrollIntoView()
    dock?.querySelector<HTMLElement>('input, button')?.focus()
  }
  const due = dueText(item, Date.now())
  const sections = [...item.sections.map(({ code }) => sectionName(code)), entries.timeline]
  return (
    <>
      <header className="dk-head">
        <div className="dk-head-row">
          <span className="dk-back">
            <IconButton icon="previous" label={entries.back} onClick={onBack} />
          </span>
          <span className="chip-plain">
            <Icon name={item.state === 'open' ? 'pause' : 'clock'} small /> {kindName(item.kind)} ·{' '}
            {entries.states[item.state]}
          </span>
          <EntryActs queue={queue} item={item} refresh={refresh} />
          <IconButton className="dk-up" icon="down" label={entries.previous} onClick={() => onStep(-1)} />
          <IconButton icon="down" label={entries.next} onClick={() => onStep(1)} />
        </div>
        <h2 ref={heading} tabIndex={-1}>
          {item.amount && `${formatMoney(item.amount.amount, item.amount.currency)} · `}
          {item.who ?? kindName(item.kind)}
        </h2>
        <p className="muted">
          {entries.waitingSince(formatDateTime(item.opened_at))}
          {due && (
            <>
              {' · '}
              <span className={due.isLate ? 'dk-due-soon' : undefined}>{due.text}</span>
            </>
          )}
          {item.claimed_by && ` · ${item.is_mine ? entries.takenByYou : entries.takenBy(item.claimed_by)}`}
        </p>
        {item.due_at && <DueRuler from={item.opened_at} until={item.due_at} />}
      </header>
      <nav className="dk-tabs" aria-label={entries.sectionsLabel}>
        {sections.map((name, index) => (
          <button key={name} type="button" onClick={() => showSection(index)}>
            {name} {index < 9 && <kbd>{index + 1}</kbd>}
          </button>
        ))}
      </nav>
      <button type="button" className="dk-to-decision" onClick={goToDecision}>
        {entries.toDecision}
      </button>
      <div className="dk-body">
        <div className="dk-facts" ref={body}>
          <Sections queue={queue} item={item} />
          <Timeline queue={queue} item={item} />
        </div>
        <DecisionDock queue={queue} item={item} refresh={refresh} isGone={isGone} />
      </div>
    </>
  )
}

/** What is known of an entry. */
function Sections({ queue, item: { id, sections } }: { queue: DeskQueue; item: DeskOpenItem }) {
  return sections.map(({ code, facts }) => (
    <section key={code}>
      <h3 tabIndex={-1}>{sectionName(code)}</h3>
      <dl>
        {facts.map((fact) => (
          <div key={fact.kind === 'file' ? fact.id : `${fact.label} ${factText(fact)}`}>
            <dt>{labelOf(fact.label)}</dt>
            <dd>
              <FactText queue={queue} id={id} fact={fact} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  ))
}

/** A fact in words, or a file to download. */
function FactText({ queue, id, fact }: { queue: DeskQueue; id: string; fact: DeskFact }) {
  const sign = comparedSign(fact)
  if (sign !== undefined) {
    return (
      <span className={sign === '≠' ? 'dk-compared dk-differs' : 'dk-compared'}>
        <span aria-hidden="true">{sign}</span> <span>{factText(fact)}</span>
      </span>
    )
  }
  if (fact.kind !== 'file') return factText(fact)
  return (
    <a href={`/desk/api/queues/${queue}/${id}/files/${fact.id}`} download>
      {factText(fact)}
    </a>
  )
}

function Timeline({ queue, item: { timeline } }: { queue: DeskQueue; item: DeskOpenItem }) {
  return (
    <section>
      <h3 tabIndex={-1}>{entries.timeline}</h3>
      {timeline.length === 0 && <p className="muted">{entries.noTimeline}</p>}
      <ol className="dk-timeline">
        {timeline.map(({ number, at, by, act, reason, after }) => (
          <li key={number}>
            <time dateTime={at}>{formatDateTime(at)}</time>
            <span>
              <b>{by}</b> {watch.log.acts[act as keyof typeof watch.log.acts]}
              {after &&
                ['decided', 'agreed', 'disagreed', 'carried_out'].includes(act) &&
                `: ${verdictName(queue, after)}`}
              {reason && <q>{reason}</q>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
