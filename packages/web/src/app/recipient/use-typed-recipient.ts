import type { PublicUser } from '@tern/contract/identity'
import { useRef } from 'react'
import type { RecipientAnswer } from './find-recipient.ts'

interface Options {
  own: PublicUser
  /** What is said when the text stands for nobody. */
  nobody: string
  /** What the field holds now. */
  read: () => { text: string; recipient: PublicUser | undefined }
  onFound: (user: PublicUser) => void
  /** `why`: nobody has this name, or the server does not say who it is, in a sentence for the field. */
  onNobody: (why: string) => void
}

/**
 * Turns a typed name, email or number into the person it stands for, once the field is left or the form is sent. An
 * answer for an older text is dropped, and a text that the server is being asked about is not asked about again.
 */
export function useTypedRecipient({ own, nobody, read, onFound, onNobody }: Options) {
  const running = useRef<{ text: string; asked: Promise<void> }>(undefined)
  const refused = useRef<{ text: string; why: string }>(undefined)

  async function take(text: string, answer: Promise<RecipientAnswer>): Promise<void> {
    const { found, refusal } = await answer
    const now = read()
    // Whoever typed on, or chose somebody meanwhile, keeps what they have.
    if (now.text !== text || now.recipient) return
    if (found) return onFound(found)
    const why = refusal ?? nobody
    refused.current = { text, why }
    onNobody(why)
  }

  /** Done once the field holds whom its text stands for, or says why it holds nobody. */
  async function lookUp(): Promise<void> {
    const { text, recipient } = read()
    if (!text.trim() || recipient) return
    if (running.current?.text !== text) {
      const answer = import('./find-recipient.ts').then(({ askForRecipient }) => askForRecipient(text, own))
      const asked = take(text, answer).finally(() => {
        if (running.current?.asked === asked) running.current = undefined
      })
      running.current = { text, asked }
    }
    await running.current.asked
  }

  /** Why a text stands for nobody, as far as that is known. */
  const whyNobody = (text: string): string => (refused.current?.text === text ? refused.current.why : nobody)

  return { lookUp, whyNobody }
}
