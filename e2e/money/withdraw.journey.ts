import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { payoutStatus, removeBankAccount, withdrawalEstimate } from '../../packages/contract/src/banking.ts'
import { transactionsOfUser } from '../../packages/contract/src/transactions.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { chooseAccount, linkAccount } from '../banks.ts'
import { waitForMail } from '../mailbox.ts'
import { signInThroughApi, productUrl, settle } from '../pages.ts'
import { dialog, confirmByMail } from '../step-up.ts'
import { matureCardMoney, steerPayout } from '../steering.ts'
import { expectAccessible, expectReachable, expectSoundPage, phone, collectPageErrors } from '../page-checks.ts'

const refusedText = 'Withdrawal could not be processed. Please try again or contact support.'
// Covers the wait for the provider's event.
const longTimeout = { timeout: 120_000 }

const loadBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance
const amountField = (page: Page) => page.getByLabel('Amount')
const withdraw = (page: Page) => page.getByRole('button', { name: 'Withdraw', exact: true })
const link = (page: Page) => page.getByRole('button', { name: 'Link a bank', exact: true })
const row = (page: Page, name: RegExp) => page.getByRole('row', { name })

const loadWithdrawals = async (person: TestPerson) =>
  person.call(transactionsOfUser, { params: { userId: String(person.id) }, query: { type: 'WITHDRAW' } })

/** Formats a server date as pages show it. */
const formatDay = (day: string): string =>
  new Intl.DateTimeFormat('en-US', {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
    ...(day.startsWith(`${new Date().getFullYear()}-`) ? {} : { year: 'numeric' }),
  }).format(new Date(day))

/** Returns the expected arrival day of a withdrawal ordered now, formatted like on pages. */
const loadEstimatedDay = async (person: TestPerson, bankAccountId: string): Promise<string> =>
  formatDay((await person.call(withdrawalEstimate, { query: { bankAccountId } })).expected_on)

/** Enrolls a US resident with `minor` cents, deposited by card `days` days ago. */
async function enrollFunded(name: string, minor: number, days = 61): Promise<TestPerson> {
  const person = await enroll(productUrl(), name, 'United States')
  await fund(person, minor)
  await matureCardMoney(person, days)
  return person
}

const problem = (status: number, code: string) => ({
  status,
  json: { type: 'about:blank', title: 'Problem', status, requestId: 'a', code, detail: 'The server is busy.' },
})

test('an invalid withdrawal is explained, and an unanswered order is executed once', async ({ page }) => {
  const person = await enrollFunded('wim', 100_00)
  const pageErrors = collectPageErrors(page, /ERR_FAILED|status of (4(04|22)|50[03])/)
  await signInThroughApi(page, person)
  await page.route('**/api/payment/methods', (route) => route.fulfill(problem(500, 'internal')))
  await page.goto('/withdraw')
  await expect(page.getByText('Unable to load your accounts. Please try again later.')).toBeVisible(longTimeout)
  await expectAccessible(page)
  await page.unroute('**/api/payment/methods')
  await page.getByRole('button', { name: 'Try again' }).click()

  await expect(page.getByText('Balance $100.00')).toBeVisible()
  await expect(page.getByText('Please select a bank account or add a new one')).toBeVisible()
  await expect(withdraw(page)).toHaveCount(0)
  const linkButton = link(page)
  await linkButton.click()
  await expect(page.getByText('Please enter a valid amount')).toBeVisible()
  await expect(amountField(page)).toBeFocused()
  await amountField(page).fill('100.01')
  await expect(page.getByText('Insufficient funds. Your balance is $100.00')).toBeVisible()
  await expect(page.getByRole('complementary').locator('.balance')).toHaveText('$0.00')
  await linkButton.click()
  await expect(amountField(page)).toBeFocused()
  await amountField(page).fill('10.00')
  await settle(page)
  await expectAccessible(page)

  await page.route('**/api/payment/link-bank-account', (route) => route.fulfill(problem(503, 'provider_unavailable')))
  await linkButton.click()
  await expect(page.getByText('Unable to link bank account right now. Please try again later.')).toBeVisible()
  await page.unroute('**/api/payment/link-bank-account')
  await page.route('**/api/payment/link-bank-account', (route) =>
    route.fulfill({ json: { redirectUrl: '', link_id: randomUUID() } }),
  )
  await linkButton.click()
  await expect(page.getByText('Failed to get bank linking URL')).toBeVisible()
  await expectAccessible(page)

  const account = await linkAccount(person, 'harbour', 'USD')
  await page.reload()
  await expect(page.getByRole('radio', { name: /Harbour Bank/ })).toBeChecked()
  await amountField(page).fill('10.00')
  // The order reserves the money, but its answer is lost.
  await page.route('**/api/payment/withdraw', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await withdraw(page).click()
  await expect(page.getByText('Failed to process withdrawal. Please try again later.')).toBeVisible(longTimeout)
  await expectAccessible(page)
  await page.unroute('**/api/payment/withdraw')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Your money is on its way' })).toBeVisible()
  expect((await loadWithdrawals(person)).total).toBe(1)
  expect(await loadBalance(person)).toBe('90.00')

  // The bank account is unlinked on another device while this page still offers it.
  await page.getByRole('button', { name: 'Make Another Withdrawal' }).click()
  await amountField(page).fill('10.00')
  await person.call(removeBankAccount, { params: { userId: String(person.id), id: account } })
  await withdraw(page).click()
  await expect(page.getByText(refusedText)).toBeVisible()
  expect(await loadBalance(person)).toBe('90.00')
  expect(pageErrors).toEqual([])
})

test('on a phone without scrolling, one confirmation links a bank and withdraws to it', async ({ page }) => {
  const person = await enrollFunded('otto', 500_00)
  const pageErrors = collectPageErrors(page, /status of 403/)
  await signInThroughApi(page, person)
  await page.setViewportSize(phone)
  await page.goto('/withdraw')
  await amountField(page).fill('150.00')
  const openBankChoice = async () => {
    await expectReachable(page, link(page))
    await link(page).click()
    await expect(dialog(page)).toContainText('Withdraw now$150.00')
    await confirmByMail(page, person)
    await expect(page.getByRole('heading', { name: 'Choose your bank' })).toBeVisible(longTimeout)
  }
  await openBankChoice()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Bank account linking was canceled.')).toBeVisible(longTimeout)
  await expect(amountField(page)).toHaveValue('150.00')

  await openBankChoice()
  await chooseAccount(page, 'Harbour Bank', 'USD')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByText('Bank account linked successfully!')).toBeVisible(longTimeout)
  await expect(amountField(page)).toHaveValue('150.00')
  await settle(page)
  await expectAccessible(page)
  await expectReachable(page, withdraw(page))
  await expect(page.locator('.action-bar')).toContainText('You get $150.00 Arrives by')
  await withdraw(page).click()
  await expect(page.getByRole('heading', { name: 'Your money is on its way' })).toBeVisible(longTimeout)
  expect(await loadBalance(person)).toBe('350.00')

  // A confirmation is valid for one withdrawal.
  await page.getByRole('button', { name: 'Make Another Withdrawal' }).click()
  await amountField(page).fill('150.00')
  await withdraw(page).click()
  await expect(dialog(page)).toContainText('$150.00')
  expect(pageErrors).toEqual([])
})

test('a withdrawal is confirmed, leaves at once and arrives; a bank return is back in the wallet', async ({ page }) => {
  const person = await enrollFunded('ada', 500_00)
  const account = await linkAccount(person, 'harbour', 'USD')
  const pageErrors = collectPageErrors(page, /status of 40[34]/)
  await signInThroughApi(page, person)
  const earlierDay = await loadEstimatedDay(person, account)
  await page.goto('/withdraw')
  await amountField(page).fill('150.00')
  const day = page.getByRole('complementary').getByText(/^(Mon|Tue|Wed|Thu|Fri), [A-Z][a-z]{2} \d{1,2}(, \d{4})?$/)
  await expect(day).toBeVisible()
  const estimatedDay = await day.innerText()
  await expect(page.getByRole('complementary')).toContainText('$350.00')
  await settle(page)
  await expectAccessible(page)

  await withdraw(page).click()
  await expect(dialog(page)).toContainText(
    /Confirm to withdraw \$150\.00 to Harbour Bank, ending in \d{4}\. We ask for larger amounts, for new accounts/,
  )
  await expect(dialog(page)).toContainText('$150.00')
  await expect(dialog(page)).toContainText('Harbour Bank, ending in')
  await settle(page)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(page.getByText('Not confirmed. Nothing was withdrawn.')).toBeVisible()
  expect(await loadBalance(person)).toBe('500.00')
  await withdraw(page).click()
  await confirmByMail(page, person)
  await expect(page.getByRole('heading', { name: 'Your money is on its way' })).toBeVisible(longTimeout)
  const { transactions } = await loadWithdrawals(person)
  const payoutId = transactions[0]?.payment_id ?? ''
  const expected = formatDay((await person.call(payoutStatus, { params: { id: payoutId } })).expected_on)
  // The bank's cut-off may have passed since the first estimate.
  const days = [earlierDay, await loadEstimatedDay(person, account)]
  expect(days).toContain(estimatedDay)
  expect(days).toContain(expected)
  await expect(page.getByText(expected, { exact: true })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  expect(await loadBalance(person)).toBe('350.00')

  await page.goto(`/withdraw?withdrawal_error=true&payout_id=${payoutId}`)
  await expect(page.getByText(`Your withdrawal is on its way. It should arrive by ${expected}.`)).toBeVisible()
  await expect(page).toHaveURL(/\/withdraw$/)
  await expect(page.getByText(refusedText)).toHaveCount(0)
  await page.goto('/dashboard')
  await expect(page.locator('.home-panel .balance')).toContainText('$350.00')
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  const findPaidRow = (status: string) => row(page, new RegExp(`Withdrawal.*−\\$150\\.00.*${status}`))
  await expect(findPaidRow('Pending')).toBeVisible()

  await steerPayout(person, 'pay')
  await expect(findPaidRow('Completed')).toBeVisible(longTimeout)
  expect((await person.call(payoutStatus, { params: { id: payoutId } })).status).toBe('completed')
  expect(await loadBalance(person)).toBe('350.00')

  await steerPayout(person, 'return')
  const returnedRow = row(page, /Deposit.*Withdrawal returned by Harbour Bank.*\+\$150\.00.*Completed/)
  await expect(returnedRow).toBeVisible(longTimeout)
  await expect(findPaidRow('Completed')).toBeVisible()
  expect(await loadBalance(person)).toBe('500.00')
  await waitForMail(person.email, /Your withdrawal was returned/)
  await returnedRow.getByRole('button').click()
  const details = page.getByRole('dialog')
  await expect(details).toContainText('Harbour Bank, ending in')
  await details.getByRole('link', { name: 'Withdrawal' }).click()
  await expect(details).toContainText('The bank returned this money. It’s back in your wallet.')
  await settle(page)
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('a failed withdrawal is back in the wallet, and forged addresses show nothing of it', async ({ page }) => {
  const person = await enrollFunded('fay', 90_00, 8)
  await linkAccount(person, 'reef', 'USD')
  const pageErrors = collectPageErrors(page, /status of 404/)
  await signInThroughApi(page, person)
  const unknown = page.getByText('We have no recent withdrawal of yours on record.')
  for (const forgedQuery of ['withdrawal_success=true', 'withdrawal_error=true']) {
    await page.goto(`/withdraw?${forgedQuery}&payout_id=${randomUUID()}`)
    await expect(unknown).toBeVisible()
    await expect(page).toHaveURL(/\/withdraw$/)
    await expect(page.getByText(refusedText)).toHaveCount(0)
  }
  // Without an id the address refers to the newest withdrawal; this person has none.
  await page.goto('/withdraw?withdrawal_success=true')
  await expect(unknown).toBeVisible()
  await expect(page.getByRole('status').getByRole('link', { name: 'View transactions' })).toBeVisible()
  await expect(page.getByText('Your withdrawal has reached your bank.')).toHaveCount(0)
  await page.goto('/withdraw?withdrawal_error=true')
  await expect(page.getByText(`${refusedText} Nothing was withdrawn.`)).toBeVisible()
  await expect(page).toHaveURL(/\/withdraw$/)
  await page.goto(`/withdraw?linkStatus=success&link_id=${randomUUID()}`)
  await expect(page).toHaveURL(/\/withdraw$/)
  await expect(page.getByText('Your linked bank accounts are shown below.')).toBeVisible()
  await expect(page.getByText('Balance $90.00')).toBeVisible()
  await settle(page)
  await expect(page.getByText('Bank account linked successfully!')).toHaveCount(0)

  // Recent card deposits can be withdrawn only later; all other money can be withdrawn now, without a fee.
  await fund(person, 1_000)
  await page.reload()
  const price = page.getByRole('complementary')
  await expect(page.getByText('Balance $100.00. You can withdraw $90.00 now.')).toBeVisible()
  await expect(price).toContainText('$10.00 added by card can be withdrawn from')
  await page.getByRole('button', { name: 'Max: $90.00' }).click()
  await expect(price.getByText('None', { exact: true })).toBeVisible()
  await expectSoundPage(page)
  await withdraw(page).click()
  await expect(page.getByRole('heading', { name: 'Your money is on its way' })).toBeVisible()
  await page.getByRole('link', { name: 'View Transactions' }).click()
  await expect(row(page, /Withdrawal.*−\$90\.00.*Pending/)).toBeVisible()
  expect(await loadBalance(person)).toBe('10.00')
  await steerPayout(person, 'fail')
  const failedRow = row(page, /Withdrawal.*\$90\.00.*Failed/)
  await expect(failedRow).toBeVisible(longTimeout)
  expect(await loadBalance(person)).toBe('100.00')
  await waitForMail(person.email, /Your withdrawal didn't go through/)
  // The address claims success, but the page shows the server's status of the newest withdrawal.
  await page.goto('/withdraw?withdrawal_success=true')
  await expect(page.getByText(refusedText)).toBeVisible()
  await page.goto('/withdraw?linkStatus=success')
  await expect(page.getByText('Bank account linked successfully!')).toBeVisible()
  await page.goto('/withdraw?linkStatus=canceled')
  await expect(page.getByText('Bank account linking was canceled.')).toBeVisible()
  await page.goto('/transactions')
  await failedRow.getByRole('button').click()
  await expect(page.getByRole('dialog')).toContainText('Reason')
  await settle(page)
  await expectAccessible(page)
  await page.goto('/dashboard')
  await expect(page.locator('.home-panel .balance')).toContainText('$100.00')
  expect(pageErrors).toEqual([])
})
