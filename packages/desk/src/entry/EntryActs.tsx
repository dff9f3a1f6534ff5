import {
  askProvider,
  claimDeskItem,
  type DeskOpenItem,
  escalateDeskItem,
  handOverDeskItem,
  noteDeskItem,
} from '@tern/contract/desk/queues'
import { shortestReason } from '@tern/contract/desk/reason'
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

interface EntryActsProps {
  queue: DeskQueue
  item: DeskOpenItem
  refresh: () => Promise<unknown>
}

type Asked = 'handOver' | 'escalate' | 'note'

/** Actions short of a decision: claim, hand over, escalate, note, ask the provider. */
export function EntryActs({ queue, item, refresh }: EntryActsProps) {
  const params = { queue, id: item.id }
  const [asked, setAsked] = useState<Asked>()
  const [told, setTold] = useState<{ text: string; isError?: boolean }>()

  async function act(work: () => Promise<unknown>, text: string): Promise<boolean> {
    try {
      await work()
      setTold({ text })
      return true
    } catch (error) {
      setTold({ text: errorMessage(error), isError: true })
      return false
    } finally {
      await refresh()
    }
  }
  const take = () => void act(() => call(claimDeskItem, { params }), texts.taken)
  const ask = () => void act(() => call(askProvider, { params }), texts.asked)
  const isInvolved = item.barred === 'involved'
  // Entries about an operator's own account are neither shown nor open to actions.
  const isOwn = isInvolved && item.sections.length === 0
  const takes = item.is_mine ? () => setAsked('handOver') : item.claimed_by === null ? take : undefined
  const shown: Readonly<Record<string, (() => void) | undefined>> = {
    a: isInvolved ? undefined : takes,
    e: isInvolved || item.for_lead ? undefined : () => setAsked('escalate'),
    n: isOwn ? undefined : () => setAsked('note'),
    f: item.can_ask_provider ? ask : undefined,
  }
  useKeys((key) => {
    shown[key]?.()
    return shown[key] !== undefined
  })

  const writes: Readonly<Record<Asked, (reason: string, to: string) => Promise<boolean>>> = {
    handOver: (reason, to) =>
      act(() => call(handOverDeskItem, { params, body: { to: to === '' ? null : to, reason } }), texts.handedOver),
    escalate: (reason) => act(() => call(escalateDeskItem, { params, body: { reason } }), texts.escalated),
    note: (text) => act(() => call(noteDeskItem, { params, body: { text } }), texts.noted),
  }
  return (
    <div className="ms-auto flex flex-wrap justify-end gap-x-1 gap-y-0 max-sm:-ms-2 max-sm:w-full max-sm:justify-start">
      {shown.f && <ActButton letter="F" text={texts.ask} onClick={shown.f} />}
      {shown.n && <ActButton letter="N" text={texts.note} onClick={shown.n} />}
      {shown.e && <ActButton letter="E" text={texts.escalate} onClick={shown.e} />}
      {shown.a && <ActButton letter="A" text={item.is_mine ? texts.handOver : texts.take} onClick={shown.a} />}
      {told && !asked && (
        <Note tone={told.isError ? 'error' : 'info'} live>
          {told.text}
        </Note>
      )}
      {asked && (
        <AskedFor
          asked={asked}
          problem={told?.isError ? told.text : undefined}
          onClose={() => setAsked(undefined)}
          onSave={async (reason, to) => {
            if (await writes[asked](reason, to)) setAsked(undefined)
          }}
        />
      )}
    </div>
  )
}

function ActButton({ letter, text, onClick }: { letter: string; text: string; onClick: (() => void) | undefined }) {
  return (
    <Button look="ghost" onClick={onClick} aria-keyshortcuts={letter}>
      {text} <kbd>{letter}</kbd>
    </Button>
  )
}

interface AskedForProps {
  asked: Asked
  problem: string | undefined
  onClose: () => void
  onSave: (reason: string, to: string) => Promise<void>
}

function AskedFor({ asked, problem, onClose, onSave }: AskedForProps) {
  const [reason, setReason] = useState('')
  const [to, setTo] = useState('')
  function save(event: FormEvent) {
    event.preventDefault()
    void onSave(reason, to.trim())
  }
  return (
    <Modal title={texts[asked]} onClose={onClose}>
      <form className="grid gap-4" onSubmit={save}>
        {asked === 'handOver' && (
          <label className="dk-field">
            {texts.handOverTo}
            <input value={to} onChange={({ target }) => setTo(target.value)} maxLength={60} autoComplete="off" />
            <span className="dk-hint">{texts.handOverHint}</span>
          </label>
        )}
        <label className="dk-field">
          {asked === 'note' ? texts.noteText : texts.reason}
          <textarea
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            minLength={shortestReason}
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
