import type { Tx } from '../../platform/database/db.ts'
import { type OperatorPseudonym, type Reading, recordDataAccess } from '../privacy/privacy.ts'
import type { DeskContext, Operator } from './context.ts'

/** Context of parts that show people's data. */
export interface ReadingContext extends DeskContext {
  readonly operatorPseudonym: OperatorPseudonym
}

/** Records for each person that an operator read their data, so that they can see it. */
export async function recordReadings(
  { operatorPseudonym, realNow }: ReadingContext,
  tx: Tx,
  { name, roles }: Operator,
  people: readonly bigint[],
  reading: Pick<Reading, 'purpose' | 'what'>,
): Promise<void> {
  const role = roles.includes('reviewer') ? 'reviewer' : 'operator'
  const by = { role, operator: operatorPseudonym(name), ...reading, at: realNow() } as const
  for (const userId of new Set(people)) await recordDataAccess(tx, { userId, ...by })
}
