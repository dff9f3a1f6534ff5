import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { paymentStatus } from '../../packages/contract/src/payments.ts'
import { enroll, payCheckout, type TestPerson } from '@tern/testkit/people'
import { payByCard, testCards } from '../checkout.ts'
import { productUrl, settle } from '../pages.ts'
import {
  amountField,
  loadBalances,
  firstStep,
  fillTransfer,
  goToRecipient,
  method,
  skipFirstStep,
  chooseExternalPayment,
  recipientField,
  reviewHeading,
  clickSend,
  enrollSenderAndRecipient,
  countSends,
} from '../send-form.ts'
import { steerPayment } from '../steering.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

// Covers the provider and the wait for the next poll, which may take half a minute.
const longTimeout = { timeout: 120_000 }

const canceledText = 'Payment was canceled. You can try again or use a different payment method.'
const receipt = (page: Page) => page.getByRole('heading', { name: 'Transfer Successful!' })

/** Returns the statuses of a person's transactions, newest first. */
const loadStatuses = async (person: TestPerson): Promise<string[]> =>
  (await person.transactions()).map(({ status }) => status)

/** Orders a 20-dollar transfer by card, until the provider's page is open. */
async function goToCheckout(page: Page, sender: TestPerson, recipient: TestPerson): Promise<void> {
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, '20.00')
  await chooseExternalPayment(page)
  await clickSend(page)
  await expect(page.getByRole('heading', { name: 'Pay by card' })).toBeVisible()
}

interface SavedSend {
  readonly activeStep: number
  readonly paymentSource: string
  readonly paymentId?: string
  readonly recipientInfo?: object
  readonly formData: { readonly recipient?: object }
  readonly priced: { readonly quote: object }
}

/** Returns the pending transfer that the page has stored. */
async function readSavedSend(page: Page): Promise<SavedSend> {
  const text = await page.evaluate<string | null>(`localStorage.getItem('pendingTransaction')`)
  expect(text).not.toBeNull()
  return JSON.parse(text ?? '') as SavedSend
}

/** Opens /send with the query `flags` and the stored transfer, as on return from the provider. */
async function returnFromProvider(page: Page, stored: string, flags: string): Promise<void> {
  await page.evaluate(`localStorage.setItem('pendingTransaction', ${JSON.stringify(stored)})`)
  await page.goto(`/send?${flags}`)
}

test('an abandoned or declined payment returns to the last step, whatever the address says', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(0)
  const pageErrors = collectPageErrors(page, /status of 409/)
  await goToCheckout(page, sender, recipient)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText(canceledText)).toBeVisible(longTimeout)
  await expect(page).toHaveURL(/\/send$/)
  await expect(reviewHeading(page)).toBeVisible()
  await expect(method(page, 'card')).toBeChecked()
  await settle(page)
  await expectAccessible(page)

  // The provider redirects with success before the card's bank answers.
  await clickSend(page)
  await payByCard(page, testCards.silent)
  await expect(page.getByText('Your payment is being processed')).toBeVisible()
  await expect(receipt(page)).toHaveCount(0)
  await settle(page)
  await expectAccessible(page)
  await expect.poll(() => loadStatuses(sender), longTimeout).toEqual(['PENDING'])
  await steerPayment(sender, 'fail')
  await expect(page.getByText(canceledText)).toBeVisible(longTimeout)
  await expect(reviewHeading(page)).toBeVisible()
  expect(await loadStatuses(sender), 'it was listed while the provider processed it').toEqual(['FAILED'])
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '0.00'])

  // This card's payment is redirected as canceled, but succeeds.
  await clickSend(page)
  await payByCard(page, '4000 0000 0000 1018')
  await expect(page.getByText('Your payment is being processed')).toBeVisible()
  await steerPayment(sender, 'settle')
  await expect(receipt(page)).toBeVisible(longTimeout)
  expect(await loadStatuses(sender)).toEqual(['COMPLETED', 'FAILED'])
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '18.60'])
  await page.reload()
  await expect(firstStep(page)).toBeVisible()
  await expect(page.getByText(canceledText)).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('a card payment that is processed shows as pending, and another send begins beside it', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(0)
  const pageErrors = collectPageErrors(page)
  await goToCheckout(page, sender, recipient)
  await payByCard(page, testCards.silent)
  await expect(page.getByText('Your payment is being processed')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send Another Payment' })).toBeVisible(longTimeout)
  await expect.poll(() => loadStatuses(sender), longTimeout).toEqual(['PENDING'])
  await page.goto('/dashboard')
  await expect(page.getByRole('main').getByText('Pending', { exact: true }).first()).toBeVisible()

  await page.goto('/send')
  await expect(page.getByText(/is being processed\. Your transactions show it as pending\./)).toBeVisible(longTimeout)
  await skipFirstStep(page)
  await expect(recipientField(page)).toHaveValue('')
  await fillTransfer(page, recipient, '30.00')
  await chooseExternalPayment(page)
  await clickSend(page)
  await expect(page.getByRole('heading', { name: 'Pay by card' })).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('each return shows its message and step, and moves no money', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(10_00)
  const pageErrors = collectPageErrors(page, /status of 4(04|09)/)
  await goToCheckout(page, sender, recipient)
  await page.goto('/dashboard')
  const savedSend = await readSavedSend(page)
  expect(savedSend).toMatchObject({ activeStep: 2, paymentSource: 'card' })
  const ownProfile = { id: sender.id, username: sender.username, name: 'sam', base_currency: 'USD' }
  const buildSavedSend = (person: object | undefined) =>
    JSON.stringify({ ...savedSend, recipientInfo: person, formData: { ...savedSend.formData, recipient: person } })

  await returnFromProvider(page, JSON.stringify({ ...savedSend, activeStep: 1 }), 'payment_success=true')
  await expect(
    page.getByText('Payment method added successfully. Please continue with your transaction.'),
  ).toBeVisible()
  await expect(recipientField(page)).toHaveValue(recipient.username)
  await expect(amountField(page)).toHaveValue('20.00')
  await expect(page).toHaveURL(/\/send$/)
  await settle(page)
  await expectAccessible(page)

  await returnFromProvider(page, buildSavedSend(undefined), 'payment_success=true')
  await expect(page.getByText('Missing recipient information. Please try again or contact support.')).toBeVisible()
  await expect(recipientField(page)).toHaveValue('')
  await expect(amountField(page)).toHaveValue('20.00')
  await settle(page)
  await expectAccessible(page)

  await returnFromProvider(page, buildSavedSend(ownProfile), 'payment_success=true')
  await expect(
    page.getByText(
      'Cannot send money to yourself using a card payment. The payment was processed but no transfer was made. Please contact support for a refund.',
    ),
  ).toBeVisible()

  await returnFromProvider(page, '{"activeStep":2,', 'payment_success=true')
  await expect(
    page.getByText('Something went wrong processing your payment. Please try again or contact support.'),
  ).toBeVisible()
  await expect(firstStep(page)).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.reload()
  await expect(firstStep(page)).toBeVisible()
  await expect(page.getByText(/Something went wrong/)).toHaveCount(0)

  // Any page may link to this address, so without a payment id it cancels nothing.
  await returnFromProvider(page, JSON.stringify(savedSend), 'payment_canceled=true')
  await expect(page.getByText('This payment isn’t complete yet')).toBeVisible(longTimeout)
  await expect(page.getByRole('button', { name: 'Cancel the payment' })).toBeVisible()
  await expect(page).toHaveURL(/\/send$/)
  const { paymentId = '' } = savedSend
  const loadPaymentStatus = () => sender.call(paymentStatus, { params: { id: paymentId } })
  expect(await loadPaymentStatus()).toMatchObject({ status: 'pending' })

  await returnFromProvider(page, JSON.stringify(savedSend), `payment_canceled=true&payment_id=${paymentId}`)
  await expect(page.getByText(canceledText)).toBeVisible(longTimeout)
  await expect(reviewHeading(page)).toBeVisible()
  expect(await countSends(sender)).toBe(0)
  expect(await loadBalances(sender, recipient)).toEqual(['10.00', '0.00'])

  // The card is charged anyway, so the page must not ask to pay again.
  await steerPayment(sender, 'settle')
  await expect.poll(async () => (await loadPaymentStatus()).captured, longTimeout).toBe(true)
  await returnFromProvider(page, JSON.stringify(savedSend), `payment_success=true&payment_id=${paymentId}`)
  const paidOnlyText = `Payment was successful, but there was an error completing the transfer. Error: The payment arrived too late for this transfer. The money is in your wallet. Please contact support with reference #${paymentId}.`
  for (const flags of ['', '?payment_canceled=true']) {
    await expect(page.getByText(paidOnlyText)).toBeVisible(longTimeout)
    await expect(page.getByRole('radio')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Send Money' })).toHaveCount(0)
    await page.goto(`/send${flags}`)
  }
  await expect(page.getByText(paidOnlyText)).toBeVisible(longTimeout)
  await settle(page)
  await expectAccessible(page)
  expect(await countSends(sender)).toBe(0)
  expect(await loadBalances(sender, recipient)).toEqual(['30.20', '0.00'])
  await page.getByRole('button', { name: 'Send Another Payment' }).click()
  await expect(firstStep(page)).toBeVisible()
  await expect(page.getByText(paidOnlyText)).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('a forged address and device state complete only the transfer that was paid', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(15_00)
  const otherUser = await enroll(productUrl(), 'otto', 'Germany')
  const pageErrors = collectPageErrors(page, /status of 404/)
  await goToCheckout(page, sender, recipient)
  const checkout = page.url()
  await page.goto('/dashboard')
  const savedSend = await readSavedSend(page)
  const { paymentId = '' } = savedSend

  // Ten dollars that were never paid: the wallet must not pay them instead.
  const quote = { ...savedSend.priced.quote, source_amount: '10.00', total: '10.20' }
  const forgedSend = { ...savedSend, paymentId: undefined, priced: { ...savedSend.priced, quote } }
  await returnFromProvider(page, JSON.stringify(forgedSend), 'payment_success=true')
  await expect(page.getByText('Failed to process transfer: There is no payment for this transfer.')).toBeVisible()
  await expect(reviewHeading(page)).toBeVisible()
  expect(await loadBalances(sender, recipient)).toEqual(['15.00', '0.00'])
  await returnFromProvider(page, JSON.stringify(forgedSend), `payment_success=true&payment_id=${randomUUID()}`)
  await expect(page.getByText('Failed to process transfer: There is no payment for this transfer.')).toBeVisible()

  await payCheckout(checkout)
  await expect.poll(() => loadBalances(sender, recipient), longTimeout).toEqual(['15.00', '18.60'])
  const person = { id: otherUser.id, username: otherUser.username, name: 'otto', base_currency: 'EUR' }
  const divertedSend = { ...savedSend, recipientInfo: person, formData: { ...savedSend.formData, recipient: person } }
  await returnFromProvider(page, JSON.stringify(divertedSend), `payment_success=true&payment_id=${paymentId}`)
  await expect(
    page.getByText(
      `Payment was successful, but there was an error completing the transfer. Error: There is no payment for this transfer. Please contact support with reference #${paymentId}.`,
    ),
  ).toBeVisible(longTimeout)
  await expect(page).toHaveURL(/\/send$/)
  await settle(page)
  await expectAccessible(page)

  await returnFromProvider(page, JSON.stringify(savedSend), `payment_success=true&payment_id=${paymentId}`)
  await expect(receipt(page)).toBeVisible(longTimeout)
  await expect(page.getByText('rosa has').first()).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  expect(await countSends(sender), 'asking sends nothing again').toBe(1)
  expect(await loadBalances(sender, recipient, otherUser)).toEqual(['15.00', '18.60', '0.00'])
  expect(pageErrors).toEqual([])
})
