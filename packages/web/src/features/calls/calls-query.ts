import { callStatus } from '@tern/contract/calls'
import { buildQuery } from '../../app/session/query.ts'

/** Pause between checks while the page is open; the event stream reports changes before. */
const checkMs = 10_000
/** Age from which an answer says nothing about this moment. */
export const answerAgeMs = 30_000

/** Whether an operator is calling; never answered from an old reply. */
export const callsQuery = (userId: number) => ({
  ...buildQuery(['calls', userId], callStatus, {}),
  staleTime: 0,
  refetchInterval: checkMs,
  refetchOnMount: 'always' as const,
})
