import type { DataCategory, HeldData } from '@tern/contract/privacy/privacy'
import type { ReadableRows } from '../../../platform/database/tables.ts'
import { tables } from '../../list.ts'

export interface ReadableTable extends ReadableRows {
  readonly table: string
  readonly rows: string
}

/** Tables with rows that users can read, in the order of an export. */
export const readableTables: readonly ReadableTable[] = Object.entries(tables).flatMap(([table, { personal }]) =>
  personal === 'none' || 'unread' in personal ? [] : [{ rows: `from ${table} where user_id = $1`, ...personal, table }],
)

/** Origin, legal basis, retention and place of correction per category. */
export const categories: Readonly<Record<DataCategory, Omit<HeldData, 'category' | 'entries' | 'since'>>> = {
  account: { origin: 'person', basis: 'contract', retention: 'until_account_ends', correct: 'profile' },
  identity: { origin: 'person', basis: 'law', retention: 'five_years_after_end', correct: 'request' },
  money: { origin: 'both', basis: 'law', retention: 'as_long_as_the_books', correct: 'none' },
  instruments: { origin: 'person', basis: 'contract', retention: 'until_removed', correct: 'none' },
  plans: { origin: 'person', basis: 'contract', retention: 'two_years', correct: 'none' },
  people: { origin: 'person', basis: 'contract', retention: 'until_removed', correct: 'none' },
  logins: { origin: 'product', basis: 'protection', retention: 'four_hundred_days', correct: 'settings' },
  limits: { origin: 'both', basis: 'law', retention: 'four_hundred_days', correct: 'settings' },
  messages: { origin: 'product', basis: 'contract', retention: 'ninety_days', correct: 'settings' },
  privacy: { origin: 'both', basis: 'law', retention: 'five_years_after_end', correct: 'settings' },
}
