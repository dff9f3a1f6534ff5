import { useQuery } from '@tanstack/react-query'
import { kycStatus } from '@tern/contract/kyc'
import { kyc } from '#messages/identity/kyc.ts'
import { verification } from '#messages/identity/verification.ts'
import { paths } from '../../app/paths.ts'
import { callApi } from '../../app/session/session.ts'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { Entry, EntrySkeleton } from '../../ui/layout/RuledSection.tsx'
import type { Verdict } from './use-verification.ts'

/** While a check runs its answer may come any moment. */
const pollMs = 5000

const icons = {
  not_started: 'info',
  pending: 'clock',
  in_review: 'clock',
  needs_information: 'warning',
  rejected: 'warning',
  verified: 'check',
} as const

/** Where the identity check stands, what it needs field by field, and the way to send it. */
export function VerificationStatus({ userId }: { userId: number }) {
  const { data, isError, refetch } = useQuery({
    queryKey: ['kyc', userId],
    queryFn: ({ signal }) => callApi(kycStatus, { params: { id: String(userId) } }, signal),
    refetchInterval: ({ state }) => (state.data && isRunning(state.data.status) ? pollMs : false),
  })
  if (data) return <Stands verdict={data} />
  return isError ? <ErrorState title={verification.loadFailed} onRetry={() => void refetch()} /> : <EntrySkeleton />
}

const isRunning = (status: Verdict['status']) => status === 'pending' || status === 'in_review'

function Stands({ verdict: { status, reasons } }: { verdict: Verdict }) {
  const { name, text } = verification.states[status]
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
      {action && (
        <div>
          <LinkButton look="primary" to={paths.register}>
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
