import {
  askProvider,
  claimDeskItem,
  type DeskOpenItem,
  escalateDeskItem,
  handOverDeskItem,
  noteDeskItem,
} from '@tern/contract/desk/queues'
import { minReasonLength } from '@tern/contract/desk/reason'
import type { DeskQueue } from '@tern/contract/desk/roles'
import { entries } from '@tern/messages/en/desk/entries'
import { type FormEvent, useState } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { call } from '../app/client.ts'
import { useKeys } from '../app/keyboard.ts'
import { Modal } from '../app/KeyMap.tsx'
import { errorMessage } from '../app/use-desk.ts'

const texts = entries.acts

interface EntryActionsProps {
  queue: DeskQueue
  item: DeskOpenItem
  refresh: () => Promise<unknown>
}

type ActionName = 'handOver' | 'escalate' | 'note'

/** Actions other than a decision: claim, hand over, escalate, add a note, poll the provider. */
export function EntryActions({ queue, item, refresh }: EntryActionsProps) {
  const params = { queue, id: item.id }
  const [openAction, setOpenAction] = useState<ActionName>()
  const [message, setMessage] = useState<{ text: string; isError?: boolean }>()

  async function runAction(task: () => Promise<unknown>, text: string): Promise<boolean> {
    try {
      await task()
      setMessage({ text })
      return true
    } catch (error) {
      setMessage({ text: errorMessage(error), isError: true })
      return false
    } finally {
      await refresh()
    }
  }
  const claim = () => void runAction(() => call(claimDeskItem, { params }), texts.taken)
  const pollProvider = () => void runAction(() => call(askProvider, { params }), texts.asked)
  const isInvolved = item.barred === 'involved'
  // Operators can neither see nor act on items about their own account.
  const isOwn = isInvolved && item.sections.length === 0
  const claimAction = item.is_mine ? () => setOpenAction('handOver') : item.claimed_by === null ? claim : undefined
  const actionsByKey: Readonly<Record<string, (() => void) | undefined>> = {
    a: isInvolved ? undefined : claimAction,
    e: isInvolved || item.for_lead ? undefined : () => setOpenAction('escalate'),
    n: isOwn ? undefined : () => setOpenAction('note'),
    f: item.can_ask_provider ? pollProvider : undefined,
  }
  useKeys((key) => {
    actionsByKey[key]?.()
    return actionsByKey[key] !== undefined
  })

  const actions: Readonly<Record<ActionName, (reason: string, to: string) => Promise<boolean>>> = {
    handOver: (reason, to) =>
      runAction(
        () => call(handOverDeskItem, { params, body: { to: to === '' ? null : to, reason } }),
        texts.handedOver,
      ),
    escalate: (reason) => runAction(() => call(escalateDeskItem, { params, body: { reason } }), texts.escalated),
    note: (text) => runAction(() => call(noteDeskItem, { params, body: { text } }), texts.noted),
  }
  return (
    <div className="ms-auto flex flex-wrap justify-end gap-x-1 gap-y-0 max-sm:-ms-2 max-sm:w-full max-sm:justify-start">
      {actionsByKey.f && <ActionButton letter="F" text={texts.ask} onClick={actionsByKey.f} />}
      {actionsByKey.n && <ActionButton letter="N" text={texts.note} onClick={actionsByKey.n} />}
      {actionsByKey.e && <ActionButton letter="E" text={texts.escalate} onClick={actionsByKey.e} />}
      {actionsByKey.a && (
        <ActionButton letter="A" text={item.is_mine ? texts.handOver : texts.take} onClick={actionsByKey.a} />
      )}
      {message && !openAction && (
        <Note tone={message.isError ? 'error' : 'info'} live>
          {message.text}
        </Note>
      )}
      {openAction && (
        <ActionDialog
          action={openAction}
          problem={message?.isError ? message.text : undefined}
          onClose={() => setOpenAction(undefined)}
          onSave={async (reason, to) => {
            if (await actions[openAction](reason, to)) setOpenAction(undefined)
          }}
        />
      )}
    </div>
  )
}

function ActionButton({ letter, text, onClick }: { letter: string; text: string; onClick: (() => void) | undefined }) {
  return (
    <Button look="ghost" onClick={onClick} aria-keyshortcuts={letter}>
      {text} <kbd>{letter}</kbd>
    </Button>
  )
}

interface ActionDialogProps {
  action: ActionName
  problem: string | undefined
  onClose: () => void
  onSave: (reason: string, to: string) => Promise<void>
}

function ActionDialog({ action, problem, onClose, onSave }: ActionDialogProps) {
  const [reason, setReason] = useState('')
  const [to, setTo] = useState('')
  function save(event: FormEvent) {
    event.preventDefault()
    void onSave(reason, to.trim())
  }
  return (
    <Modal title={texts[action]} onClose={onClose}>
      <form className="grid gap-4" onSubmit={save}>
        {action === 'handOver' && (
          <label className="dk-field">
            {texts.handOverTo}
            <input value={to} onChange={({ target }) => setTo(target.value)} maxLength={60} autoComplete="off" />
            <span className="dk-hint">{texts.handOverHint}</span>
          </label>
        )}
        <label className="dk-field">
          {action === 'note' ? texts.noteText : texts.reason}
          <textarea
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            minLength={minReasonLength}
            maxLength={500}
            required
          />
          <span className="dk-hint">{entries.decision.reasonHint}</span>
        </label>
        {problem && <Note tone="error">{problem}</Note>}
        <div className="flex flex-wrap gap-2">
          <Button look="primary" type="submit">
            {texts.save}
          </Button>
          <Button onClick={onClose}>{texts.cancel}</Button>
        </div>
      </form>
    </Modal>
  )
}
