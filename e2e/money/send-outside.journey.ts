import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { paymentMethods } from '../../packages/contract/src/banking.ts'
import { payCheckout, type TestPerson } from '@tern/testkit/people'
import { chooseAccount } from '../banks.ts'
import { payByCard, testCards } from '../checkout.ts'
import { signInThroughApi, settle } from '../pages.ts'
import { dialog, confirmByMail } from '../step-up.ts'
import {
  amountField,
  loadBalances,
  firstStep,
  fillTransfer,
  goToRecipient,
  goToReview,
  delayCalls,
  method,
  clickNext,
  skipFirstStep,
  chooseExternalPayment,
  recipientField,
  reviewHeading,
  clickSend,
  enrollSenderAndRecipient,
  countSends,
} from '../send-form.ts'
import { steerDebit } from '../steering.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

// Covers the provider and the wait for the next poll, which may take half a minute.
const longTimeout = { timeout: 120_000 }

/** Opens the dashboard of a person without transactions, on another device. */
async function openDashboard(context: BrowserContext, person: TestPerson): Promise<Page> {
  const page = await context.newPage()
  await signInThroughApi(page, person)
  await page.goto('/dashboard')
  await expect(page.getByText('No recent transactions')).toBeVisible()
  return page
}

/** Starts another transfer from a receipt, until the review step. */
async function startSecondSend(page: Page, recipient: TestPerson, amount: string): Promise<void> {
  await page.getByRole('button', { name: 'Send Another Payment' }).click()
  await skipFirstStep(page)
  await fillTransfer(page, recipient, amount)
  await chooseExternalPayment(page)
}

const checkoutHeading = (page: Page) => page.getByRole('heading', { name: 'Pay by card' })
const receipt = (page: Page) => page.getByRole('heading', { name: 'Transfer Successful!' })
const row = (page: Page, person: TestPerson, amount: string) =>
  page.getByRole('row', { name: new RegExp(`${person.username.split('.')[0]}.* ${amount.replace('$', '\\$')}`) })

test('a card pays for a cross-currency transfer, again without its page, and large ones after confirmation', async ({
  page,
  browser,
}) => {
  const [sender, recipient] = await enrollSenderAndRecipient(0)
  const recipientsPage = await openDashboard(await browser.newContext(), recipient)
  const pageErrors = collectPageErrors(page, /status of 403/)
  const recipientsPageErrors = collectPageErrors(recipientsPage)
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, '25.00')
  await expect(page.getByText('Insufficient balance. Consider using a card or bank account instead.')).toBeVisible()
  await chooseExternalPayment(page)
  await expect(method(page, 'card')).toBeChecked()
  await expect(method(page, 'wallet + card'), 'there is nothing in the wallet').toBeDisabled()
  await expect(page.getByText('€23.25').first()).toBeVisible()
  await expect(page.getByText('$25.25').first()).toBeVisible()
  await page.getByLabel('Save this card').check()
  await settle(page)
  await expectAccessible(page)

  await clickSend(page)
  await expect(checkoutHeading(page)).toBeVisible()
  await expect(page.getByText('$25.25').first()).toBeVisible()
  await payByCard(page, testCards.good)
  await expect(recipientsPage.getByText('+€23.25').first(), 'without a reload').toBeVisible(longTimeout)
  await expect(receipt(page)).toBeVisible(longTimeout)
  await expect(page).toHaveURL(/\/send$/)
  await settle(page)
  await expectAccessible(page)
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '23.25'])
  const { cards: savedCards } = await sender.call(paymentMethods, {})
  expect(savedCards).toMatchObject([{ brand: 'Visa', last4: '4242' }])

  const requestedPaths: string[] = []
  page.on('request', (request) => {
    if (request.url().startsWith(process.env.E2E_SANDBOX_URL!)) requestedPaths.push(request.url())
  })
  await startSecondSend(page, recipient, '250.00')
  await expect(page.getByRole('radio', { name: /Visa ending in 4242/ })).toBeChecked()
  await clickSend(page)
  await expect(dialog(page)).toContainText(recipient.username)
  await expect(dialog(page)).toContainText('$250.00')
  await expectAccessible(page)
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Not confirmed. Nothing was sent.')).toBeVisible()
  expect(await countSends(sender)).toBe(1)
  await clickSend(page)
  await confirmByMail(page, sender)
  await expect(receipt(page)).toBeVisible(longTimeout)
  await expect(recipientsPage.getByText('+€232.50').first()).toBeVisible(longTimeout)
  expect(requestedPaths, 'a saved card is charged without the page').toEqual([])
  expect(await countSends(sender)).toBe(2)
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '255.75'])
  expect([...pageErrors, ...recipientsPageErrors]).toEqual([])
})

test('a bank account pays days later: pending, then completed, failed or canceled', async ({ page, browser }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(0)
  const recipientsPage = await openDashboard(await browser.newContext(), recipient)
  const pageErrors = collectPageErrors(page, /status of 403/)
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, '40.00')
  await chooseExternalPayment(page)
  await method(page, 'bank').check()
  await clickSend(page)
  await expect(page.getByText('Please select a bank account or add a new one')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Link a bank account' }).click()
  await confirmByMail(page, sender)
  await chooseAccount(page, 'Harbour Bank', 'USD')
  const releaseLinkStatus = await delayCalls(page, /\/api\/payment\/link-bank-account\//)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(reviewHeading(page), 'the transfer is as it was').toBeVisible()
  await expect(method(page, 'bank')).toBeChecked()
  await method(page, 'card').check()
  releaseLinkStatus()
  await expect(page.getByText('Bank account linked successfully!')).toBeVisible(longTimeout)
  await expect(method(page, 'card'), 'what was chosen since stays').toBeChecked()
  await method(page, 'bank').check()
  await expect(page.getByRole('radio', { name: /Harbour Bank/ })).toBeChecked()
  await clickSend(page)
  await expect(page.getByRole('heading', { name: 'Transfer on its way' })).toBeVisible(longTimeout)
  await expect(page.getByText('Pending', { exact: true })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '0.00'])

  await steerDebit(sender, 'settle')
  await expect(recipientsPage.getByText('+€37.20').first()).toBeVisible(longTimeout)
  await expect(receipt(page), 'the receipt follows').toBeVisible({ timeout: 120_000 })
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '37.20'])

  await startSecondSend(page, recipient, '50.00')
  await method(page, 'bank').check()
  await clickSend(page)
  await expect(page.getByRole('heading', { name: 'Transfer on its way' })).toBeVisible(longTimeout)
  await steerDebit(sender, 'fail')
  await expect(page.getByRole('heading', { name: 'Nothing was sent' })).toBeVisible({ timeout: 120_000 })

  await startSecondSend(page, recipient, '60.00')
  await method(page, 'bank').check()
  await clickSend(page)
  await expect(page.getByRole('heading', { name: 'Transfer on its way' })).toBeVisible(longTimeout)
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await expect(row(page, recipient, '−$40.40')).toContainText('Completed')
  await expect(row(page, recipient, '$50.50')).toContainText('Failed')
  await expect(row(page, recipient, '−$60.60')).toContainText('Pending')
  await row(page, recipient, '−$60.60').getByRole('button').click()
  const details = page.getByRole('dialog')
  await expect(details.getByText(/The money moves once your bank has paid/)).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await details.getByRole('button', { name: 'Cancel the payment' }).click()
  await expect(page.getByText('The payment was canceled.').first()).toBeVisible(longTimeout)
  await expect(details.getByText('Failed', { exact: true })).toBeVisible(longTimeout)
  await page.keyboard.press('Escape')
  await expect(row(page, recipient, '$60.60')).toContainText('Failed', longTimeout)
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '37.20'])
  expect(pageErrors).toEqual([])
})

test('wallet and card pay together: the balance is held at once, released by a cancel, spent by a capture', async ({
  page,
}) => {
  const [sender, recipient] = await enrollSenderAndRecipient(40_00)
  const pageErrors = collectPageErrors(page)
  await goToReview(page, sender, recipient, '30.00')
  await expect(method(page, 'wallet + card')).toBeDisabled()
  await expect(page.getByText('Available when the amount exceeds your balance.')).toBeVisible()
  await page.getByRole('button', { name: 'Back' }).click()
  await amountField(page).fill('100.00')
  await chooseExternalPayment(page)
  await method(page, 'wallet').check()
  await expect(page.getByText('This is more than your balance. Please select a payment method.')).toBeVisible()
  await method(page, 'wallet + card').check()
  const readShare = (term: string) =>
    page.locator('dl').filter({ hasText: 'From your card' }).locator('> *').filter({ hasText: term })
  await expect(readShare('From your balance')).toContainText('$40.00')
  await expect(readShare('From your card')).toContainText('$61.00')
  await expect(readShare('Total to pay')).toContainText('$101.00')
  await settle(page)
  await expectAccessible(page)

  await clickSend(page)
  await expect(checkoutHeading(page)).toBeVisible()
  await expect(page.getByText('$61.00').first()).toBeVisible()
  expect(await loadBalances(sender, recipient), 'held at once').toEqual(['0.00', '0.00'])
  await payByCard(page, testCards.declined)
  await expect(page.getByText('Your card was declined. No money was taken. Try another card.')).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(
    page.getByText('Payment was canceled. You can try again or use a different payment method.'),
  ).toBeVisible(longTimeout)
  await expect(reviewHeading(page)).toBeVisible()
  await expect(method(page, 'wallet + card')).toBeChecked()
  expect(await loadBalances(sender, recipient), 'free again').toEqual(['40.00', '0.00'])

  await clickSend(page)
  await payByCard(page, testCards.challenged)
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect(receipt(page)).toBeVisible(longTimeout)
  await settle(page)
  await expectAccessible(page)
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '93.00'])
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await expect(row(page, recipient, '−$101.00')).toContainText('Completed')
  await expect(row(page, recipient, '$101.00'), 'no money moved').toContainText('Failed')
  expect(pageErrors).toEqual([])
})

test('a payment whose page was closed completes, and the returning device shows it', async ({ page, context }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(10_00)
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, '20.00')
  await chooseExternalPayment(page)
  await clickSend(page)
  await expect(checkoutHeading(page)).toBeVisible()
  const address = page.url()
  await page.close()

  const laterPage = await context.newPage()
  const pageErrors = collectPageErrors(laterPage)
  await laterPage.goto('/send')
  await expect(laterPage.getByText('This payment isn’t complete yet')).toBeVisible()
  await expect(laterPage.getByRole('link', { name: 'Continue to payment' })).toHaveAttribute('href', address)
  await settle(laterPage)
  await expectAccessible(laterPage)
  await laterPage.goto('/dashboard')

  await payCheckout(address)
  await expect.poll(() => loadBalances(sender, recipient), longTimeout).toEqual(['10.00', '18.60'])
  await laterPage.goto('/send')
  await expect(receipt(laterPage)).toBeVisible(longTimeout)
  await laterPage.reload()
  await expect(firstStep(laterPage)).toBeVisible()
  expect(await countSends(sender)).toBe(1)
  expect(pageErrors).toEqual([])
})

test('card payments to oneself or to an unknown user are refused, and a payment that did not start says so', async ({
  page,
}) => {
  const [sender, recipient] = await enrollSenderAndRecipient(10_00)
  const pageErrors = collectPageErrors(page, /status of 4(04|22)/)
  await goToReview(page, sender, recipient, '5.00')
  await method(page, 'card').check()
  await page.getByRole('button', { name: 'Back' }).click()
  await recipientField(page).fill(sender.username)
  await amountField(page).focus()
  await expect(
    page.getByText('Cannot send money to yourself using a card payment. Please select a different recipient.'),
  ).toBeVisible()
  await clickNext(page)
  await expect(recipientField(page)).toBeFocused()
  await recipientField(page).fill('')
  await clickNext(page)
  await expect(
    page.getByText('Missing recipient information. Please select a valid recipient before proceeding.'),
  ).toBeVisible()
  await settle(page)
  await expectAccessible(page)

  await fillTransfer(page, recipient, '5.00')
  await clickNext(page)
  await expect(method(page, 'card')).toBeChecked()
  // Simulates a provider that starts no payment and returns neither a reason nor an address.
  await page.route('**/api/payment/direct-payment', (route) =>
    route.fulfill({ json: { success: false, status: 'failed', payment_id: '', redirectUrl: null, message: '' } }),
  )
  await clickSend(page)
  await expect(page.getByText('Failed to process payment')).toBeVisible()
  await expectAccessible(page)
  expect(await loadBalances(sender, recipient)).toEqual(['10.00', '0.00'])
  expect(await countSends(sender)).toBe(0)
  expect(pageErrors).toEqual([])
})
