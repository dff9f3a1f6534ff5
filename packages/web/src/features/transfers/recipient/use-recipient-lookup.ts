import { Refused } from '@tern/contract/protocol/client'
import type { CurrentUser, PublicUser } from '@tern/contract/identity'
import { useRef, useState } from 'react'
import { transfers } from '#messages/transfers.ts'
import { findRecipient } from './recipients.ts'
import type { SendForm } from '../send-form.ts'

interface Found {
  readonly user: PublicUser | undefined
  readonly error: string | undefined
}

interface LookupProps {
  user: CurrentUser
  form: SendForm
  onForm: (change: (form: SendForm) => SendForm) => void
}

/** Turns a typed text into the person it stands for once the field is left. An answer for an older text is dropped. */
export function useRecipientLookup({ user, form, onForm }: LookupProps) {
  const running = useRef<{ text: string; answer: Promise<Found> }>(undefined)
  const [failed, setFailed] = useState<{ text: string; message: string }>()
  const isOwn = form.recipient?.id === user.id

  async function find(text: string): Promise<Found> {
    try {
      const found = await findRecipient(text)
      if (!found) return { user: undefined, error: transfers.recipientNotFound }
      return { user: found, error: found.id === user.id ? transfers.notYourself : undefined }
    } catch (error) {
      if (!(error instanceof Refused)) reportError(error)
      return { user: undefined, error: transfers.recipientNotFound }
    }
  }

  function begin(): void {
    const text = form.recipientText
    if (!text.trim() || form.recipient || running.current?.text === text) return
    const answer = find(text)
    running.current = { text, answer }
    void take(text, answer)
  }

  async function take(text: string, answer: Promise<Found>): Promise<void> {
    const found = await answer
    if (running.current?.answer !== answer) return
    running.current = undefined
    // Whoever typed on, or chose somebody meanwhile, keeps what they have.
    onForm((current) =>
      current.recipientText === text && !current.recipient ? { ...current, recipient: found.user } : current,
    )
    setFailed(found.error === undefined ? undefined : { text, message: found.error })
  }

  /** The person in the field, waiting for the server where it has not said yet. */
  async function settle(): Promise<Found> {
    if (form.recipient) return { user: form.recipient, error: isOwn ? transfers.notYourself : undefined }
    if (!form.recipientText.trim()) return { user: undefined, error: undefined }
    begin()
    return running.current?.answer ?? { user: undefined, error: undefined }
  }

  const error = isOwn
    ? transfers.notYourself
    : failed?.text === form.recipientText && !form.recipient
      ? failed.message
      : undefined
  return { begin, settle, error, isOwn }
}
