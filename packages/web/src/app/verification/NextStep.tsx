import { openIdentityPage } from '@tern/contract/kyc'
import { Refused } from '@tern/contract/protocol/client'
import { sendVerificationEmail } from '@tern/contract/sign-in'
import { useState } from 'react'
import { verification } from '#messages/identity/verification.ts'
import { goToProvider } from '../provider-page.ts'
import { callApi, callAsVisitor } from '../session/session.ts'
import { useAction } from '../use-action.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import type { NextStepName } from './identity-check.ts'

interface NextStepProps {
  step: NextStepName
  userId: number
  email: string
  /** Called when the person starts the step. */
  onAction?: () => void
}

/** Action that an identity check waits for: resending the confirmation email, or opening the provider's page. */
export function NextStep({ step, userId, email, onAction }: NextStepProps) {
  const [isSent, setIsSent] = useState(false)
  const { run, isBusy, error } = useAction({ failed: (cause) => describeCause(step, cause) })
  function runStep() {
    onAction?.()
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
      {isSent && !error && (
        <Note live>
          <span className="wrap-anywhere">{verification.emailSent(email)}</span>
        </Note>
      )}
      <div>
        <Button look={isSent ? 'secondary' : 'primary'} processing={isBusy} onClick={runStep}>
          {verification.nextSteps[step].action}
        </Button>
      </div>
    </>
  )
}

function describeCause(step: NextStepName, cause: unknown): string {
  if (cause instanceof Refused && cause.code === 'rate_limited') return cause.message
  if (step === 'confirm_email') return verification.emailFailed
  return cause instanceof Refused && cause.code === 'not_found' ? verification.pageEnded : verification.pageFailed
}

export function describeStep(step: NextStepName, email: string): { name: string; text: string } {
  if (step === 'identity_check') return verification.nextSteps.identity_check
  const { name, text } = verification.nextSteps.confirm_email
  return { name, text: text(email) }
}
