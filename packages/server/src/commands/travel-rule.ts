// npm run travel-rule: shows who paid whom by a transfer, as IVMS101, and tells both that somebody has looked.

import os from 'node:os'
import { parseArgs } from 'node:util'
import { recordDataAccess } from '../features/privacy/privacy.ts'
import type { TravelRuleRecord } from '../features/compliance/compliance.ts'
import { transact, type Tx } from '../platform/database/db.ts'
import { isUuid } from '../platform/ids.ts'
import type { Product } from '../product.ts'
import { type Environment, exitCodeOf, settingsOf, withProduct } from './terminal.ts'
import { isMain } from '../platform/runtime/is-main.ts'

const usage = `npm run travel-rule -- TRANSFER     shows the record of a transfer; both people can see that you looked
                     [--by NAME]      who looks`

/** Everybody in a record can read that it was read. */
async function logReading(tx: Tx, { originatorId, beneficiaryId }: TravelRuleRecord, operator: string, at: Date) {
  for (const userId of new Set([originatorId, beneficiaryId])) {
    await recordDataAccess(tx, {
      ...{ userId, role: 'operator', operator, purpose: 'travel_rule', at },
      what: ['identity', 'address', 'numbers', 'payments'],
    })
  }
}

/** A record as JSON, after its reading was logged; undefined when there is none. */
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
    const shown = { transactionId, kind, movedAt, recordedAt, ...payload }
    return JSON.stringify(shown, undefined, 2)
  })

/** Does what the parameters say and gives the exit code: 1 without a record, 2 when it could not be done. */
export async function showTravelRule(
  parameters: readonly string[],
  environment: Environment,
  print: (text: string) => void,
): Promise<number> {
  let given: { by?: string | undefined; id?: string | undefined } = {}
  try {
    const { values, positionals } = parseArgs({
      args: [...parameters],
      options: { by: { type: 'string' } },
      allowPositionals: true,
    })
    given = { by: values.by ?? os.userInfo().username, id: positionals.length === 1 ? positionals[0] : undefined }
  } catch {
    // Unknown options: the usage says which there are.
  }
  const { id, by } = given
  if (id === undefined || !isUuid(id) || !by?.trim()) {
    print(usage)
    return 2
  }
  return exitCodeOf(
    print,
    () => false,
    () =>
      withProduct(settingsOf(environment), async (product) => {
        const text = await readRecord(product, id, by)
        print(text ?? `${id} has no record.`)
        return text === undefined ? 1 : 0
      }),
  )
}

if (isMain(import.meta)) process.exitCode = await showTravelRule(process.argv.slice(2), process.env, console.log)
