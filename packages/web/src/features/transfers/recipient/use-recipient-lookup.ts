import { Refused } from '@tern/contract/protocol/client'
import { type PublicUser, searchUsers, userProfile } from '@tern/contract/identity'
import { useRef, useState } from 'react'
import { callApi } from '../../../app/session/session.ts'
import type { Draft } from '../use-draft.ts'
import { fewestCharacters } from './use-recipient-list.ts'

const isSame = (one: string | undefined, other: string) => one?.toLowerCase() === other.toLowerCase()

/**
 * The registered user whom a typed text stands for: their number, their username or their whole email. Undefined when
 * there is nobody; throws what the call threw when the server did not answer.
 */
async function findRecipient(typed: string): Promise<PublicUser | undefined> {
  const text = typed.trim()
  if (/^[1-9]\d*$/.test(text)) return callApi(userProfile, { params: { id: text } })
  if (text.length < fewestCharacters) return undefined
  const found = await callApi(searchUsers, { query: { query: text, exact: 'true' } })
  return found.find((user) => isSame(user.username, text) || isSame(user.email, text)) ?? found[0]
}

/** Turns a typed text into the person it stands for once the field is left. An answer for an older text is dropped. */
export function useRecipientLookup({ form, values }: Draft) {
  const running = useRef<{ text: string; answer: Promise<PublicUser | undefined> }>(undefined)
  const [nobodysText, setNobodysText] = useState<string>()

  async function find(text: string): Promise<PublicUser | undefined> {
    try {
      return await findRecipient(text)
    } catch (error) {
      if (!(error instanceof Refused)) reportError(error)
      return undefined
    }
  }

  function begin(): void {
    const { recipientText: text, recipient } = form.getValues()
    if (!text.trim() || recipient || running.current?.text === text) return
    const answer = find(text)
    running.current = { text, answer }
    void take(text, answer)
  }

  async function take(text: string, answer: Promise<PublicUser | undefined>): Promise<void> {
    const user = await answer
    if (running.current?.answer !== answer) return
    running.current = undefined
    // Whoever typed on, or chose somebody meanwhile, keeps what they have.
    const now = form.getValues()
    if (now.recipientText === text && !now.recipient) form.setValue('recipient', user)
    setNobodysText(user ? undefined : text)
  }

  /** The person in the field, once the server has said who that is. */
  async function settle(): Promise<PublicUser | undefined> {
    begin()
    return form.getValues().recipient ?? running.current?.answer
  }

  /** The text in the field stands for nobody. */
  const isNobody = nobodysText === values.recipientText && !values.recipient
  return { begin, settle, isNobody }
}
