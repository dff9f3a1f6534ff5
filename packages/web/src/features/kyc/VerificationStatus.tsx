import type { CurrentUser } from '@tern/contract/identity'
import { kyc } from '#messages/identity/kyc.ts'
import { verification } from '#messages/identity/verification.ts'
import { paths } from '../../app/paths.ts'
import { NextStep, describeStep } from '../../app/verification/NextStep.tsx'
import { isRunning, useVerdict, type Verdict } from '../../app/verification/identity-check.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Entry, EntrySkeleton } from '../../ui/layout/RuledSection.tsx'

const icons = {
  not_started: 'info',
  pending: 'clock',
  in_review: 'clock',
  needs_information: 'warning',
  rejected: 'warning',
  verified: 'check',
} as const

/** Verification status with the missing details per field, and a link to submit them. */
export function VerificationStatus({ user }: { user: Pick<CurrentUser, 'id' | 'email' | 'kyc_status'> }) {
  const verdict = useVerdict(user)
  if (verdict.data) return <VerdictView verdict={verdict.data} user={user} />
  return <DataShell query={verdict} skeleton={<EntrySkeleton />} failed={verification.loadFailed} />
}

interface VerdictViewProps {
  verdict: Verdict
  user: Pick<CurrentUser, 'id' | 'email'>
}

function VerdictView({ verdict: { status, reasons, next_step: step }, user }: VerdictViewProps) {
  const { name, text } = step && status === 'pending' ? describeStep(step, user.email) : verification.states[status]
  const tone = status === 'verified' ? 'state-good' : status === 'not_started' ? '' : 'state-open'
  const action = isRunning(status) || status === 'verified' ? undefined : verification.actions[status]
  return (
    <>
      <div role="status">
        <Entry
          title={
            <span className={`state ${tone}`}>
              <Icon name={icons[status]} />
              {name}
            </span>
          }
          text={text}
        />
      </div>
      {reasons.length > 0 && action && (
        <ul className="[&>li+li]:mt-4 [&>li+li]:pt-4 [&>li+li]:border-t" aria-label={verification.needs}>
          {reasons.map(({ field, message }) => (
            <li key={field + message}>
              <Entry title={fieldLabel(field)} text={message} />
            </li>
          ))}
        </ul>
      )}
      {step && <NextStep step={step} userId={user.id} email={user.email} />}
      {action && (
        <div>
          <LinkButton look={step ? 'secondary' : 'primary'} to={paths.register}>
            {action}
          </LinkButton>
        </div>
      )}
    </>
  )
}

/** Label of a form field; details without a field refer to the whole form. */
function fieldLabel(field: string): string {
  const label = (kyc as { readonly [name: string]: unknown })[field]
  return typeof label === 'string' ? label : verification.wholeForm
}
