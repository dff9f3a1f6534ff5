import { Refused, Unreachable } from '@tern/contract/protocol/client'
import { type PublicUser, userProfile } from '@tern/contract/identity'
import { useEffect, useRef, useState } from 'react'
import { transfers } from '#messages/transfers.ts'
import { fetchRecipient } from '../../../app/recipient/find-recipient.ts'
import { callApi } from '../../../app/session/session.ts'
import type { Draft } from '../use-draft.ts'

/** Resolves the typed text to a user when the field is left. Drops answers for an older text. */
export function useRecipientLookup({ form, values }: Draft, own: PublicUser) {
  const pending = useRef<{ text: string; answer: Promise<PublicUser | undefined> }>(undefined)
  const [failure, setFailure] = useState<{ text: string; why: string }>()
  const refusal = useRef<string>(undefined)

  async function find(text: string): Promise<PublicUser | undefined> {
    const { found, refusal: why } = await fetchRecipient(text, own)
    refusal.current = why
    return found
  }

  function begin(): void {
    const { recipientText: text, recipient } = form.getValues()
    if (!text.trim() || recipient || pending.current?.text === text) return
    refusal.current = undefined
    const answer = find(text)
    pending.current = { text, answer }
    void applyAnswer(text, answer)
  }

  async function applyAnswer(text: string, answer: Promise<PublicUser | undefined>): Promise<void> {
    const user = await answer
    if (pending.current?.answer !== answer) return
    pending.current = undefined
    // Keep later input or another chosen recipient.
    const now = form.getValues()
    if (now.recipientText === text && !now.recipient) form.setValue('recipient', user)
    setFailure(user ? undefined : { text, why: refusal.current ?? transfers.recipientNotFound })
  }

  // A recipient from an earlier transfer is looked up at once.
  useEffect(() => {
    begin()
    // Only on mount: later lookups start on blur.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [])

  /**
   * Resolves to the recipient in the field, with the full name for the review, since lists have only initials.
   * `refusal`: the server's reason for refusing.
   */
  async function waitForRecipient(): Promise<{ recipient?: PublicUser | undefined; refusal?: string | undefined }> {
    begin()
    const text = form.getValues().recipientText
    const recipient = form.getValues().recipient ?? (await pending.current?.answer)
    if (!recipient) return { refusal: refusal.current }
    if (!recipient.name) return { recipient }
    try {
      const { name, local_name: localName } = await callApi(userProfile, { params: { id: String(recipient.id) } })
      const fullRecipient = { ...recipient, name, ...(localName === undefined ? {} : { local_name: localName }) }
      if (form.getValues().recipientText === text) form.setValue('recipient', fullRecipient)
      return { recipient: fullRecipient }
    } catch (error) {
      if (error instanceof Refused || error instanceof Unreachable) return { refusal: error.message }
      throw error
    }
  }

  /** Reason why the text in the field matches no user. */
  const failureText = failure?.text === values.recipientText && !values.recipient ? failure.why : undefined
  return { begin, waitForRecipient, failureText }
}
