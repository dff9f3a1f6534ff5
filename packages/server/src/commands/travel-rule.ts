import os from 'node:os'
import { recordDataAccess } from '../features/privacy/privacy.ts'
import type { TravelRuleRecord } from '../features/compliance/compliance.ts'
import { transact, type Tx } from '../platform/database/db.ts'
import { isUuid } from '../platform/ids.ts'
import type { Product } from '../product.ts'
import { parse, type RunCommand, UsageError } from './terminal.ts'
import { withProduct } from './with-product.ts'

/** Logs the operator's access for both parties of a record, who can see the log. */
async function logReading(tx: Tx, { originatorId, beneficiaryId }: TravelRuleRecord, operator: string, at: Date) {
  for (const userId of new Set([originatorId, beneficiaryId])) {
    await recordDataAccess(tx, {
      ...{ userId, role: 'operator', operator, purpose: 'travel_rule', at },
      what: ['identity', 'address', 'numbers', 'payments'],
    })
  }
}

/** Returns a record as JSON after logging the access; undefined if there is none. */
export const readRecord = (
  { pool, travelRule, now, operatorPseudonym }: Pick<Product, 'pool' | 'travelRule' | 'now' | 'operatorPseudonym'>,
  transferId: string,
  by: string,
): Promise<string | undefined> =>
  transact(pool, async (tx) => {
    const record = await travelRule.read(tx, transferId)
    if (!record) return undefined
    await logReading(tx, record, operatorPseudonym(by), now())
    const { transactionId, kind, movedAt, recordedAt, payload } = record
    const exportedRecord = { transactionId, kind, movedAt, recordedAt, ...payload }
    return JSON.stringify(exportedRecord, undefined, 2)
  })

/** Prints a record; exit code 1 if there is none. */
export const run: RunCommand = ({ environment, print }, parameters) => {
  const { values, positionals } = parse({
    args: [...parameters],
    options: { by: { type: 'string' } },
    allowPositionals: true,
  })
  const { by = os.userInfo().username } = values
  const [id = '', ...extraWords] = positionals
  if (!isUuid(id) || extraWords.length > 0 || !by.trim()) throw new UsageError()
  return withProduct(environment, async (product) => {
    const text = await readRecord(product, id, by)
    print(text ?? `${id} has no record.`)
    return text === undefined ? 1 : 0
  })
}
