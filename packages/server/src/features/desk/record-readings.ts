import type { Tx } from '../../platform/database/db.ts'
import { type DataAccessEntry, recordDataAccess } from '../privacy/privacy.ts'
import type { Product } from '../../product.ts'
import type { Operator } from './context.ts'

interface DataReading extends Pick<DataAccessEntry, 'purpose' | 'what'> {
  readonly reader: Operator
  readonly people: readonly bigint[]
}

/** Records in each person's access history that an operator read their data. */
export async function recordReadings(
  { operatorPseudonym, desk }: Product,
  tx: Tx,
  { reader: { name, roles }, people, ...reading }: DataReading,
): Promise<void> {
  const role = roles.includes('reviewer') ? 'reviewer' : 'operator'
  const by = { role, operator: operatorPseudonym(name), ...reading, at: desk.context.realNow() } as const
  for (const userId of new Set(people)) await recordDataAccess(tx, { userId, ...by })
}
