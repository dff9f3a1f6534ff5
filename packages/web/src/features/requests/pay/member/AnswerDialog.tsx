import { acceptLink, declineLink } from '@tern/contract/requests/payment-links'
import { useState } from 'react'
import { pay } from '#messages/transfers/requests.ts'
import { useApiMutation } from '../../../../app/use-api-mutation.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { TextField } from '../../../../ui/forms/TextField.tsx'
import { Dialog } from '../../../../ui/layout/Dialog.tsx'

interface AnswerDialogProps {
  kind: 'decline' | 'accept'
  data: string
  name: string
  /** Last possible day of an accepted payment. */
  lastDay: string
  onClose: () => void
  onAnswered: () => void
}

const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

/** Declines a request with an optional reason, or accepts it for a later day. */
export function AnswerDialog({ kind, data, name, lastDay, onClose, onAnswered }: AnswerDialogProps) {
  const [text, setText] = useState(kind === 'accept' ? tomorrow() : '')
  const action = useApiMutation({ failed: pay.failed })
  const isDecline = kind === 'decline'
  const params = { data }
  const answer = () =>
    isDecline
      ? action.send(declineLink, { params, body: text.trim() ? { reason: text } : {} }, onAnswered)
      : action.send(acceptLink, { params, body: { on: text } }, onAnswered)
  return (
    <Dialog open onClose={onClose} title={isDecline ? pay.declineTitle : pay.acceptTitle} size="small">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          answer()
        }}
      >
        <p className="muted mb-5">{isDecline ? pay.declineText(name) : pay.acceptText(name)}</p>
        {isDecline ? (
          <TextField
            label={pay.declineReason}
            optional
            maxLength={200}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        ) : (
          <TextField
            label={pay.acceptOn}
            type="date"
            min={tomorrow()}
            max={lastDay}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        {action.error && (
          <div className="mt-4">
            <Note tone="error">{action.error}</Note>
          </div>
        )}
        <div className="form-actions mt-6">
          <Button big onClick={onClose}>
            {pay.keep}
          </Button>
          <Button look="primary" big className="grow" type="submit" processing={action.isBusy}>
            {isDecline ? pay.declineConfirm : pay.acceptConfirm}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
