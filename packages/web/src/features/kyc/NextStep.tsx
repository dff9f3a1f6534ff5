import { openIdentityPage } from '@tern/contract/kyc'
import { Refused } from '@tern/contract/protocol/client'
import { sendVerificationEmail } from '@tern/contract/sign-in'
import { useState } from 'react'
import { verification } from '#messages/identity/verification.ts'
import { goToProvider } from '../../app/provider-page.ts'
import { callApi, callAsVisitor } from '../../app/session/session.ts'
import { useAction } from '../../app/use-action.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import type { Verdict } from './verification-state.ts'

type Step = NonNullable<Verdict['next_step']>

interface NextStepProps {
  step: Step
  userId: number
  email: string
  /** When the person begins to do something about it. */
  onAct?: () => void
}

/** The way to what a check waits for: the mail once more, or the provider's page. */
export function NextStep({ step, userId, email, onAct }: NextStepProps) {
  const [isSent, setIsSent] = useState(false)
  const { run, isBusy, error } = useAction({ sentenceOf: (cause) => sentenceOf(step, cause) })
  function act() {
    onAct?.()
    run(async () => {
      if (step === 'identity_check') {
        const { url } = await callApi(openIdentityPage, { params: { id: String(userId) } })
        return goToProvider(url)
      }
      await callAsVisitor(sendVerificationEmail, { body: { email } })
      setIsSent(true)
    })
  }
  return (
    <>
      {error && <Note tone="error">{error}</Note>}
      {isSent && !error && <Note live>{verification.emailSent(email)}</Note>}
      <div>
        <Button look="primary" processing={isBusy} onClick={act}>
          {verification.nextSteps[step].action}
        </Button>
      </div>
    </>
  )
}

function sentenceOf(step: Step, cause: unknown): string {
  if (step === 'confirm_email') return verification.emailFailed
  return cause instanceof Refused && cause.code === 'not_found' ? verification.pageEnded : verification.pageFailed
}

/** What a check waits for, in words. */
export function wordsOf(step: Step, email: string): { name: string; text: string } {
  if (step === 'identity_check') return verification.nextSteps.identity_check
  const { name, text } = verification.nextSteps.confirm_email
  return { name, text: text(email) }
}
