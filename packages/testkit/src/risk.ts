// Changes risk thresholds for tests of other features.

import type pg from 'pg'

interface Database {
  query(sql: string, values?: unknown[]): Promise<unknown>
}

/**
 * Lets payments up to `dollars` in total pass without a step-up confirmation, to any number of new payees. By default
 * this only lifts the limit on new payees: above 100 dollars in total, payments still need confirmation. Also allows
 * withdrawing card money at once and without charge, and disables the detection of payment patterns.
 */
export async function allowUnconfirmed(ownerDb: Database, { dollars = 100 } = {}): Promise<void> {
  await ownerDb.query(`update maturity_policy set hours = 0`)
  await ownerDb.query(`update withdrawal_cost_policy set basis_points = 0`)
  await ownerDb.query(
    `insert into risk_policy
     select version + 1, $1::numeric, 1000000, 1000000, trusted_after_hours, greatest($1::numeric, 100000), new_device_hours,
         new_factor_hours
       from risk_policy order by version desc limit 1`,
    [dollars * 100],
  )
  await changeMonitoringThresholds(ownerDb, {
    structuring_count: 1_000_000,
    rapid_usd_minor: 1_000_000_000_000,
    fan_in_senders: 1_000_000,
    mule_senders: 1_000_000,
  })
}

/** Returns the number of a person's requests that count against the limits on unconfirmed payments. */
export async function countUnconfirmedPasses(pool: pg.Pool, { id }: { readonly id: number }): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select coalesce(sum(requests), 0)::int as count from risk_decision
      where user_id = $1 and passed and taken_back_at is null`,
    [id],
  )
  return rows[0]?.count ?? 0
}

/** Adds a version of the monitoring thresholds: the product's, with these changes. */
export async function changeMonitoringThresholds(
  ownerDb: Database,
  changes: Readonly<Record<string, number>> = {},
): Promise<void> {
  await ownerDb.query(
    `insert into monitoring_policy
     select (jsonb_populate_record(usual, $1::jsonb || jsonb_build_object('version', (select max(version) + 1 from monitoring_policy)))).*
       from monitoring_policy usual where version = 1`,
    [JSON.stringify(changes)],
  )
}

/** Raises the limits of verified people on the number of payments, as an operator can. */
export async function raiseMovementCounts(ownerDb: { query(sql: string): Promise<unknown> }): Promise<void> {
  await ownerDb.query(
    `update limit_policy set max_movements = 1000000000 where verification_state = 'verified' and max_movements is not null`,
  )
}

/** Restores the product's maturity policy after `allowUnconfirmed`. */
export async function restoreMaturityPolicy(ownerDb: Database): Promise<void> {
  await ownerDb.query(
    `update maturity_policy set hours = case when account_younger_than_days is null and bank_younger_than_days is null then 168 else 336 end`,
  )
}
