import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { paymentMethods, removeBankAccount, removeCard } from '../../packages/contract/src/banking.ts'
import { enroll, payCheckout, type TestPerson } from '@tern/testkit/people'
import { chooseAccount, linkAccount } from '../banks.ts'
import { openCheckout, payByCard, testCards } from '../checkout.ts'
import { waitForMail } from '../mailbox.ts'
import { signInThroughApi, productUrl, settle, signIn } from '../pages.ts'
import { dialog, confirmByMail } from '../step-up.ts'
import { delayCalls } from '../send-form.ts'
import { steerDebit, steerPayment } from '../steering.ts'
import { expectAccessible, expectReachable, phone, collectPageErrors } from '../page-checks.ts'

const successful = 'Payment successful! Your funds have been added to your wallet.'
// Covers the wait for the provider's event.
const longTimeout = { timeout: 120_000 }

const loadBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance
const amountField = (page: Page) => page.getByLabel('Amount')
const row = (page: Page, name: RegExp) => page.getByRole('row', { name })

const problem = (status: number, code: string) => ({
  status,
  json: { type: 'about:blank', title: 'Problem', status, requestId: 'a', code, detail: 'The server is busy.' },
})

test('a bank challenge is refused, then accepted, and a payment the provider drops is reported failed', async ({
  page,
}) => {
  const person = await enroll(productUrl(), 'chloe', 'United States')
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, person)
  await openCheckout(page, '40.00')
  await payByCard(page, testCards.challenged)
  await expect(page.getByRole('heading', { name: 'Your bank asks you to confirm' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Fail' }).click()
  await expect(page.getByRole('alert')).toContainText('No money was taken')
  expect(await loadBalance(person)).toBe('0.00')
  await payByCard(page, testCards.challenged)
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByRole('heading', { name: successful })).toBeVisible(longTimeout)
  await expect(page).toHaveURL(/\/deposit$/)
  await expect(page.getByText('Balance $40.00')).toBeVisible()

  await page.getByRole('button', { name: 'Add more money' }).click()
  await amountField(page).fill('15.00')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await payByCard(page, testCards.silent)
  await expect(page.getByText('Waiting for confirmation')).toBeVisible(longTimeout)
  await expect(page.getByText(successful)).toHaveCount(0)
  await settle(page)
  await expectAccessible(page)
  await steerPayment(person, 'fail')
  await expect(page.getByText('Failed to process card payment. Please try again.')).toBeVisible(longTimeout)
  await expect(amountField(page)).toHaveValue('15.00')
  await expect(page.getByText('Balance $40.00')).toBeVisible()
  await expectAccessible(page)

  // While the provider is unavailable, no payment is started.
  await page.route('**/api/payment/deposit', (route) => route.fulfill(problem(503, 'provider_unavailable')))
  expect(pageErrors).toEqual([])
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByText('Failed to process deposit. Please try again later.')).toBeVisible()
  await expect.poll(() => pageErrors).toEqual([expect.stringContaining('503')])
  expect(await loadBalance(person)).toBe('40.00')
})

test('euros reach a dollar wallet at the displayed price', async ({ page }) => {
  const person = await enroll(productUrl(), 'emil', 'United States')
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, person)
  await page.goto('/deposit')
  await page.getByLabel('Currency').selectOption('EUR')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByText('Please enter a valid amount')).toBeVisible()
  await expect(amountField(page)).toBeFocused()
  await amountField(page).fill('50.00')
  const price = page.getByRole('complementary')
  await expect(price.getByText('€50.50', { exact: true })).toBeVisible()
  await expect(price.getByText(/This price holds until/)).toBeVisible()
  const receivedAmount = await price.locator('.balance').innerText()
  const rate = await price.getByText(/^1 EUR = \d\.\d{4} USD$/).innerText()
  expect(receivedAmount).toMatch(/^\$\d+\.\d\d$/)
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Pay €50.50' })).toBeVisible()
  await payByCard(page, testCards.good)
  await expect(page.getByRole('heading', { name: successful })).toBeVisible(longTimeout)
  await expect(page.getByText('€50.50')).toBeVisible()
  await expect(page.getByText(`Balance ${receivedAmount}`)).toBeVisible()
  expect(`$${await loadBalance(person)}`).toBe(receivedAmount)
  // The receipt repeats the accepted price.
  const findLine = (term: string) => page.locator('main dl > *').filter({ hasText: term })
  await expect(findLine('Amount')).toContainText('€50.00')
  await expect(findLine('Mid-market rate')).toContainText(rate)
  await expect(findLine('Fee')).toContainText('€0.50')
  await expect(findLine('Your wallet gets')).toContainText(receivedAmount)
  await settle(page)
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('a card is saved, charged without its page, and removed', async ({ page }) => {
  const person = await enroll(productUrl(), 'kira', 'United States')
  const pageErrors = collectPageErrors(page, /status of 4(04|22)/)
  await signInThroughApi(page, person)
  await page.goto('/deposit')
  await amountField(page).fill('30.00')
  await page.getByRole('switch', { name: 'Save this card' }).check()
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByRole('checkbox', { name: /Save this card/ })).toBeChecked()
  await payByCard(page, testCards.good)
  await expect(page.getByRole('heading', { name: successful })).toBeVisible(longTimeout)

  await page.getByRole('button', { name: 'Add more money' }).click()
  await expect(page.getByRole('radio', { name: /Visa ending in 4242/ })).toBeChecked()
  const { width, height } = page.viewportSize() ?? phone
  await page.setViewportSize(phone)
  await amountField(page).fill('20.00')
  await expect(page.getByText('Send it right away, withdraw it after 7 days.')).toBeInViewport()
  await expectAccessible(page)
  const payButton = page.getByRole('button', { name: 'Pay $20.00' })
  await expectReachable(page, payButton)
  await payButton.click()
  await page.setViewportSize({ width, height })
  await expect(page.getByRole('heading', { name: successful })).toBeVisible(longTimeout)
  await expect(page.getByText('Balance $50.00')).toBeVisible()
  await expect(page).toHaveURL(/\/deposit$/)

  // The card is removed on another device while this page still offers it.
  await page.getByRole('button', { name: 'Add more money' }).click()
  await amountField(page).fill('10.00')
  const { cards } = await person.call(paymentMethods, {})
  await person.call(removeCard, { params: { id: cards[0]?.id ?? '' } })
  await page.getByRole('button', { name: 'Pay $10.00' }).click()
  await expect(page.getByText('Failed to process card payment. Please try again.')).toBeVisible()
  expect(await loadBalance(person)).toBe('50.00')

  await page.goto('/deposit')
  await amountField(page).fill('5.00')
  await page.getByRole('switch', { name: 'Save this card' }).check()
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await payByCard(page, testCards.good)
  await expect(page.getByRole('heading', { name: successful })).toBeVisible(longTimeout)
  await page.goto('/settings/connections')
  await page.getByRole('button', { name: 'Remove Visa ··4242' }).click()
  const removeDialog = page.getByRole('dialog', { name: 'Remove Visa ··4242?' })
  await settle(page)
  await expectAccessible(page)
  const releaseRemoval = await delayCalls(page, /\/api\/payment\/methods\/[^/]+$/)
  await removeDialog.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(removeDialog).toHaveCount(0)
  const dashboardLink = page.getByRole('link', { name: 'Dashboard', exact: true })
  await dashboardLink.focus()
  releaseRemoval()
  await expect(page.getByText('Visa ··4242 removed.')).toBeVisible()
  await expect(page.getByText(/^No saved cards\./)).toBeVisible()
  await expect(dashboardLink).toBeFocused()
  expect((await person.call(paymentMethods, {})).cards).toEqual([])
  expect(pageErrors).toEqual([])
})

test('a bank account is linked after a change of mind and a failing bank', async ({ page }) => {
  const person = await enroll(productUrl(), 'lena', 'United States')
  const pageErrors = collectPageErrors(page, /status of 40[34]/)
  await signInThroughApi(page, person)
  const linkButton = page.getByRole('button', { name: 'Link a bank account' })
  const transfer = page.getByRole('button', { name: 'Start transfer' })
  const startLink = async () => {
    await linkButton.click()
    await confirmByMail(page, person)
    await expect(page.getByRole('heading', { name: 'Choose your bank' })).toBeVisible(longTimeout)
  }
  const waitForReturn = (linkStatus: string) =>
    page.waitForRequest((request) => request.url().includes(`/deposit?linkStatus=${linkStatus}`))

  await page.goto(`/deposit?linkStatus=success&link_id=${randomUUID()}`)
  await expect(page).toHaveURL(/\/deposit$/)
  await page.getByRole('radio', { name: /Bank account/ }).check()
  await amountField(page).fill('60.00')
  await transfer.click()
  await expect(page.getByText('Please select a bank account or add a new one')).toBeVisible()
  await expect(linkButton).toBeFocused()
  await expect(page.getByText('Bank account linked successfully!')).toHaveCount(0)
  await settle(page)
  await expectAccessible(page)

  await linkButton.click()
  await expect(dialog(page)).toContainText('We ask before a bank account is linked')
  await settle(page)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeHidden()
  await startLink()
  await expectAccessible(page)
  const canceledReturn = waitForReturn('canceled')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await canceledReturn
  await expect(page.getByText('Bank account linking was canceled.')).toBeVisible()
  await expect(page).toHaveURL(/\/deposit$/)
  await expect(amountField(page)).toHaveValue('60.00')

  await startLink()
  await chooseAccount(page, 'Fog Bank', 'USD')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByText('Unable to link bank account right now. Please try again later.')).toBeVisible(
    longTimeout,
  )
  await expectAccessible(page)

  await startLink()
  await chooseAccount(page, 'Harbour Bank', 'USD')
  await expectAccessible(page)
  const linkedReturn = waitForReturn('success')
  const releaseLinkStatus = await delayCalls(page, /\/api\/payment\/link-bank-account\//)
  await page.getByRole('button', { name: 'Allow' }).click()
  await linkedReturn
  // The late result of linking the bank account does not change the chosen method.
  await page.getByRole('radio', { name: /^Card/ }).check()
  releaseLinkStatus()
  await expect(page.getByText('Bank account linked successfully!')).toBeVisible(longTimeout)
  await expect(page.getByRole('radio', { name: /^Card/ })).toBeChecked()
  await page.getByRole('radio', { name: /^Bank account/ }).check()
  await expect(page.getByRole('radio', { name: /Harbour Bank/ })).toBeChecked()
  await expect(amountField(page)).toHaveValue('60.00')
  await settle(page)
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('a bank deposit is pending until the bank pays, and failed when it does not', async ({ page }) => {
  const person = await enroll(productUrl(), 'bea', 'United States')
  const account = await linkAccount(person, 'harbour', 'USD')
  const pageErrors = collectPageErrors(page, /status of 422/)
  await signInThroughApi(page, person)
  const transfer = page.getByRole('button', { name: 'Start transfer' })
  const fill = async (amount: string) => {
    await page.goto('/deposit')
    await page.getByRole('radio', { name: /^Bank account/ }).check()
    await expect(page.getByRole('radio', { name: /Harbour Bank/ })).toBeChecked()
    await amountField(page).fill(amount)
  }

  await fill('60.00')
  await transfer.click()
  await expect(page.getByRole('heading', { name: 'Your money is on its way' })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'View Transactions' }).click()
  await expect(row(page, /Deposit.*\+\$60\.00.*Pending/)).toBeVisible()
  expect(await loadBalance(person)).toBe('0.00')
  await steerDebit(person, 'settle')
  await expect(row(page, /Deposit.*\+\$60\.00.*Completed/)).toBeVisible(longTimeout)
  expect(await loadBalance(person)).toBe('60.00')

  await fill('25.00')
  await transfer.click()
  await page.getByRole('link', { name: 'View Transactions' }).click()
  await expect(row(page, /Deposit.*\+\$25\.00.*Pending/)).toBeVisible()
  await steerDebit(person, 'fail')
  await expect(row(page, /Deposit.*\$25\.00.*Failed/)).toBeVisible(longTimeout)
  expect(await loadBalance(person)).toBe('60.00')
  await waitForMail(person.email, /Your bank payment didn't go through/)

  // The bank account is unlinked on another device while this page still offers it.
  await fill('5.00')
  await person.call(removeBankAccount, { params: { userId: String(person.id), id: account } })
  await transfer.click()
  await expect(page.getByText('Failed to initiate bank transfer. Please try again.')).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('money paid after the browser left arrives', async ({ browser }) => {
  const person = await enroll(productUrl(), 'gus', 'United States')
  const closedContext = await browser.newContext()
  const checkout = await closedContext.newPage()
  await signInThroughApi(checkout, person)
  await openCheckout(checkout, '80.00')
  const address = checkout.url()
  await closedContext.close()
  await payCheckout(address)

  const page = await (await browser.newContext()).newPage()
  const pageErrors = collectPageErrors(page)
  await signIn(page, person)
  await expect(page.locator('.home-panel')).toContainText('$80.00', longTimeout)
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await expect(row(page, /Deposit.*\+\$80\.00.*Completed/)).toHaveCount(1)
  await page.goto('/deposit')
  await expect(page.getByText('Balance $80.00')).toBeVisible()
  await expect(page.getByText(successful)).toHaveCount(0)
  expect(pageErrors).toEqual([])
})
