// Generated from the schema by tools/row-types.ts, and compared with it by a test.

export interface CounterpartyCategoryRow {
  readonly user_id: bigint
  readonly counterparty_id: bigint
  readonly category:
    | 'family'
    | 'home'
    | 'services'
    | 'suppliers'
    | 'salary'
    | 'sales'
    | 'travel'
    | 'health'
    | 'education'
    | 'gifts'
    | 'shared'
    | 'other'
  readonly chosen_at: Date
}

export interface TransactionCategoryRow {
  readonly user_id: bigint
  readonly transaction_id: string
  readonly category:
    | 'family'
    | 'home'
    | 'services'
    | 'suppliers'
    | 'salary'
    | 'sales'
    | 'travel'
    | 'health'
    | 'education'
    | 'gifts'
    | 'shared'
    | 'other'
  readonly chosen_at: Date
}
