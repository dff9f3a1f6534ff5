import type { Cases } from '../compliance/compliance.ts'
import type { HeldTransfers } from '../transfers/transfers.ts'
import type { Desk } from './desk.ts'

interface FollowContext {
  readonly cases: Pick<Cases, 'endUnanswered' | 'notifyHeld'>
  readonly desk: Pick<Desk, 'passDeadlines'>
  readonly heldTransfers: Pick<HeldTransfers, 'followCases'>
}

/**
 * Applies case deadlines and decisions, and notifies the people concerned. A failed step does not stop the others;
 * failures are thrown together at the end.
 */
export async function followCases({ cases, desk, heldTransfers }: FollowContext): Promise<void> {
  const failures: unknown[] = []
  for (const step of [cases.endUnanswered, desk.passDeadlines, () => heldTransfers.followCases(), cases.notifyHeld]) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'not all that follows from cases was done')
}
