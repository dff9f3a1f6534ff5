import type { Product } from '../../product.ts'
import { escalateOverdueItems } from './decisions/escalate-overdue-items.ts'

/**
 * Applies case deadlines and decisions, and notifies the people concerned. A failed step does not stop the others;
 * failures are thrown together at the end.
 */
export async function followCases(product: Product): Promise<void> {
  const { cases, heldTransfers, pool } = product
  const failures: unknown[] = []
  const steps = [
    cases.endUnanswered,
    () => escalateOverdueItems(product, pool),
    () => heldTransfers.followCases(),
    cases.notifyHeld,
  ]
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'not all that follows from cases was done')
}
