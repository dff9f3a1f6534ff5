// Creates operators for journeys, and cases for their queues.

import { expect, type Page } from '@playwright/test'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { connect } from '../../packages/server/src/platform/database/db.ts'
import { callTern } from '@tern/testkit/processes/call-tern'
import type { TestPerson } from '@tern/testkit/people'
import { addAuthenticator } from '../pages.ts'

export const adminUrl = (): string => process.env.E2E_ADMIN_URL ?? ''

/** Runs the desk command for the tested product; returns its output. */
export async function runDesk(...parameters: string[]): Promise<string> {
  const environment = { DATA_DIR: process.env.E2E_DATA_DIR, ADMIN_PORT: new URL(adminUrl()).port }
  const { code, text } = await callTern(environment, 'desk', ...parameters)
  expect(code, text).toBe(0)
  return text
}

/** Adds an operator and signs in with the printed link, in a browser with its own authenticator. */
export async function signInAsOperator(page: Page, name: string, ...roles: string[]): Promise<void> {
  const output = await runDesk('add', name, ...roles.flatMap((role) => ['--role', role]), '--no-account')
  await addAuthenticator(page.context(), page)
  await page.goto(/http\S+/.exec(output)?.[0] ?? '')
  await expect(page.getByRole('heading', { name: `Welcome, ${name}` })).toBeVisible()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('link', { name: 'Go to login' }).click()
  await page.getByRole('button', { name: 'Log in with your passkey' }).click()
  await expect(page.getByRole('navigation', { name: 'Desk' })).toBeVisible()
}

/** Requires two decisions for entries above this value in US cents in a queue, `holds` by default. */
export async function requireTwoOperatorsAbove(usdMinor: number, queue: 'holds' | 'disputes' = 'holds'): Promise<void> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  await pool.query('update desk_policy set two_people_above_usd_minor = $1 where queue = $2', [usdMinor, queue])
  await pool.end()
}

/** Sends a payment and holds it for review, as a rule would; returns its id. */
export async function holdForReview(sender: TestPerson, recipient: TestPerson, amount: string): Promise<string> {
  const { transaction_id: id } = await sender.call(sendMoney, {
    body: { source_currency: 'USD', recipient_id: recipient.id, amount, undo_seconds: 1800 },
    idempotencyKey: crypto.randomUUID(),
  })
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  const { rowCount } = await pool.query(
    `update transfer set hold_reason = 'review', held_until = now() + interval '20 hours' where id = $1 and state = 'held'`,
    [id],
  )
  await pool.end()
  expect(rowCount).toBe(1)
  return id
}
