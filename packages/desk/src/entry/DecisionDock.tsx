import { carryOutDeskItem, decideDeskItem, type DeskOpenItem } from '@tern/contract/desk/queues'
import { longestReason, shortestReason } from '@tern/contract/desk/reason'
import type { DeskQueue } from '@tern/contract/desk/roles'
import { Refused } from '@tern/contract/protocol/client'
import { entries } from '@tern/messages/en/desk/entries'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { formatTime } from '@tern/web/ui/format/format.ts'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { Avatar } from '@tern/web/ui/layout/Avatar.tsx'
import { call } from '../app/client.ts'
import { useKeys } from '../app/keyboard.ts'
import { isOffline, said, useCounts } from '../app/use-desk.ts'
import { verdictKeys, verdictName } from './entry-text.ts'

const texts = entries.decision

interface DecisionDockProps {
  queue: DeskQueue
  item: DeskOpenItem
  refresh: () => Promise<unknown>
  isGone: boolean
}

/** Text of a refusal; with the reason if a decision could not be carried out. */
function refusalText(error: unknown): string {
  if (!(error instanceof Refused) || error.code !== 'desk_not_carried_out') return said(error)
  const { because } = error.problem
  return typeof because === 'string' ? entries.notCarriedOut(because) : said(error)
}

/** Records a decision and keeps its outcome for display. */
function useDecision({ queue, item, refresh }: Omit<DecisionDockProps, 'isGone'>) {
  const [isBusy, setBusy] = useState(false)
  const [told, setTold] = useState<{ text: string; isError: boolean }>()
  const params = { queue, id: item.id }

  async function settle(work: () => Promise<keyof typeof entries.outcomes>) {
    setBusy(true)
    try {
      setTold({ text: entries.outcomes[await work()], isError: false })
    } catch (error) {
      setTold({ text: refusalText(error), isError: true })
    } finally {
      setBusy(false)
      await refresh()
    }
  }
  return {
    isBusy,
    told,
    tell: (text: string) => setTold({ text, isError: true }),
    decide: (verdict: string, reason: string) =>
      settle(async () => (await call(decideDeskItem, { params, body: { verdict, reason } })).outcome),
    performAgain: () => settle(async () => (await call(carryOutDeskItem, { params })).outcome),
  }
}

/** The decision, always in view: verdict, reason and both deciders. */
export function DecisionDock({ queue, item, refresh, isGone }: DecisionDockProps) {
  const { isBusy, told, tell, decide, performAgain } = useDecision({ queue, item, refresh })
  const [verdict, setVerdict] = useState<string>()
  const [reason, setReason] = useState('')
  const dock = useRef<HTMLElement>(null)
  const answer = useRef<HTMLDivElement>(null)
  const offline = isOffline(useCounts().error)
  const keys = verdictKeys[queue]
  const isOpen = item.barred === null && !isGone && (told === undefined || told.isError)

  useKeys((key) => {
    const chosen = isOpen ? item.verdicts.find((one) => keys[one] === key) : undefined
    if (chosen === undefined) return false
    setVerdict(chosen)
    dock.current?.querySelector<HTMLInputElement>(`input[value="${chosen}"]`)?.focus()
    return true
  })
  useEffect(() => {
    if (told) answer.current?.focus()
  }, [told])

  function record() {
    if (verdict === undefined) return tell(texts.choose)
    if (reason.trim().length < shortestReason) return tell(texts.reasonHint)
    void decide(verdict, reason)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !isOpen || offline || isBusy) return
    event.preventDefault()
    record()
  }

  return (
    <aside className="dk-dock" aria-label={texts.heading} ref={dock} onKeyDown={onKeyDown}>
      {told && (
        <div ref={answer} tabIndex={-1} className="dk-answer">
          <Note tone={told.isError ? 'error' : 'info'} live>
            {told.text}
          </Note>
        </div>
      )}
      {isOpen && (
        <div className="dk-choice">
          <Verdicts queue={queue} verdicts={item.verdicts} chosen={verdict} onChoose={setVerdict} />
          <label className="dk-field">
            {texts.reason}
            <textarea value={reason} maxLength={longestReason} onChange={({ target }) => setReason(target.value)} />
            <span className="dk-hint">{texts.reasonHint}</span>
          </label>
          <Button look="primary" wide processing={isBusy} disabled={offline} onClick={record}>
            {texts.record} <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </Button>
        </div>
      )}
      {item.barred !== null && !told && <Note>{entries.barred[item.barred]}</Note>}
      {item.state === 'decided' && !isGone && (
        <Button processing={isBusy} onClick={() => void performAgain()}>
          {texts.carryOutAgain}
        </Button>
      )}
      <TwoPeople queue={queue} item={item} />
    </aside>
  )
}

interface VerdictsProps {
  queue: DeskQueue
  verdicts: readonly string[]
  chosen: string | undefined
  onChoose: (verdict: string) => void
}

function Verdicts({ queue, verdicts, chosen, onChoose }: VerdictsProps) {
  return (
    <fieldset>
      <legend>{texts.heading}</legend>
      {verdicts.map((verdict) => {
        const key = verdictKeys[queue][verdict]
        return (
          <label key={verdict} className="dk-verdict">
            <input
              type="radio"
              name="verdict"
              value={verdict}
              checked={verdict === chosen}
              onChange={() => onChoose(verdict)}
            />
            <span>{verdictName(queue, verdict)}</span>
            {key && <kbd>{key.toUpperCase()}</kbd>}
          </label>
        )
      })}
    </fieldset>
  )
}

function guidance({ state, needs_two: needsTwo }: DeskOpenItem): string {
  if (state === 'disputed') return texts.lead
  if (!needsTwo) return texts.oneEnough
  return state === 'proposed' ? texts.youSecond : texts.youFirst
}

/** Deciders as far as this operator may see them; a dashed monogram marks a missing one. */
function TwoPeople({ queue, item }: { queue: DeskQueue; item: DeskOpenItem }) {
  const { decisions, needs_two: needsTwo, barred } = item
  return (
    <section className="dk-two">
      {(needsTwo || decisions.length > 0) && <h3>{texts.twoPeople}</h3>}
      {barred === null && <p>{guidance(item)}</p>}
      <ol>
        {decisions.map(({ seat, by, is_own: isOwn, at, verdict, reason }) => (
          <li key={seat}>
            <Avatar name={by} />
            <span>
              <b>
                {texts.seats[seat]}: {isOwn ? texts.you : by}
              </b>{' '}
              {formatTime(at)}
              <span>{verdict === null ? texts.hidden : verdictName(queue, verdict)}</span>
              {reason && <q>{reason}</q>}
            </span>
          </li>
        ))}
        {needsTwo && decisions.length < 2 && (
          <li className="dk-to-come">
            <span className="avatar" aria-hidden="true" />
            <span>{texts.seats[decisions.length === 0 ? 'first' : 'second']}</span>
          </li>
        )}
      </ol>
    </section>
  )
}
