import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { reportUnrecognizedStepUp } from '@tern/contract/security'
import { useLayoutEffect, useRef, useState } from 'react'
import { stepUp } from '#messages/identity/step-up.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { callApi, refetchUser } from '../session/session.ts'

/** Progress of reporting that a confirmation was not the person's own. */
export type ReportState = 'asking' | 'done'

export const reportTitles: Readonly<Record<ReportState, string>> = { asking: stepUp.notMe, done: stepUp.reported }

interface UnrecognizedStepUpProps {
  /** Confirmation id. */
  id: string
  state: ReportState
  onState: (state: ReportState | undefined) => void
  onEnd: () => void
}

/** Explains what "this wasn't me" does and, once done, the next step. */
export function UnrecognizedStepUp({ id, state, onState, onEnd }: UnrecognizedStepUpProps) {
  const [isBusy, setIsBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const primary = useRef<HTMLButtonElement>(null)
  // Before the dialog notices that the focused control is gone and takes the focus itself a frame later.
  useLayoutEffect(() => primary.current?.focus(), [state])

  async function report() {
    setIsBusy(true)
    setFailure(undefined)
    try {
      await callApi(reportUnrecognizedStepUp, { params: { id } })
      onState('done')
      // The report ends this session too, which leads the page behind the dialog to /login.
      await refetchUser()
    } catch (error) {
      setFailure(error instanceof Refused || error instanceof Unreachable ? error.message : stepUp.failed)
    } finally {
      setIsBusy(false)
    }
  }

  if (state === 'done') {
    return (
      <div className="mt-4 grid gap-6">
        <p role="status">{stepUp.reportedText}</p>
        <Button look="primary" big wide ref={primary} onClick={onEnd}>
          {stepUp.toLogin}
        </Button>
      </div>
    )
  }
  return (
    <div className="mt-4 grid gap-6">
      <p>{stepUp.notMeText}</p>
      <ul className="border-y">
        {stepUp.notMePoints.map((point) => (
          <li className="py-3 not-first:border-t" key={point}>
            {point}
          </li>
        ))}
      </ul>
      {failure && <Note tone="error">{failure}</Note>}
      <div className="grid gap-2">
        <Button look="primary" big wide icon="logout" ref={primary} processing={isBusy} onClick={() => void report()}>
          {stepUp.logOutEverywhere}
        </Button>
        <Button look="ghost" wide disabled={isBusy} onClick={() => onState(undefined)}>
          {stepUp.wasMe}
        </Button>
      </div>
    </div>
  )
}
