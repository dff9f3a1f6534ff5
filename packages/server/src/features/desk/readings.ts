import type { Tx } from '../../platform/database/db.ts'
import { operatorPseudonym, type Reading, recordDataAccess } from '../privacy/privacy.ts'
import type { Operator } from './context.ts'

/** Records for each of these people that an operator looked at their data, so that they can read of it themselves. */
export async function recordReadings(
  tx: Tx,
  { name, roles }: Operator,
  people: readonly bigint[],
  reading: Pick<Reading, 'purpose' | 'what'>,
  at: Date,
): Promise<void> {
  const role = roles.includes('reviewer') ? 'reviewer' : 'operator'
  const by = { role, operator: operatorPseudonym(name), ...reading, at } as const
  for (const userId of new Set(people)) await recordDataAccess(tx, { userId, ...by })
}
