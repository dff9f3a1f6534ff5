import { carryOutDeskItem, decideDeskItem, type DeskOpenItem } from '@tern/contract/desk/queues'
import { maxReasonLength, minReasonLength } from '@tern/contract/desk/reason'
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
import { isOffline, errorMessage, useCounts } from '../app/use-desk.ts'
import { verdictKeys, verdictName } from './entry-text.ts'

const texts = entries.decision

interface DecisionDockProps {
  queue: DeskQueue
  item: DeskOpenItem
  refresh: () => Promise<unknown>
  isNotFound: boolean
}

/** Returns the message for an error, with the reason if a decision could not be carried out. */
function refusalText(error: unknown): string {
  if (!(error instanceof Refused) || error.code !== 'desk_not_carried_out') return errorMessage(error)
  const { because } = error.problem
  return typeof because === 'string' ? entries.notCarriedOut(because) : errorMessage(error)
}

/** Records a decision, and keeps its outcome or error for display. */
function useDecision({ queue, item, refresh }: Omit<DecisionDockProps, 'isNotFound'>) {
  const [isBusy, setIsBusy] = useState(false)
  const [notice, setNotice] = useState<{ text: string; isError: boolean }>()
  const params = { queue, id: item.id }

  async function runDecision(task: () => Promise<keyof typeof entries.outcomes>) {
    setIsBusy(true)
    try {
      setNotice({ text: entries.outcomes[await task()], isError: false })
    } catch (error) {
      setNotice({ text: refusalText(error), isError: true })
    } finally {
      setIsBusy(false)
      await refresh()
    }
  }
  return {
    isBusy,
    notice,
    showNotice: (text: string) => setNotice({ text, isError: true }),
    decide: (verdict: string, reason: string) =>
      runDecision(async () => (await call(decideDeskItem, { params, body: { verdict, reason } })).outcome),
    retry: () => runDecision(async () => (await call(carryOutDeskItem, { params })).outcome),
  }
}

/** Decision form, always in view: verdict, reason and both deciders. */
export function DecisionDock({ queue, item, refresh, isNotFound }: DecisionDockProps) {
  const { isBusy, notice, showNotice, decide, retry } = useDecision({ queue, item, refresh })
  const [verdict, setVerdict] = useState<string>()
  const [reason, setReason] = useState('')
  const dock = useRef<HTMLElement>(null)
  const answer = useRef<HTMLDivElement>(null)
  const offline = isOffline(useCounts().error)
  const keys = verdictKeys[queue]
  const isOpen = item.barred === null && !isNotFound && (notice === undefined || notice.isError)

  useKeys((key) => {
    const chosenVerdict = isOpen ? item.verdicts.find((candidate) => keys[candidate] === key) : undefined
    if (chosenVerdict === undefined) return false
    setVerdict(chosenVerdict)
    dock.current?.querySelector<HTMLInputElement>(`input[value="${chosenVerdict}"]`)?.focus()
    return true
  })
  useEffect(() => {
    if (notice) answer.current?.focus()
  }, [notice])

  function record() {
    if (verdict === undefined) return showNotice(texts.choose)
    if (reason.trim().length < minReasonLength) return showNotice(texts.reasonHint)
    void decide(verdict, reason)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || !isOpen || offline || isBusy) return
    event.preventDefault()
    record()
  }

  return (
    <aside
      className="grid content-start gap-4 overflow-y-auto border-s bg-water px-5 pt-4 pb-6 max-wide:max-h-[60%] max-wide:grid-cols-[minmax(0,1fr)_minmax(0,220px)] max-wide:border-s-0 max-wide:border-t max-wide:border-t-ink max-wide:pb-4 max-md:max-h-none max-md:grid-cols-[minmax(0,1fr)] max-md:overflow-visible max-md:px-4 max-md:pb-18 [&_.note]:bg-sheet max-wide:[&>.note]:col-span-full"
      aria-label={texts.heading}
      ref={dock}
      onKeyDown={onKeyDown}
    >
      {notice && (
        <div ref={answer} tabIndex={-1} className="focus-visible:outline-offset-4 max-wide:col-span-full">
          <Note tone={notice.isError ? 'error' : 'info'} live>
            {notice.text}
          </Note>
        </div>
      )}
      {isOpen && (
        <div className="grid content-start gap-3.5 max-wide:gap-2 max-wide:[&_textarea]:min-h-13.5">
          <Verdicts queue={queue} verdicts={item.verdicts} chosenVerdict={verdict} onChoose={setVerdict} />
          <label className="dk-field">
            {texts.reason}
            <textarea value={reason} maxLength={maxReasonLength} onChange={({ target }) => setReason(target.value)} />
            <span className="dk-hint">{texts.reasonHint}</span>
          </label>
          <Button look="primary" wide processing={isBusy} disabled={offline} onClick={record}>
            {texts.record} <kbd>Ctrl</kbd> <kbd>Enter</kbd>
          </Button>
        </div>
      )}
      {item.barred !== null && !notice && <Note>{entries.barred[item.barred]}</Note>}
      {item.state === 'decided' && !isNotFound && (
        <Button processing={isBusy} onClick={() => void retry()}>
          {texts.carryOutAgain}
        </Button>
      )}
      <SecondDecision queue={queue} item={item} />
    </aside>
  )
}

interface VerdictsProps {
  queue: DeskQueue
  verdicts: readonly string[]
  chosenVerdict: string | undefined
  onChoose: (verdict: string) => void
}

function Verdicts({ queue, verdicts, chosenVerdict, onChoose }: VerdictsProps) {
  return (
    <fieldset className="min-w-0 max-wide:grid max-wide:grid-cols-[repeat(auto-fit,minmax(160px,1fr))] max-wide:gap-2">
      <legend className="mb-1.5 text-small font-medium max-wide:mb-1">{texts.heading}</legend>
      {verdicts.map((verdict) => {
        const key = verdictKeys[queue][verdict]
        return (
          <label
            key={verdict}
            className="grid min-h-10 cursor-pointer grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-2.5 border border-line-strong bg-sheet px-2.5 py-1 has-checked:bg-sea-wash has-checked:font-medium max-wide:rounded-control max-md:min-h-11 wide:not-first-of-type:border-t-0 wide:first-of-type:rounded-t-control wide:last-of-type:rounded-b-control"
          >
            <input
              className="accent-sea"
              type="radio"
              name="verdict"
              value={verdict}
              checked={verdict === chosenVerdict}
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

function describeStage({ state, needs_two: needsTwo }: DeskOpenItem): string {
  if (state === 'disputed') return texts.lead
  if (!needsTwo) return texts.oneEnough
  return state === 'proposed' ? texts.youSecond : texts.youFirst
}

/** Decisions as far as this operator may see them; a dashed avatar stands for a missing one. */
function SecondDecision({ queue, item }: { queue: DeskQueue; item: DeskOpenItem }) {
  const { decisions, needs_two: needsTwo, barred } = item
  return (
    <section className="grid content-start gap-1.5">
      {(needsTwo || decisions.length > 0) && <h3 className="text-small font-medium">{texts.twoPeople}</h3>}
      {barred === null && <p className="text-ink-2">{describeStage(item)}</p>}
      <ol>
        {decisions.map(({ seat, by, is_own: isOwn, at, verdict, reason }) => (
          <li key={seat} className="flex gap-2.5 py-1.5">
            <Avatar name={by} />
            <span>
              <b>
                {texts.seats[seat]}: {isOwn ? texts.you : by}
              </b>{' '}
              {formatTime(at)}
              <span className="block">{verdict === null ? texts.hidden : verdictName(queue, verdict)}</span>
              {reason && <q className="block wrap-anywhere text-ink-2">{reason}</q>}
            </span>
          </li>
        ))}
        {needsTwo && decisions.length < 2 && (
          <li className="flex items-center gap-2.5 py-1.5 text-ink-2">
            <span className="avatar border border-dashed border-line-strong bg-transparent" aria-hidden="true" />
            <span>{texts.seats[decisions.length === 0 ? 'first' : 'second']}</span>
          </li>
        )}
      </ol>
    </section>
  )
}
