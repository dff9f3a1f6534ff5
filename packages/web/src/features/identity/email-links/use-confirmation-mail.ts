import { sendVerificationEmail } from '@tern/contract/sign-in'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { useAction } from '../../../app/use-action.ts'
import { describeError } from '../errors.ts'

/** Sends the confirmation link for an address; `outcome` is the success or failure message. */
export function useConfirmationMail(email: string) {
  const [sent, setSent] = useState<string>()
  const { run, isBusy, error } = useAction({ failed: (cause) => describeError(cause, account.failed) })
  const send = () =>
    run(async () => {
      await callAsVisitor(sendVerificationEmail, { body: { email } })
      setSent(account.confirmationSent(email))
    })
  const text = error ?? sent
  return { send, isBusy, outcome: text === undefined ? undefined : ({ tone: error ? 'error' : 'info', text } as const) }
}
