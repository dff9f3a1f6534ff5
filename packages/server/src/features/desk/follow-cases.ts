import type { Product } from '../../product.ts'
import { escalateOverdueItems } from './decisions/escalate-overdue-items.ts'

/**
 * Applies deadlines and decisions of cases, and notifies the people concerned. Runs every step even if one fails, then
 * throws all failures together.
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
