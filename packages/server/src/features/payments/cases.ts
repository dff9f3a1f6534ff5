import type { Money } from '@tern/money/money'
import type { Queryable } from '../../db.ts'
import { newId } from '../../ids.ts'

/** What a case is about; `money_case` in the database says the same. */
export type CaseKind = 'missing_here' | 'missing_there' | 'amount_differs' | 'unplaced' | 'loss' | 'ledger_differs'

export interface CaseFacts {
  readonly kind: CaseKind
  readonly provider: string
  /** The provider's id of the movement, or the name of the account. One open case for each. */
  readonly subject: string
  readonly reference?: string | undefined
  readonly amount?: Money | undefined
  /** What a person needs to know to decide it, in a sentence. */
  readonly detail: string
}

/** Opens a case for a person to look at, unless one is open for the same subject. True when it is new. */
export async function openCase(db: Queryable, facts: CaseFacts, at: Date): Promise<boolean> {
  const { kind, provider, subject, reference, amount, detail } = facts
  const { rowCount } = await db.query(
    `insert into money_case (id, kind, provider, subject, reference, amount_minor, currency, detail, opened_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
    [
      newId(at),
      kind,
      provider,
      subject,
      reference ?? null,
      amount?.minor ?? null,
      amount?.currency ?? null,
      detail,
      at,
    ],
  )
  return rowCount === 1
}
