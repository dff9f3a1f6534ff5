import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { reportUnrecognizedStepUp } from '@tern/contract/security'
import { useLayoutEffect, useRef } from 'react'
import { stepUp } from '#messages/identity/step-up.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { callApi, refetchUser } from '../session/session.ts'
import { useAction } from '../use-action.ts'

/** Progress of reporting that a confirmation was not the person's own. */
export type ReportState = 'asking' | 'done'

export const reportTitles: Readonly<Record<ReportState, string>> = { asking: stepUp.notMe, done: stepUp.reported }

interface UnrecognizedStepUpProps {
  /** Confirmation id. */
  id: string
  state: ReportState
  onStateChange: (state: ReportState | undefined) => void
  onEnd: () => void
}

/** Explains what "this wasn't me" does and, once done, the next step. */
export function UnrecognizedStepUp({ id, state, onStateChange, onEnd }: UnrecognizedStepUpProps) {
  const { run, isBusy, error } = useAction({
    failed: (cause) => (cause instanceof Refused || cause instanceof Unreachable ? cause.message : stepUp.failed),
  })
  const primary = useRef<HTMLButtonElement>(null)
  // A layout effect, since the dialog takes the focus a frame after the focused control was removed.
  useLayoutEffect(() => primary.current?.focus(), [state])

  const report = () =>
    run(async () => {
      await callApi(reportUnrecognizedStepUp, { params: { id } })
      onStateChange('done')
      // The report also ends this session, so the page behind the dialog redirects to /login.
      await refetchUser()
    })

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
      {error && <Note tone="error">{error}</Note>}
      <div className="grid gap-2">
        <Button look="primary" big wide icon="logout" ref={primary} processing={isBusy} onClick={report}>
          {stepUp.logOutEverywhere}
        </Button>
        <Button look="ghost" wide disabled={isBusy} onClick={() => onStateChange(undefined)}>
          {stepUp.wasMe}
        </Button>
      </div>
    </div>
  )
}
