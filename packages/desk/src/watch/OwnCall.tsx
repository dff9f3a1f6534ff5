import { useQueryClient } from '@tanstack/react-query'
import { type DeskCall, endCall } from '@tern/contract/desk/calls'
import { calls as texts } from '@tern/messages/en/desk/calls'
import { useState } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { formatTime } from '@tern/web/ui/format/format.ts'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { call, queryKeys } from '../app/client.ts'
import { errorMessage } from '../app/use-desk.ts'

/** The operator's call: its code while it lasts, and how it ended. */
export function OwnCall({ ownCall }: { ownCall: DeskCall }) {
  const { id, code, person, about, started_at: startedAt, expires_at: expiresAt, confirmed_at: confirmedAt } = ownCall
  const client = useQueryClient()
  const [problem, setProblem] = useState<string>()

  async function end() {
    try {
      await call(endCall, { params: { id } })
      setProblem(undefined)
    } catch (error) {
      setProblem(errorMessage(error))
    } finally {
      await client.invalidateQueries({ queryKey: queryKeys.ownCall })
    }
  }

  if (code === null) {
    const endedBy = ownCall.ended_by ?? 'operator'
    return (
      <div className="mb-4 max-w-160">
        <Note tone={endedBy === 'user' ? 'error' : 'info'} live>
          {texts.over[endedBy](person.username)}
        </Note>
      </div>
    )
  }
  return (
    <section className="mb-4 grid max-w-160 gap-2 border border-sea p-4" aria-labelledby="own-call">
      <h2 className="m-0" id="own-call">
        {texts.own(person.username)}
      </h2>
      <p className="muted">{texts.facts(texts.reasons[about], formatTime(startedAt), formatTime(expiresAt))}</p>
      <p>{texts.sayFirst}</p>
      <p
        className="font-display text-[2rem]/10 tracking-[0.08em] tabular-nums"
        role="img"
        aria-label={texts.codeLabel(code.split('').join(' '))}
      >
        {code.slice(0, 3)} {code.slice(3)}
      </p>
      <p>{texts.neverAsk}</p>
      <Note live>{confirmedAt === null ? texts.notConfirmed : texts.confirmed(formatTime(confirmedAt))}</Note>
      {problem && <Note tone="error">{problem}</Note>}
      <Button look="primary" className="justify-self-start" onClick={() => void end()}>
        {texts.end}
      </Button>
    </section>
  )
}
