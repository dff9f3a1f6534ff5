import { useQuery } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { kycStatus } from '@tern/contract/kyc'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { useEffect } from 'react'
import { buildQuery } from '../session/query.ts'
import { refetchUser } from '../session/session.ts'

/** State of an identity check: its status, missing details of the form, and the person's next step. */
export type Verdict = Reply<typeof kycStatus>
export type NextStepName = NonNullable<Verdict['next_step']>

/** Running checks can end at any moment; reviews, and steps that the person must take, last longer. */
const pollMs = { soon: 1000, later: 5000 } as const

export const isRunning = (status: Verdict['status']) => status === 'pending' || status === 'in_review'

function choosePause({ status, next_step: step }: Verdict): number | false {
  if (!isRunning(status) && !step) return false
  return status === 'pending' && !step ? pollMs.soon : pollMs.later
}

/** The person's identity check, polled while it can still change. A new status is loaded into the session as well. */
export function useVerdict(user: Pick<CurrentUser, 'id' | 'kyc_status'>, { enabled = true } = {}) {
  const verdict = useQuery({
    ...buildQuery(['kyc', user.id], kycStatus, { params: { id: String(user.id) } }),
    refetchInterval: ({ state }) => (state.data ? choosePause(state.data) : false),
    enabled,
  })
  const { data } = verdict
  const hasChanged = enabled && data !== undefined && data.status !== user.kyc_status
  useEffect(() => {
    if (hasChanged) void refetchUser()
  }, [hasChanged])
  return verdict
}

/** Step that a pending check requires of the person; `isKnown` is false until the first request has ended. */
export function useNextStep(user: Pick<CurrentUser, 'id' | 'kyc_status'>) {
  const isPending = user.kyc_status === 'pending'
  const { data: verdict, isError } = useVerdict(user, { enabled: isPending })
  const step = isPending && verdict?.status === 'pending' ? verdict.next_step : null
  return { step, isKnown: !isPending || isError || verdict !== undefined }
}
