import { useQueryClient } from '@tanstack/react-query'
import type { CallReason } from '@tern/contract/calls'
import { startCall } from '@tern/contract/desk/calls'
import { calls as texts } from '@tern/messages/en/desk/calls'
import { type FormEvent, useState } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { call, queryKeys } from '../app/client.ts'
import { errorMessage } from '../app/use-desk.ts'

const reasons = Object.entries(texts.reasons) as [CallReason, string][]

/** Form that starts a call to a person, for one of a few reasons. */
export function StartCall({ personId }: { personId: number }) {
  const client = useQueryClient()
  const [about, setAbout] = useState<CallReason>('question')
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function start(event: FormEvent) {
    event.preventDefault()
    setIsBusy(true)
    try {
      await call(startCall, { params: { id: String(personId) }, body: { about } })
      setProblem(undefined)
      await client.invalidateQueries({ queryKey: queryKeys.ownCall })
      document.querySelector('#main')?.scrollTo({ top: 0 })
    } catch (error) {
      setProblem(errorMessage(error))
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <form className="grid max-w-160 justify-items-start gap-3" onSubmit={(event) => void start(event)}>
      <p className="muted">{texts.startText}</p>
      <label className="dk-field w-full max-w-90">
        {texts.about}
        <select value={about} onChange={({ target }) => setAbout(target.value as CallReason)}>
          {reasons.map(([reason, text]) => (
            <option key={reason} value={reason}>
              {text}
            </option>
          ))}
        </select>
        <span className="muted">{texts.reasonHint}</span>
      </label>
      {problem && <Note tone="error">{problem}</Note>}
      <Button type="submit" processing={isBusy}>
        {texts.startButton}
      </Button>
    </form>
  )
}
