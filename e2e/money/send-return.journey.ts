import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { paymentStatus } from '../../packages/contract/src/payments.ts'
import { enroll, payCheckout, type TestPerson } from '@tern/testkit/people'
import { payWith, testCards } from '../checkout.ts'
import { productUrl, settle } from '../pages.ts'
import {
  amountField,
  loadBalances,
  firstStep,
  fillTransfer,
  goToRecipient,
  method,
  passFirstStep,
  payOutside,
  recipientField,
  reviewHeading,
  send,
  senderAndRecipient,
  sentBy,
} from '../sending.ts'
import { steerPayment } from '../steering.ts'
import { expectAccessible, watch } from '../watch.ts'

// Time for the provider and for the next poll, which may take half a minute.
const patient = { timeout: 120_000 }

const canceled = 'Payment was canceled. You can try again or use a different payment method.'
const receipt = (page: Page) => page.getByRole('heading', { name: 'Transfer Successful!' })

/** Statuses of the sender's transfers, newest first. */
const loadStatuses = async (person: TestPerson): Promise<string[]> =>
  (await person.transactions()).map(({ status }) => status)

/** Orders a 20-dollar transfer by card, up to the provider's page. */
async function goToCheckout(page: Page, sender: TestPerson, recipient: TestPerson): Promise<void> {
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, '20.00')
  await payOutside(page)
  await send(page)
  await expect(page.getByRole('heading', { name: 'Pay by card' })).toBeVisible()
}

interface Saved {
  readonly activeStep: number
  readonly paymentSource: string
  readonly paymentId?: string
  readonly recipientInfo?: object
  readonly formData: { readonly recipient?: object }
  readonly priced: { readonly quote: object }
}

/** Pending transfer stored by the page. */
async function readSaved(page: Page): Promise<Saved> {
  const text = await page.evaluate<string | null>(`localStorage.getItem('pendingTransaction')`)
  expect(text).not.toBeNull()
  return JSON.parse(text ?? '') as Saved
}

/** Returns to /send with this query and stored transfer. */
async function returnFromProvider(page: Page, kept: string, flags: string): Promise<void> {
  await page.evaluate(`localStorage.setItem('pendingTransaction', ${JSON.stringify(kept)})`)
  await page.goto(`/send?${flags}`)
}

test('an abandoned or declined payment returns to the last step, whatever the address says', async ({ page }) => {
  test.setTimeout(240_000)
  const [sender, recipient] = await senderAndRecipient(0)
  const complaints = watch(page, /status of 409/)
  await goToCheckout(page, sender, recipient)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText(canceled)).toBeVisible(patient)
  await expect(page).toHaveURL(/\/send$/)
  await expect(reviewHeading(page)).toBeVisible()
  await expect(method(page, 'card')).toBeChecked()
  await settle(page)
  await expectAccessible(page)

  // The provider redirects with success before the card's bank answers.
  await send(page)
  await payWith(page, testCards.silent)
  await expect(page.getByText('Your payment is being processed')).toBeVisible()
  await expect(receipt(page)).toHaveCount(0)
  await settle(page)
  await expectAccessible(page)
  await expect.poll(() => loadStatuses(sender), patient).toEqual(['PENDING'])
  await steerPayment(sender, 'fail')
  await expect(page.getByText(canceled)).toBeVisible(patient)
  await expect(reviewHeading(page)).toBeVisible()
  expect(await loadStatuses(sender), 'it was listed while the provider processed it').toEqual(['FAILED'])
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '0.00'])

  // Redirects as canceled, but the payment succeeds.
  await send(page)
  await payWith(page, '4000 0000 0000 1018')
  await expect(page.getByText('Your payment is being processed')).toBeVisible()
  await steerPayment(sender, 'settle')
  await expect(receipt(page)).toBeVisible(patient)
  expect(await loadStatuses(sender)).toEqual(['COMPLETED', 'FAILED'])
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '18.60'])
  await page.reload()
  await expect(firstStep(page)).toBeVisible()
  await expect(page.getByText(canceled)).toHaveCount(0)
  expect(complaints).toEqual([])
})

test('a card payment that is processed shows as pending, and another send begins beside it', async ({ page }) => {
  test.setTimeout(120_000)
  const [sender, recipient] = await senderAndRecipient(0)
  const complaints = watch(page)
  await goToCheckout(page, sender, recipient)
  await payWith(page, testCards.silent)
  await expect(page.getByText('Your payment is being processed')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send Another Payment' })).toBeVisible(patient)
  await expect.poll(() => loadStatuses(sender), patient).toEqual(['PENDING'])
  await page.goto('/dashboard')
  await expect(page.getByRole('main').getByText('Pending', { exact: true }).first()).toBeVisible()

  await page.goto('/send')
  await expect(page.getByText(/is being processed\. Your transactions show it as pending\./)).toBeVisible(patient)
  await passFirstStep(page)
  await expect(recipientField(page)).toHaveValue('')
  await fillTransfer(page, recipient, '30.00')
  await payOutside(page)
  await send(page)
  await expect(page.getByRole('heading', { name: 'Pay by card' })).toBeVisible()
  expect(complaints).toEqual([])
})

test('each return shows its message and step, and moves no money', async ({ page }) => {
  test.setTimeout(240_000)
  const [sender, recipient] = await senderAndRecipient(10_00)
  const complaints = watch(page, /status of 4(04|09)/)
  await goToCheckout(page, sender, recipient)
  await page.goto('/dashboard')
  const saved = await readSaved(page)
  expect(saved).toMatchObject({ activeStep: 2, paymentSource: 'card' })
  const own = { id: sender.id, username: sender.username, name: 'sam', base_currency: 'USD' }
  const withRecipient = (person: object | undefined) =>
    JSON.stringify({ ...saved, recipientInfo: person, formData: { ...saved.formData, recipient: person } })

  await returnFromProvider(page, JSON.stringify({ ...saved, activeStep: 1 }), 'payment_success=true')
  await expect(
    page.getByText('Payment method added successfully. Please continue with your transaction.'),
  ).toBeVisible()
  await expect(recipientField(page)).toHaveValue(recipient.username)
  await expect(amountField(page)).toHaveValue('20.00')
  await expect(page).toHaveURL(/\/send$/)
  await settle(page)
  await expectAccessible(page)

  await returnFromProvider(page, withRecipient(undefined), 'payment_success=true')
  await expect(page.getByText('Missing recipient information. Please try again or contact support.')).toBeVisible()
  await expect(recipientField(page)).toHaveValue('')
  await expect(amountField(page)).toHaveValue('20.00')
  await settle(page)
  await expectAccessible(page)

  await returnFromProvider(page, withRecipient(own), 'payment_success=true')
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
  await returnFromProvider(page, JSON.stringify(saved), 'payment_canceled=true')
  await expect(page.getByText('This payment isn’t complete yet')).toBeVisible(patient)
  await expect(page.getByRole('button', { name: 'Cancel the payment' })).toBeVisible()
  await expect(page).toHaveURL(/\/send$/)
  const { paymentId = '' } = saved
  const standing = () => sender.call(paymentStatus, { params: { id: paymentId } })
  expect(await standing()).toMatchObject({ status: 'pending' })

  await returnFromProvider(page, JSON.stringify(saved), `payment_canceled=true&payment_id=${paymentId}`)
  await expect(page.getByText(canceled)).toBeVisible(patient)
  await expect(reviewHeading(page)).toBeVisible()
  expect(await sentBy(sender)).toBe(0)
  expect(await loadBalances(sender, recipient)).toEqual(['10.00', '0.00'])

  // The card is charged anyway, so the page must not ask to pay again.
  await steerPayment(sender, 'settle')
  await expect.poll(async () => (await standing()).captured, patient).toBe(true)
  await returnFromProvider(page, JSON.stringify(saved), `payment_success=true&payment_id=${paymentId}`)
  const paidOnly = `Payment was successful, but there was an error completing the transfer. Error: The payment arrived too late for this transfer. The money is in your wallet. Please contact support with reference #${paymentId}.`
  for (const flags of ['', '?payment_canceled=true']) {
    await expect(page.getByText(paidOnly)).toBeVisible(patient)
    await expect(page.getByRole('radio')).toHaveCount(0)
    await expect(page.getByRole('button', { name: 'Send Money' })).toHaveCount(0)
    await page.goto(`/send${flags}`)
  }
  await expect(page.getByText(paidOnly)).toBeVisible(patient)
  await settle(page)
  await expectAccessible(page)
  expect(await sentBy(sender)).toBe(0)
  expect(await loadBalances(sender, recipient)).toEqual(['30.20', '0.00'])
  await page.getByRole('button', { name: 'Send Another Payment' }).click()
  await expect(firstStep(page)).toBeVisible()
  await expect(page.getByText(paidOnly)).toHaveCount(0)
  expect(complaints).toEqual([])
})

test('a forged address and device state complete only the transfer that was paid', async ({ page }) => {
  test.setTimeout(240_000)
  const [sender, recipient] = await senderAndRecipient(15_00)
  const other = await enroll(productUrl(), 'otto', 'Germany')
  const complaints = watch(page, /status of 404/)
  await goToCheckout(page, sender, recipient)
  const checkout = page.url()
  await page.goto('/dashboard')
  const saved = await readSaved(page)
  const { paymentId = '' } = saved

  // These ten dollars were never paid, and the wallet must not pay instead.
  const quote = { ...saved.priced.quote, source_amount: '10.00', total: '10.20' }
  const forged = { ...saved, paymentId: undefined, priced: { ...saved.priced, quote } }
  await returnFromProvider(page, JSON.stringify(forged), 'payment_success=true')
  await expect(page.getByText('Failed to process transfer: There is no payment for this transfer.')).toBeVisible()
  await expect(reviewHeading(page)).toBeVisible()
  expect(await loadBalances(sender, recipient)).toEqual(['15.00', '0.00'])
  await returnFromProvider(page, JSON.stringify(forged), `payment_success=true&payment_id=${randomUUID()}`)
  await expect(page.getByText('Failed to process transfer: There is no payment for this transfer.')).toBeVisible()

  await payCheckout(checkout)
  await expect.poll(() => loadBalances(sender, recipient), patient).toEqual(['15.00', '18.60'])
  const person = { id: other.id, username: other.username, name: 'otto', base_currency: 'EUR' }
  const diverted = { ...saved, recipientInfo: person, formData: { ...saved.formData, recipient: person } }
  await returnFromProvider(page, JSON.stringify(diverted), `payment_success=true&payment_id=${paymentId}`)
  await expect(
    page.getByText(
      `Payment was successful, but there was an error completing the transfer. Error: There is no payment for this transfer. Please contact support with reference #${paymentId}.`,
    ),
  ).toBeVisible(patient)
  await expect(page).toHaveURL(/\/send$/)
  await settle(page)
  await expectAccessible(page)

  await returnFromProvider(page, JSON.stringify(saved), `payment_success=true&payment_id=${paymentId}`)
  await expect(receipt(page)).toBeVisible(patient)
  await expect(page.getByText('rosa has').first()).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  expect(await sentBy(sender), 'asking sends nothing again').toBe(1)
  expect(await loadBalances(sender, recipient, other)).toEqual(['15.00', '18.60', '0.00'])
  expect(complaints).toEqual([])
})
