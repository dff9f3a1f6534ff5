import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { kycStatus } from '@tern/contract/kyc'
import { useEffect } from 'react'
import { kyc } from '#messages/identity/kyc.ts'
import { verification } from '#messages/identity/verification.ts'
import { paths } from '../../app/paths.ts'
import { callApi, refetchUser } from '../../app/session/session.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Entry, EntrySkeleton } from '../../ui/layout/RuledSection.tsx'
import { NextStep, wordsOf } from './NextStep.tsx'
import type { Verdict } from './verification-state.ts'

/** While a check runs its answer may come any moment; one that waits for a person takes longer. */
const pollMs = { soon: 1000, later: 5000 } as const

const icons = {
  not_started: 'info',
  pending: 'clock',
  in_review: 'clock',
  needs_information: 'warning',
  rejected: 'warning',
  verified: 'check',
} as const

/** Where the identity check stands, what it needs field by field, and the way to send it. */
export function VerificationStatus({ user }: { user: Pick<CurrentUser, 'id' | 'email' | 'kyc_status'> }) {
  const userId = user.id
  const { data, isError, refetch } = useQuery({
    queryKey: ['kyc', userId],
    queryFn: ({ signal }) => callApi(kycStatus, { params: { id: String(userId) } }, signal),
    refetchInterval: ({ state }) => (state.data ? pauseOf(state.data) : false),
  })
  const isNews = data !== undefined && data.status !== user.kyc_status
  useEffect(() => {
    if (isNews) void refetchUser()
  }, [isNews])
  if (data) return <Stands verdict={data} user={user} />
  return isError ? <ErrorState title={verification.loadFailed} onRetry={() => void refetch()} /> : <EntrySkeleton />
}

function pauseOf({ status, next_step: step }: Verdict): number | false {
  if (!isRunning(status) && !step) return false
  return status === 'pending' && !step ? pollMs.soon : pollMs.later
}

const isRunning = (status: Verdict['status']) => status === 'pending' || status === 'in_review'

interface StandsProps {
  verdict: Verdict
  user: Pick<CurrentUser, 'id' | 'email'>
}

function Stands({ verdict: { status, reasons, next_step: step }, user }: StandsProps) {
  const { name, text } = step && status === 'pending' ? wordsOf(step, user.email) : verification.states[status]
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
        <ul className="entry-list" aria-label={verification.needs}>
          {reasons.map(({ field, message }) => (
            <li key={field + message}>
              <Entry title={labelOf(field)} text={message} />
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

/** What a field of the form is called; what is about none of them is about the whole. */
function labelOf(field: string): string {
  const label = (kyc as { readonly [name: string]: unknown })[field]
  return typeof label === 'string' ? label : verification.wholeForm
}
