import { randomUUID } from 'node:crypto'
import { type APIRequestContext, expect, type Page, test } from '@playwright/test'
import { demoAccounts } from '../../packages/server/src/commands/demo/demo-accounts.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'
import { settle, signIn } from '../pages.ts'

const [ines, lucas] = demoAccounts
const balanceLocator = (page: Page) => page.locator('.home-panel .balance')

/** Sends euros from Lucas to Ines through the API. */
async function sendAsLucas(request: APIRequestContext, amount: string, description: string): Promise<void> {
  const headers = { origin: process.env.E2E_URL ?? '' }
  const loginResponse = await request.post('/api/user/login', {
    headers,
    data: { email: lucas.email, password: lucas.password },
  })
  const { access_token: token } = await loginResponse.json()
  const authorization = `Bearer ${token}`
  const searchResponse = await request.get('/api/user/search?query=ines.okafor', { headers: { authorization } })
  const [recipient] = await searchResponse.json()
  const transferResponse = await request.post('/api/payment/transfer', {
    headers: { ...headers, authorization, 'idempotency-key': randomUUID() },
    data: { recipient_id: recipient.id, amount, source_currency: 'EUR', description },
  })
  expect(transferResponse.status()).toBe(200)
}

test('an open dashboard shows money as it arrives, and what arrived while offline', async ({ browser }) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  // The browser logs requests in flight that fail when the connection drops.
  const pageErrors = collectPageErrors(page, /ERR_INTERNET_DISCONNECTED/)
  await signIn(page, ines)
  await settle(page)
  const otherContext = await browser.newContext()
  const balanceBefore = await balanceLocator(page).innerText()

  await sendAsLucas(otherContext.request, '10.00', 'While you watch')
  await expect(balanceLocator(page)).not.toHaveText(balanceBefore)
  await expect(page.locator('.activity-row').first()).toContainText('€10.00')

  await context.setOffline(true)
  await expect(page.getByText(/You're offline. Last updated today at/)).toBeVisible()
  await sendAsLucas(otherContext.request, '3.00', 'While you were away')
  await context.setOffline(false)
  await expect(page.locator('.activity-row').first()).toContainText('€3.00')
  expect(pageErrors).toEqual([])
})

test('transactions are searched, filtered and sorted, and the address keeps it', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  await signIn(page, ines)
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('Type').selectOption('Money Sent')
  await page.getByRole('radio', { name: 'Completed' }).check()
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL('/transactions?type=SEND&status=COMPLETED')
  await expect(page.locator('tbody').getByText('Money Received')).toHaveCount(0)

  await page.getByRole('searchbox', { name: 'Search transactions' }).fill('lucas')
  await expect(page).toHaveURL(/search=lucas/)
  await page.reload()
  await expect(page.getByRole('searchbox', { name: 'Search transactions' })).toHaveValue('lucas')
  await expect(page.getByRole('button', { name: 'Filter, 2 on' })).toBeVisible()
  await expect(page.locator('tbody tr').first()).toContainText('Lucas Moreau')

  await page
    .getByRole('button', { name: /^Details of Lucas Moreau/ })
    .first()
    .click()
  const details = page.getByRole('dialog')
  await expect(details).toContainText('Money sent to Lucas Moreau')
  await expect(details).toContainText('Rate for $1€0.9300')
  await expectAccessible(page)
  await page.goBack()
  await expect(details).toHaveCount(0)

  await page.getByRole('searchbox', { name: 'Search transactions' }).fill('nobody of this name')
  await expect(page.getByText('No transactions found')).toBeVisible()
  await page.getByRole('button', { name: 'Reset filter' }).click()
  await expect(page).toHaveURL('/transactions')
  await page.getByRole('columnheader', { name: 'Amount' }).getByRole('button').click()
  await expect(page).toHaveURL('/transactions?sort=amount')
  expect(pageErrors).toEqual([])
})
