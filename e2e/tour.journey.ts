// Follows the README's tour, except its commands and the sign-up. Every bold word there is pressed or seen here.

import fs from 'node:fs'
import { expect, type Page, test } from '@playwright/test'
import { demoAccounts } from '../packages/server/src/commands/demo/demo-accounts.ts'
import { chooseAccount } from './banks.ts'
import { payByCard, testCards } from './checkout.ts'
import { waitForMailedCode } from './mailbox.ts'
import { logIn, settle } from './pages.ts'
import { dialog, password } from './step-up.ts'

test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const readme = fs.readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const tour = readme.slice(readme.indexOf('## A five-minute tour'), readme.indexOf('## Repository layout'))
const shownTerms = new Set(
  [...tour.matchAll(/\*\*([^*]+)\*\*/g)].map(([, words = '']) => words.replaceAll(/\s+/g, ' ')),
)
const [ines, lucas] = demoAccounts

// Covers the wait for the provider's event.
const longTimeout = { timeout: 120_000 }

/** Bold words of the tour that this test has used. */
const seenTerms = new Set<string>()
const word = (words: string): string => {
  expect(tour.replaceAll(/\s+/g, ' '), `the README names ${words}`).toContain(`**${words}**`)
  seenTerms.add(words)
  return words
}

/** Confirms an order that requires step-up, with password and mailed code. */
async function confirm(page: Page): Promise<void> {
  await expect(dialog(page)).toBeVisible()
  await password(page).fill(ines.password)
  const code = await waitForMailedCode(ines.email, () => page.getByRole('button', { name: 'Send me a code' }).click())
  await page.getByLabel('Code from the email').fill(code)
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(dialog(page)).toBeHidden()
}

const menu = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).first()
test('the tour of the README is true', async ({ browser }) => {
  // Short enough to fail at the faulty step instead of at the test's timeout.
  const timeoutMs = 20_000
  const page = await (await browser.newContext()).newPage()
  const otherPage = await (await browser.newContext()).newPage()

  for (const userPage of [page, otherPage]) userPage.setDefaultTimeout(timeoutMs)

  await test.step('1 the price check', async () => {
    await page.goto('/')
    const amount = page.getByRole('textbox', { name: 'You send' })
    const receivedField = page.getByRole('textbox', { name: 'They get' })
    await settle(page)
    const amountBefore = await receivedField.inputValue()
    await amount.fill('250')
    await expect(receivedField).not.toHaveValue(amountBefore)
  })

  await test.step('2 log in', async () => {
    word('Ines')
    word('Lucas')
    await logIn(page, ines)
    await expect(page.getByRole('heading', { name: 'Welcome back, Ines' })).toBeVisible()
    await logIn(otherPage, lucas)
    await expect(otherPage.getByRole('heading', { name: 'Welcome back, Lucas' })).toBeVisible()
  })

  await test.step('3 and 4 send, and see it arrive', async () => {
    await settle(otherPage)
    const arrivals = otherPage.getByText('+€23.25')
    const countBefore = await arrivals.count()
    await menu(page, word('Send')).click()
    await page.getByRole('button', { name: word('Next') }).click()
    await page.getByRole('combobox', { name: 'Recipient' }).fill('luc')
    await page.getByRole('option', { name: /lucas/i }).first().click()
    await page.getByLabel('Amount').fill('25')
    await expect(page.getByText('€23.25').first()).toBeVisible()
    await expect(page.getByText('$0.25').first()).toBeVisible()
    await expect(page.getByText('Total to pay $25.25')).toBeVisible()
    await page.getByRole('button', { name: word('Next') }).click()
    await page.getByRole('button', { name: word('Send Money') }).click()
    await expect(page.getByText('Transfer Successful!')).toBeVisible()
    await expect(arrivals).toHaveCount(countBefore + 1)
  })

  await test.step('5 add money', async () => {
    await menu(page, word('Dashboard')).click()
    await page.getByRole('link', { name: word('Add Funds') }).click()
    await page.getByLabel('Amount').fill('100')
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await payByCard(page, testCards.good)
    await expect(page.getByText('Payment successful! Your funds have been added to your wallet.')).toBeVisible(
      longTimeout,
    )
  })

  await test.step('6 details', async () => {
    await menu(page, word('Transactions')).click()
    await page.getByRole('row', { name: /Lucas/ }).first().getByRole('button').click()
    await expect(page.getByRole('dialog')).toContainText('Fee')
    await page.getByText(word('Technical details')).click()
    await expect(page.getByRole('dialog')).toContainText(/TRN-/)
    await page.getByRole('link', { name: word('Recompute') }).click()
    await expect(page.getByRole('heading', { name: 'Exact match' }).first()).toBeVisible()
    await page.goto('/dashboard')
    await menu(page, 'Wallet').click()
    await menu(page, word('Exchange')).click()
    await expect(menu(page, 'Orders')).toBeVisible()
  })

  await test.step('9 withdraw', async () => {
    await menu(page, 'Dashboard').click()
    await page.getByRole('link', { name: word('Withdraw Funds') }).click()
    await page.getByLabel('Amount').fill('50')
    await page.getByRole('button', { name: word('Link a bank') }).click()
    await confirm(page)
    await chooseAccount(page, 'Harbour Bank', 'USD')
    await page.getByRole('button', { name: 'Allow' }).click()
    await expect(page.getByText('Bank account linked successfully!')).toBeVisible(longTimeout)
    await expect(page.getByLabel('Amount')).toHaveValue('50')
    await page.getByRole('button', { name: word('Withdraw'), exact: true }).click()
    await expect(page.getByRole('heading', { name: /withdrawal/i }).first()).toBeVisible()
    const sandbox = await (await browser.newContext()).newPage()
    const settleButton = sandbox.getByRole('button', { name: new RegExp(word('Settle')) }).first()
    // The worker submits the payout asynchronously, and the sandbox's page shows it only when reloaded.
    await expect(async () => {
      await sandbox.goto(`${process.env.E2E_SANDBOX_URL}/control`)
      await expect(settleButton).toBeVisible({ timeout: 1000 })
    }).toPass(longTimeout)
    await expect(sandbox.getByRole('button', { name: new RegExp(word('Fail')) }).first()).toBeVisible()
  })

  await test.step('10 send more than the balance', async () => {
    await menu(page, 'Send').click()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('combobox', { name: 'Recipient' }).fill('luc')
    await page.getByRole('option', { name: /lucas/i }).first().click()
    await page.getByLabel('Amount').fill('9000')
    await page.getByRole('button', { name: word('Pay by card or bank account') }).click()
    await page.getByRole('radio', { name: word('Wallet + card') }).check()
    await page.getByRole('button', { name: 'Send Money' }).click()
    await confirm(page)
    await payByCard(page, testCards.good)
    await expect(page.getByText('Transfer Successful!')).toBeVisible(longTimeout)
  })

  await test.step('12 settings', async () => {
    await menu(page, word('Settings')).click()
    await page.getByRole('link', { name: word('Devices') }).click()
    await expect(page.getByRole('heading', { name: 'Devices' })).toBeVisible()
  })

  await test.step('13 request money', async () => {
    await menu(page, word('Receive')).click()
    await page.getByLabel('Amount').fill('20')
    await page.getByRole('button', { name: word('Generate Payment Request') }).click()
    await otherPage.goto(`http://${await page.locator('.slip-link span').innerText()}`)
    await otherPage.getByRole('button', { name: /^Pay €/ }).click()
    await expect(otherPage.getByRole('heading', { name: 'Paid' })).toBeVisible()
    await expect(page.getByRole('heading', { name: word('Paid') })).toBeVisible()
    await expect(page.getByRole('button', { name: /^Notifications, \d+ unread/ })).toBeVisible()
  })
  expect([...shownTerms].filter((words) => !seenTerms.has(words))).toEqual([])
})
