// A list of politically exposed persons names a user: their payment is held, they see the reason and the deadline, they
// submit an objection, and two operators release the payment.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, type Page, test } from '@playwright/test'
import { createCompliance } from '../../packages/server/src/features/compliance/compliance.ts'
import { connect } from '../../packages/server/src/platform/database/db.ts'
import { callTern } from '@tern/testkit/processes/call-tern'
import { buildList } from '@tern/testkit/compliance/cases'
import { enroll, fund } from '@tern/testkit/people'
import { productUrl } from '../pages.ts'
import { loadBalances, goToReview, clickSend, setUndo } from '../send-form.ts'
import { expectSoundPage, collectPageErrors } from '../page-checks.ts'
import { adminUrl, signInAsOperator } from './operators.ts'

/** Suffix of operator names, which cannot be reused. */
const stamp = String(Date.now()).slice(-6)

/** Imports a list with one politically exposed person by the `lists` command, and screens users against it. */
async function importList(name: string): Promise<void> {
  const { name: fileName, bytes } = buildList([name])
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'tern-list-')), fileName)
  fs.writeFileSync(file, bytes)
  const environment = { DATA_DIR: process.env.E2E_DATA_DIR }
  const { code, text } = await callTern(environment, 'lists', 'import', '--force', file)
  expect(code, text).toBe(0)
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  // Does at once what the worker would do within a minute.
  await createCompliance({ pool, now: () => new Date(), log: console, areListsRequired: false }).screenDue()
  await pool.end()
}

/** Returns the id of a user's open objection. */
async function findObjection(userId: number): Promise<string> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  const { rows } = await pool.query<{ id: string }>(
    `select id from compliance_objection where user_id = $1 and state = 'open'`,
    [userId],
  )
  await pool.end()
  return rows[0]?.id ?? ''
}

async function proposeUphold(
  page: Page,
  entry: string,
  name: string,
  reason: string,
  confirmationText: string,
): Promise<void> {
  await signInAsOperator(page, `${name} ${stamp}`, 'reviewer')
  await page.goto(`${adminUrl()}/desk/queues/objections/${entry}`)
  const comparisonRows = page.getByRole('table').getByRole('row')
  await expect(comparisonRows.filter({ hasText: 'Name' }).first()).toContainText('same, 1.00')
  await expect(comparisonRows.filter({ hasText: 'Date of birth' })).toContainText('same, to the day')
  await page.getByRole('radio', { name: 'Uphold: clear the case' }).check()
  await page.getByRole('textbox', { name: 'Reason for your decision' }).fill(reason)
  await page.getByRole('button', { name: /^Record my decision/ }).click()
  await expect(page.getByRole('complementary').getByText(confirmationText)).toBeVisible()
}

test('a listed name is held, its owner sees the check and objects, two operators agree, and the money arrives', async ({
  page,
  browser,
}) => {
  const pageErrors = collectPageErrors(page)
  const [sender, recipient] = await Promise.all([
    enroll(productUrl(), 'zebedaeus', 'United States'),
    enroll(productUrl(), 'rosa', 'United States'),
  ])
  await setUndo(sender, 0, 'nobody')
  await fund(sender, 100_00)
  await importList('zebedaeus Tester')

  await goToReview(page, sender, recipient, '20.00')
  await clickSend(page)
  await expect(page.getByText('Nothing has left your wallet yet.')).toBeVisible()
  await expect(page.getByText('On hold: name check')).toBeVisible()
  await expect(page.getByText('Two people at Tern.')).toBeVisible()
  await expect(page.getByText('Nothing right now.')).toBeVisible()
  await expectSoundPage(page)
  expect(await loadBalances(recipient)).toEqual(['0.00'])

  await page.goto('/dashboard')
  const notice = page.getByRole('region', { name: 'Checks' })
  await expect(notice).toContainText('Name check: a payment of yours is on hold')
  // Held money has not moved, so its amount has no sign.
  const heldRow = page.getByRole('listitem').filter({ hasText: 'On hold' }).filter({ hasText: 'rosa' })
  await expect(heldRow).toContainText('$20.10')
  await expect(heldRow).not.toContainText('−')
  await expectSoundPage(page)
  await notice.getByRole('link', { name: 'See details' }).click()
  await expect(page).toHaveURL(/\/checks\/[\da-f-]{36}$/)
  const clock = page.getByRole('img', { name: /^A ruler of time\. Put on hold: .+\. Decided by: / })
  await expect(clock).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cancel transfer' })).toHaveCount(0)
  await page.getByRole('button', { name: 'I object' }).click()
  await page.getByRole('button', { name: 'Send objection' }).click()
  await expect(page.getByLabel('Why is it wrong?')).toBeFocused()
  await expect(page.getByText('Write a few words')).toBeVisible()
  await page.getByLabel('Why is it wrong?').fill('I was born somewhere else, and never held an office.')
  await expectSoundPage(page)
  await page.getByRole('button', { name: 'Send objection' }).click()
  await expect(page.getByRole('heading', { name: 'Objection received' })).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'by someone else' })).toContainText('by ')
  await expectSoundPage(page)
  const address = page.url()
  await page.getByRole('link', { name: 'See the payment' }).click()
  const details = page.getByRole('dialog')
  await expect(details.getByText('On hold: name check')).toBeVisible()
  await expect(details.getByText('$20.10', { exact: true }).first()).toBeVisible()
  await expect(details.getByText('−$20.10')).toHaveCount(0)
  await expectSoundPage(page)

  const entry = await findObjection(sender.id)
  const desks = await Promise.all([browser.newContext(), browser.newContext()])
  const [first, second] = (await Promise.all(desks.map((context) => context.newPage()))) as [Page, Page]
  const firstDecisionText = 'Recorded. A second person has to decide'
  await proposeUphold(first, entry, 'Nora', 'Another place of birth; a different person.', firstDecisionText)
  expect(await loadBalances(recipient)).toEqual(['0.00'])
  await proposeUphold(second, entry, 'Piet', 'The papers are of somebody else.', 'Recorded and carried out.')
  await Promise.all(desks.map((context) => context.close()))

  await expect.poll(() => loadBalances(recipient)).toEqual(['20.00'])
  await page.goto(address)
  await expect(page.getByText('Nothing was found.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'You were right to object' })).toBeVisible()
  await expectSoundPage(page)
  expect(pageErrors).toEqual([])
})
