import { expect } from '@playwright/test'
import { connect } from '../packages/server/src/platform/database/db.ts'
import type { TestPerson } from '@tern/testkit/people'

/** Returns the provider's id of a person's newest payment or payout; null until the provider has answered. */
async function findNewest(person: TestPerson, table: 'payment' | 'payout'): Promise<string | null> {
  const name = table === 'payment' ? 'session_id' : 'provider_payout_id'
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    const { rows } = await pool.query<{ name: string | null }>(
      `select ${name} as name from ${table} where user_id = $1 order by created_at desc limit 1`,
      [person.id],
    )
    return rows[0]?.name ?? null
  } finally {
    await pool.end()
  }
}

async function steerNewest(
  person: TestPerson,
  table: 'payment' | 'payout',
  path: (id: string) => string,
): Promise<void> {
  let id: string | null = null
  await expect.poll(async () => (id = await findNewest(person, table)), { timeout: 120_000 }).toBeTruthy()
  const answer = await fetch(`${process.env.E2E_SANDBOX_URL}/api/control/${path(id ?? '')}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.E2E_SANDBOX_SECRET}` },
  })
  expect(answer.ok, await answer.text()).toBe(true)
}

/** Settles or fails a person's newest card payment in the sandbox. */
export const steerPayment = (person: TestPerson, action: 'settle' | 'fail'): Promise<void> =>
  steerNewest(person, 'payment', (id) => `payments/${id}/${action}`)

/** Charges a person's newest card payment back, as a bank does after a dispute. */
export const disputePayment = (person: TestPerson): Promise<void> =>
  steerNewest(person, 'payment', (id) => `payments/${id}/dispute`)

/** Settles or fails a person's newest bank debit in the sandbox. */
export const steerDebit = (person: TestPerson, action: 'settle' | 'fail'): Promise<void> =>
  steerNewest(person, 'payment', (id) => `debits/${id}/${action}`)

/** Pays, fails or returns a person's newest payout in the sandbox. */
export const steerPayout = (person: TestPerson, action: 'pay' | 'fail' | 'return'): Promise<void> =>
  steerNewest(person, 'payout', (id) => `payouts/${id}/${action}`)

/** Brings the end of every restriction of a person's money forward by `days`; card money can go to a bank after seven. */
export async function matureCardMoney(person: TestPerson, days = 61): Promise<void> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    await pool.query(
      `update restricted_money set matures_at = matures_at - interval '${days} days'
        where user_id = $1 and matures_at <> 'infinity'`,
      [person.id],
    )
  } finally {
    await pool.end()
  }
}

/** Queues a task of the worker, to run before its next scheduled run. */
export async function runTask(name: 'delete_accounts' | 'end_due_transfers'): Promise<void> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    await pool.query('select graphile_worker.add_job($1)', [name])
  } finally {
    await pool.end()
  }
}

/** Ends the grace period in which a user can cancel their account's deletion, and queues the deletion. */
export async function endGracePeriod(person: TestPerson): Promise<void> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    const { rowCount } = await pool.query(
      `update app_user set deletion_due_at = now() - interval '1 hour' where id = $1 and deletion_due_at is not null`,
      [person.id],
    )
    expect(rowCount).toBe(1)
  } finally {
    await pool.end()
  }
  await runTask('delete_accounts')
}

export async function expireRequest(id: string): Promise<void> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    await pool.query(
      `update payment_request set created_at = created_at - interval '2 days', expires_at = now() - interval '1 hour' where id = $1`,
      [id],
    )
  } finally {
    await pool.end()
  }
}

/** Backdates a person's newest held transfer, so that `share` of its undo window has passed. */
export async function ageUndoWindow(person: TestPerson, share: number): Promise<void> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    const { rowCount } = await pool.query(
      `update transfer set held_at = now() - $2 * (held_until - held_at),
           held_until = now() + (1 - $2) * (held_until - held_at)
        where id = (select id from transfer where sender_id = $1 and state = 'held' order by created_at desc limit 1)`,
      [person.id, share],
    )
    expect(rowCount).toBe(1)
  } finally {
    await pool.end()
  }
}

async function putToSandbox(path: string, body: object): Promise<void> {
  const answer = await fetch(`${process.env.E2E_SANDBOX_URL}/api/${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${process.env.E2E_SANDBOX_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(answer.ok, await answer.text()).toBe(true)
}

const fetchRate = async (from: string, to: string) => {
  const answer = await fetch(`${process.env.E2E_URL}/api/currency/rate/${from}/${to}`)
  return { status: answer.status, ...((await answer.json()) as { rate?: string }) }
}

/**
 * Sets the price of one unit of a currency in whole US dollars on the sandbox's market; waits until the product has it.
 */
export async function setPrice(currency: string, dollars: number): Promise<void> {
  await putToSandbox('rates', { usd_per_unit: { [currency]: { numerator: String(dollars), denominator: '1' } } })
  await expect.poll(async () => Number((await fetchRate(currency, 'USD')).rate), { timeout: 120_000 }).toBe(dollars)
}

/**
 * Makes the rate of a currency stale: the product holds back the market's new price, which is three times the old one,
 * and the old one is backdated by a day. Returns a function that restores the price.
 */
export async function makeRateStale(currency: string, dollars: number): Promise<() => Promise<void>> {
  await putToSandbox('rates', { usd_per_unit: { [currency]: { numerator: String(dollars * 3), denominator: '1' } } })
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    const ageLatestRate = () =>
      pool.query(`update rate_latest set confirmed_at = now() - interval '1 day' where base = $1`, [currency])
    await expect
      .poll(async () => (await ageLatestRate()) && (await fetchRate(currency, 'USD')).status, { timeout: 120_000 })
      .toBe(503)
  } finally {
    await pool.end()
  }
  return () => setPrice(currency, dollars)
}

/** Expires a person's newest quote. */
export async function expireQuote(person: TestPerson): Promise<void> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    const { rowCount } = await pool.query(
      `update quote set locked_price = jsonb_set(locked_price, '{expiresAt}', to_jsonb(now() - interval '1 second'))
        where id = (select id from quote where user_id = $1 order by created_at desc limit 1)`,
      [person.id],
    )
    expect(rowCount).toBe(1)
  } finally {
    await pool.end()
  }
}

/** Simulates a fallen market: doubles the agreed minimum that the recipient of a person's newest payment must get. */
export async function raiseAgreedMinimum(person: TestPerson): Promise<void> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    const { rowCount } = await pool.query(
      `update payment set minimum_target_minor = 2 * minimum_target_minor
        where id = (select id from payment where user_id = $1 order by created_at desc limit 1) and minimum_target_minor > 0`,
      [person.id],
    )
    expect(rowCount).toBe(1)
  } finally {
    await pool.end()
  }
}
