import type { DeskRule } from '@tern/contract/desk/queues'
import type { Db } from '../../../platform/database/db.ts'
import { inputFacts } from '../../../platform/operations/desk-facts.ts'

interface Decision {
  readonly rule: string
  readonly passed: boolean
  readonly version: number
  readonly inputs: Readonly<Record<string, unknown>>
  readonly at: Date
}

/** Returns the risk decisions on whether the sender had to confirm a transfer, oldest first. */
export async function readProofRules(db: Db, transferId: string): Promise<DeskRule[]> {
  const { rows } = await db.query<Decision>(
    `select d.rule, d.passed, d.policy_version as version, d.inputs, d.decided_at as at
       from transfer t join risk_decision d on d.user_id = t.sender_id
        and d.decided_at between t.created_at - interval '1 day' and t.created_at + interval '1 minute'
      where t.id = $1 and d.movement in (select id from ledger.posting where reference = t.id union all select t.payment_id)
      order by d.decided_at`,
    [transferId],
  )
  return rows.map(({ rule, passed, version, inputs, at }) => ({
    rule,
    version,
    inputs: inputFacts(inputs),
    did: passed ? 'let_pass' : 'asked_for_proof',
    at: at.toISOString(),
  }))
}
