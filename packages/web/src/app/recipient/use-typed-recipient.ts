import type { PublicUser } from '@tern/contract/identity'
import { useRef } from 'react'
import type { RecipientAnswer } from './find-recipient.ts'

interface Options {
  own: PublicUser
  /** Message for a text that matches no user. */
  notFound: string
  /** Current content of the field. */
  read: () => { text: string; recipient: PublicUser | undefined }
  onFound: (user: PublicUser) => void
  /** `why` is a sentence for the field: there is no such user, or the server's reason for not answering. */
  onNotFound: (why: string) => void
}

/**
 * Resolves a typed name, email or number to a person, once the field is left or the form is sent. Replies for an older
 * text are dropped, and a text is not looked up again during its lookup.
 */
export function useTypedRecipient({ own, notFound, read, onFound, onNotFound }: Options) {
  const pending = useRef<{ text: string; promise: Promise<void> }>(undefined)
  const failure = useRef<{ text: string; why: string }>(undefined)

  async function applyAnswer(text: string, answer: Promise<RecipientAnswer>): Promise<void> {
    const { found, refusal } = await answer
    const now = read()
    // Keeps the field if the text has changed or a person has been chosen in the meantime.
    if (now.text !== text || now.recipient) return
    if (found) return onFound(found)
    const why = refusal ?? notFound
    failure.current = { text, why }
    onNotFound(why)
  }

  /** Resolves once the field holds the person for its text, or shows why there is none. */
  async function lookUp(): Promise<void> {
    const { text, recipient } = read()
    if (!text.trim() || recipient) return
    if (pending.current?.text !== text) {
      const answer = import('./find-recipient.ts').then(({ fetchRecipient }) => fetchRecipient(text, own))
      const lookup = applyAnswer(text, answer).finally(() => {
        if (pending.current?.promise === lookup) pending.current = undefined
      })
      pending.current = { text, promise: lookup }
    }
    await pending.current.promise
  }

  /** Reason why a text matches no user; `notFound` before its lookup. */
  const searchProblem = (text: string): string => (failure.current?.text === text ? failure.current.why : notFound)

  return { lookUp, searchProblem }
}
