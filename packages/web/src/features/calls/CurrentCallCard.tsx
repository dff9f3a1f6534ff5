import { confirmCall, type CurrentCall, refuseCall } from '@tern/contract/calls'
import { calls as texts } from '#messages/identity/calls.ts'
import { refetchUser } from '../../app/session/session.ts'
import { useApiMutation } from '../../app/use-api-mutation.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { formatTime } from '../../ui/format/format.ts'
import { Sheet } from '../../ui/layout/Sheet.tsx'

/** Call by an operator: who, since when and about what, the code that they have to say, and the two answers. */
export function CurrentCallCard({ call, userId }: { call: CurrentCall; userId: number }) {
  const toast = useToast()
  const { send, isBusy, error } = useApiMutation({
    failed: texts.failed,
    refetches: [['calls', userId]],
    onSettled: refetchUser,
  })
  const params = { id: call.id }
  return (
    <Sheet scaleBar className="grid gap-3 p-5 md:p-8">
      <h2 className="display-m">{texts.current(call.caller)}</h2>
      <p>{texts.since(formatTime(call.started_at), texts.about[call.about])}</p>
      <div className="mt-3 grid gap-2 border-t border-b py-5">
        <p>{texts.askCode}</p>
        <p
          className="font-display text-[3rem]/14 tracking-[0.08em] tabular-nums"
          role="img"
          aria-label={texts.codeLabel(call.code.split('').join(' '))}
        >
          {call.code.slice(0, 3)} {call.code.slice(3)}
        </p>
        <p className="small muted">{texts.codeNote}</p>
      </div>
      {error && <Note tone="error">{error}</Note>}
      {call.confirmed_at !== null && (
        <Note live>
          <b className="font-medium">{texts.confirmed}</b> {texts.confirmedText}
        </Note>
      )}
      <div className="form-actions mt-3 flex-wrap">
        {call.confirmed_at === null && (
          <Button look="primary" big processing={isBusy} onClick={() => send(confirmCall, { params })}>
            {texts.matches}
          </Button>
        )}
        <Button big disabled={isBusy} onClick={() => send(refuseCall, { params }, () => toast(texts.refused))}>
          {texts.notRight}
        </Button>
      </div>
      <p className="small muted">{texts.ends(formatTime(call.expires_at))}</p>
    </Sheet>
  )
}
