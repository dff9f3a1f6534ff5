import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
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
  /** When the movement happened, or the earliest time it can have: as far back as reconciliation has to look again. */
  readonly happenedAt?: Date | undefined
  /** What a person needs to know to decide it, in a sentence. */
  readonly detail: string
}

/** A case as it stands, for whoever has to decide it. */
export interface OpenCase extends CaseFacts {
  readonly id: string
  readonly openedAt: Date
}

/**
 * Opens a case for a person to look at, unless one is open for the same subject or somebody has decided the very same
 * before. True when it is new.
 */
export async function openCase(db: Queryable, facts: CaseFacts, at: Date): Promise<boolean> {
  const { kind, provider, subject, reference, amount, happenedAt, detail } = facts
  const { rowCount } = await db.query(
    `insert into money_case (id, kind, provider, subject, reference, amount_minor, currency, happened_at, detail, opened_at)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
      where not exists (select from money_case where is_decided and kind = $2 and provider = $3 and subject = $4
        and amount_minor is not distinct from $6 and currency is not distinct from $7)
     on conflict do nothing`,
    [
      newId(at),
      kind,
      provider,
      subject,
      reference ?? null,
      amount?.minor ?? null,
      amount?.currency ?? null,
      happenedAt ?? null,
      detail,
      at,
    ],
  )
  return rowCount === 1
}

interface CaseRow {
  id: string
  kind: CaseKind
  provider: string
  subject: string
  reference: string | null
  amount_minor: bigint | null
  currency: CurrencyCode | null
  happened_at: Date | null
  detail: string
  opened_at: Date
}

/** All open cases, the oldest first. */
export async function openCases(db: Queryable): Promise<OpenCase[]> {
  const { rows } = await db.query<CaseRow>('select * from money_case where closed_at is null order by opened_at, id')
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    provider: row.provider,
    subject: row.subject,
    reference: row.reference ?? undefined,
    amount: row.amount_minor === null || row.currency === null ? undefined : money(row.currency, row.amount_minor),
    happenedAt: row.happened_at ?? undefined,
    detail: row.detail,
    openedAt: row.opened_at,
  }))
}

/** Closes the open cases of a kind about one movement, or one payment, because what they are about has gone. Gives how many. */
export async function closeCases(
  db: Queryable,
  { kind, ...about }: { kind: CaseKind } & ({ subject: string } | { reference: string }),
  resolution: string,
  at: Date,
): Promise<number> {
  const [column, value] = 'subject' in about ? ['subject', about.subject] : ['reference', about.reference]
  const { rowCount } = await db.query(
    `update money_case set closed_at = $3, resolution = $4 where kind = $1 and ${column} = $2 and closed_at is null`,
    [kind, value, at, resolution],
  )
  return rowCount ?? 0
}

/**
 * The subject of a case about a movement that the provider says is of one payment or payout, while here it is of another:
 * about the name alone, since the movement itself is where it belongs.
 */
export const misnamed = (lineId: string, reference: string): string => `${lineId} for ${reference}`

/** Closes the open cases of that kind about a payment or payout, because its own movement is known. Gives how many. */
export async function closeMisnamed(db: Queryable, reference: string, resolution: string, at: Date): Promise<number> {
  const { rowCount } = await db.query(
    `update money_case set closed_at = $2, resolution = $3
      where kind = 'unplaced' and reference = $1 and closed_at is null and right(subject, length($4)) = $4`,
    [reference, at, resolution, misnamed('', reference)],
  )
  return rowCount ?? 0
}

/** Closes whatever could not be placed about a payment or payout, as somebody has decided it. Gives how many there were. */
export async function decideCasesOf(db: Queryable, reference: string, resolution: string, at: Date): Promise<number> {
  const { rowCount } = await db.query(
    `update money_case set closed_at = $2, resolution = $3, is_decided = true
      where reference = $1 and kind = 'unplaced' and closed_at is null`,
    [reference, at, resolution],
  )
  return rowCount ?? 0
}

/**
 * Closes a case as somebody has decided it; the very same difference opens no new one. Gives false when there is no open
 * case of this id.
 */
export async function decideCase(db: Queryable, id: string, resolution: string, at: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `update money_case set closed_at = $2, resolution = $3, is_decided = true where id = $1 and closed_at is null`,
    [id, at, resolution],
  )
  return rowCount === 1
}
