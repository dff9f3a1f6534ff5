import type { DeskFact, DeskRule, DeskSection } from '@tern/contract/desk/queues'
import { money } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { codeFact, momentFact, moneyFact, textFact } from '../facts.ts'
import type { ComplianceCaseRow } from '../../compliance/row-types.ts'

// Rules that fired for an entry, with their inputs and effects.

/** Returns the inputs of a rule as facts. Amounts are US dollar cents; missing inputs are left out. */
export function inputFacts(inputs: Readonly<Record<string, unknown>>): DeskFact[] {
  return Object.entries(inputs).flatMap(([label, value]) => {
    if (value === null || value === undefined) return []
    if (typeof value === 'boolean') return [codeFact(label, value ? 'yes' : 'not')]
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value)
    if (/(^|_)usd$/.test(label) && /^\d+$/.test(text)) return [moneyFact(label, money('USD', BigInt(text)))]
    if (/^\d{4}-\d\d-\d\dT/.test(text)) return [momentFact(label, new Date(text))]
    return [textFact(label, text)]
  })
}

/** Returns why a case is open: its pattern with inputs, or the number of fitting entries; and its scope. */
export function ruleOfCase({ kind, stops, evidence, opened_at: at }: ComplianceCaseRow): DeskRule {
  const did = `held_${stops}`
  const { rule, version, matches, unread_name: unreadName, ...inputs } = evidence
  if (typeof rule === 'string') {
    const numbers = typeof version === 'number' ? version : null
    return { rule, version: numbers, inputs: inputFacts(inputs), did, at: at.toISOString() }
  }
  const entries = Array.isArray(matches) ? [textFact('entries_that_fit', String(matches.length))] : inputFacts(inputs)
  const unread = unreadName === undefined ? [] : [codeFact('name_read', 'not')]
  return { rule: kind, version: null, inputs: [...entries, ...unread], did, at: at.toISOString() }
}

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

/** Returns the rule that two operators decide, with the threshold unless it applies at any value. */
export function fourEyes(usdMinor: bigint | null | undefined, threshold: bigint | null): DeskSection {
  const inputs = [
    ...(typeof usdMinor === 'bigint' ? [moneyFact('worth', money('USD', usdMinor))] : []),
    ...(threshold === null || threshold === 0n ? [] : [moneyFact('two_above', money('USD', threshold))]),
  ]
  const rule = { rule: 'two_people', version: null, inputs, did: 'needs_two', at: null }
  return { code: 'four_eyes', chapter: 'rules', facts: [], rules: [rule] }
}
