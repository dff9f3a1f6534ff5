import { sendVerificationEmail } from '@tern/contract/sign-in'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { sentenceOf } from '../errors.ts'

type Outcome = { readonly tone: 'info' | 'error'; readonly text: string }

/** Having the link mailed that confirms an address; `outcome` says where it went, or why it did not. */
export function useConfirmationMail(email: string) {
  const [isBusy, setIsBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()

  async function send() {
    setIsBusy(true)
    try {
      await callAsVisitor(sendVerificationEmail, { body: { email } })
      setOutcome({ tone: 'info', text: account.confirmationSent(email) })
    } catch (error) {
      setOutcome({ tone: 'error', text: sentenceOf(error, account.failed) })
    } finally {
      setIsBusy(false)
    }
  }

  return { send: () => void send(), isBusy, outcome }
}
