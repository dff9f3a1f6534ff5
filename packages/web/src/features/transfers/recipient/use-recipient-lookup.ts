import { Refused } from '@tern/contract/protocol/client'
import type { PublicUser } from '@tern/contract/identity'
import { useRef, useState } from 'react'
import { transfers } from '#messages/transfers.ts'
import type { Draft } from '../use-draft.ts'
import { findRecipient } from './recipients.ts'

interface Found {
  readonly user: PublicUser | undefined
  readonly error: string | undefined
}

/** Turns a typed text into the person it stands for once the field is left. An answer for an older text is dropped. */
export function useRecipientLookup(ownId: number, { form, values }: Draft) {
  const running = useRef<{ text: string; answer: Promise<Found> }>(undefined)
  const [failed, setFailed] = useState<{ text: string; message: string }>()
  const isOwn = values.recipient?.id === ownId

  async function find(text: string): Promise<Found> {
    try {
      const user = await findRecipient(text)
      if (user) return { user, error: user.id === ownId ? transfers.notYourself : undefined }
    } catch (error) {
      if (!(error instanceof Refused)) reportError(error)
    }
    return { user: undefined, error: transfers.recipientNotFound }
  }

  function begin(): void {
    const { recipientText: text, recipient } = form.getValues()
    if (!text.trim() || recipient || running.current?.text === text) return
    const answer = find(text)
    running.current = { text, answer }
    void take(text, answer)
  }

  async function take(text: string, answer: Promise<Found>): Promise<void> {
    const found = await answer
    if (running.current?.answer !== answer) return
    running.current = undefined
    // Whoever typed on, or chose somebody meanwhile, keeps what they have.
    const now = form.getValues()
    if (now.recipientText === text && !now.recipient) form.setValue('recipient', found.user)
    setFailed(found.error === undefined ? undefined : { text, message: found.error })
  }

  /** The person in the field, once the server has said who that is. */
  async function settle(): Promise<Found> {
    begin()
    const { recipient: user } = form.getValues()
    if (user) return { user, error: user.id === ownId ? transfers.notYourself : undefined }
    return running.current?.answer ?? { user: undefined, error: undefined }
  }

  const hasFailed = failed?.text === values.recipientText && !values.recipient
  return { begin, settle, isOwn, error: isOwn ? transfers.notYourself : hasFailed ? failed?.message : undefined }
}
