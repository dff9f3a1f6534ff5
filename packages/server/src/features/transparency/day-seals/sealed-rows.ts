// Rows that must never vanish: a day seal counts them, and commits to the facts of those that no posting repeats.

/** SQL for the limits of a seal. Both sets of rows that they delimit are complete, and no later row joins them. */
export interface SealLimits {
  /** Number of the first database transaction after the seal, as bigint. */
  readonly horizon: string
  /** Time before which all rows had been committed at the seal, by the product's clock, which is never behind. */
  readonly until: string
}

export interface SealedRows {
  /** Name in the seal's content. */
  readonly name: string
  readonly count: (limits: SealLimits) => string
  /** SQL for SHA-256 over the facts, in hexadecimal. */
  readonly digest?: (limits: SealLimits) => string
}

/** Days of decisions in a seal. Housekeeping deletes decisions after two years. */
const decisionDays = 700

const decisionsSql = ({ until }: SealLimits) =>
  `risk_decision where decided_at < ${until} and decided_at >= ${until} - interval '${decisionDays} days'`

const lossesSql = ({ until }: SealLimits) => `reconciliation_exception where kind = 'loss' and opened_at < ${until}`

/** SQL: digest of columns, by day, so that no value grows with the table. Times are hashed as UTC. */
const digestSql = (columns: string, time: string, rows: string) =>
  `(select encode(sha256(coalesce(string_agg(hash, ''::bytea order by day), '')), 'hex') from (
      select ${time}::date as day,
          sha256(string_agg(sha256(convert_to(jsonb_build_array(${columns})::text, 'UTF8')), ''::bytea order by id)) as hash
        from ${rows} group by 1) as days)`

export const sealedRows: readonly SealedRows[] = [
  {
    name: 'postings',
    count: ({ horizon }) => `(select count(*) from ledger.posting where xid is null or xid < ${horizon})`,
  },
  {
    name: 'ended transactions',
    count: ({ horizon }) =>
      `(select count(*) from transaction where status <> 'PENDING' and xid < (${horizon})::text::xid8)`,
  },
  {
    name: 'risk decisions',
    count: (limits) => `(select count(*) from ${decisionsSql(limits)})`,
    digest: (limits) =>
      digestSql(
        'id, movement, user_id, decided_at, policy_version, kind, payee, usd_minor, rule, passed',
        'decided_at',
        decisionsSql(limits),
      ),
  },
  {
    name: 'losses',
    count: (limits) => `(select count(*) from ${lossesSql(limits)})`,
    digest: (limits) =>
      digestSql('id, provider, subject, reference, amount_minor, currency, opened_at', 'opened_at', lossesSql(limits)),
  },
]

/** Tables whose rows are never deleted, but are not dated: their number never falls. */
export const growingTables = ['risk_profile', 'dispute', 'dispute_posting', 'settlement_line', 'operator_line'] as const

/** SQL: SHA-256 over accounts, versions and balances sealed on a day, by ranges of accounts, in hexadecimal. */
export const balancesDigestSql = (day: string) =>
  `(select encode(sha256(coalesce(string_agg(hash, ''::bytea order by part), '')), 'hex') from (
      select b.account_id / 4096 as part, sha256(string_agg(
          int8send(b.account_id) || int8send(b.version) || convert_to(b.balance || ' ', 'UTF8'), ''::bytea order by b.account_id)) as hash
        from day_seal_account b where b.day = ${day} group by 1) as parts)`
