import { reportCall } from '@tern/contract/calls'
import { useState } from 'react'
import { calls as texts } from '#messages/identity/calls.ts'
import { useApiMutation } from '../../app/use-api-mutation.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'

/** States that no one from Tern is calling, and takes a report of somebody who claims to be. */
export function NoCallCard({ userId }: { userId: number }) {
  const [isReported, setIsReported] = useState(false)
  const { send, isBusy, error } = useApiMutation({ failed: texts.failed, refetches: [['calls', userId]] })
  return (
    <Sheet className="grid gap-3 p-5 md:p-8">
      <h2 className="display-m">{texts.none}</h2>
      <p className="max-w-[52ch]">{texts.noneText}</p>
      {error && <Note tone="error">{error}</Note>}
      {isReported ? (
        <Note live>{texts.reported}</Note>
      ) : (
        <Button
          className="mt-3 justify-self-start py-2 whitespace-normal"
          processing={isBusy}
          onClick={() => send(reportCall, {}, () => setIsReported(true))}
        >
          {texts.report}
        </Button>
      )}
    </Sheet>
  )
}
