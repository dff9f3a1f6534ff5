import '../../css/timeline.css'
import { type Check, objectToCheck } from '@tern/contract/compliance/checks'
import { useState } from 'react'
import { holds as texts } from '#messages/transfers/holds.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { callApi } from '../session/session.ts'
import { CheckForm } from './CheckForm.tsx'
import { useCheckCommand } from './check-queries.ts'

/** State of the person's objection, and the form to make one. */
export function Objection({ check, userId }: { check: Check; userId: number }) {
  const toast = useToast()
  const [isWriting, setIsWriting] = useState(false)
  const { send, isBusy, error } = useCheckCommand({
    userId,
    otherwise: texts.objectFailed,
    onDone() {
      setIsWriting(false)
      toast(texts.objected)
    },
  })
  const { id, objection, may_object: canObject } = check
  return (
    <>
      {objection && <ObjectionState check={check} objection={objection} />}
      {canObject &&
        (isWriting ? (
          <CheckForm
            title={texts.objectTitle}
            text={texts.objectText}
            label={texts.objectLabel}
            button={texts.sendObjection}
            isBusy={isBusy}
            error={error}
            onSend={(text) => send(() => callApi(objectToCheck, { params: { id }, body: { text } }))}
            onBack={() => setIsWriting(false)}
          />
        ) : (
          <div>
            <Button onClick={() => setIsWriting(true)}>{texts.object}</Button>
          </div>
        ))}
    </>
  )
}

interface Step {
  readonly text: string
  readonly at: string
  readonly isOpen: boolean
}

/** Past events and pending steps with their deadlines, in order of time. */
function listSteps(check: Check, objection: NonNullable<Check['objection']>): Step[] {
  const buildStep = (text: string, at: string | null, by: string): Step => ({ text, at: at ?? by, isOpen: at === null })
  const steps = [
    buildStep(texts.steps.hold, check.opened_at, ''),
    buildStep(texts.steps.objected, objection.made_at, ''),
    buildStep(texts.steps.objection, objection.decided_at, objection.decide_by),
  ]
  // The check's own decision is due only after its objection is decided.
  if (objection.state !== 'open' || check.decided_at !== null) {
    steps.push(buildStep(texts.steps.decision, check.decided_at, check.decide_by))
  }
  return steps.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

function ObjectionState({ check, objection }: { check: Check; objection: NonNullable<Check['objection']> }) {
  return (
    <section className="grid grid-cols-1 pt-5 border-t gap-0 [&_textarea]:min-h-30 [&_textarea]:bg-transparent [&_textarea]:text-inherit [&_textarea]:resize-y">
      <h2 className="font-medium">{texts.objectionTitles[objection.state]}</h2>
      <p className="small muted mt-1">{texts.objectionTexts[objection.state]}</p>
      <ol className="timeline mt-4">
        {listSteps(check, objection).map(({ text, at, isOpen }) => (
          <li key={text} className={classNames(isOpen && 'timeline-open muted')}>
            <span>{text}</span>
            <time className="tabular whitespace-nowrap" dateTime={at}>
              {isOpen ? texts.steps.by(formatDateTime(at)) : formatDateTime(at)}
            </time>
          </li>
        ))}
      </ol>
    </section>
  )
}
