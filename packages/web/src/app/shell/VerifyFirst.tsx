import type { KycStatus } from '@tern/contract/kyc'
import { verification } from '#messages/identity/verification.ts'
import { paths } from '../paths.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'

/** Stands in the place of a form that moves money until the person's identity is verified. */
export function VerifyFirst({ status }: { status: KycStatus }) {
  const isWaiting = status === 'pending' || status === 'in_review'
  const words = isWaiting ? verification.waiting : verification[status === 'rejected' ? 'rejected' : 'needed']
  return (
    <EmptyState illustration="safe" {...words}>
      {!isWaiting && (
        <LinkButton look="primary" to={paths.register}>
          {verification.verify}
        </LinkButton>
      )}
    </EmptyState>
  )
}
