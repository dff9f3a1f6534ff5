import type { CurrentUser } from '@tern/contract/identity'
import type { KycStatus } from '@tern/contract/kyc'
import { verification } from '#messages/identity/verification.ts'
import { paths } from '../paths.ts'
import { useUser } from '../session/session.ts'
import { NextStep, describeStep } from '../verification/NextStep.tsx'
import { useNextStep } from '../verification/identity-check.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'

/** Replaces a form that moves money until the person's identity is verified. */
export function VerificationRequired({ status }: { status: KycStatus }) {
  const user = useUser()
  if (status === 'pending' && user) return <PendingNote user={user} />
  if (status === 'pending' || status === 'in_review')
    return <EmptyState illustration="safe" {...verification.waiting} />
  return (
    <EmptyState illustration="safe" {...verification[status === 'rejected' ? 'rejected' : 'needed']}>
      <LinkButton look="primary" to={paths.register}>
        {verification.verify}
      </LinkButton>
    </EmptyState>
  )
}

/** Note on a verification that is running, or waits for the email confirmation or a step on the provider's page. */
function PendingNote({ user }: { user: CurrentUser }) {
  const { step, isKnown } = useNextStep(user)
  if (!isKnown) return null
  if (!step) return <EmptyState illustration="safe" {...verification.waiting} />
  const { name, text } = describeStep(step, user.email)
  return (
    <EmptyState illustration="safe" title={name} text={text}>
      <NextStep step={step} userId={user.id} email={user.email} />
    </EmptyState>
  )
}
