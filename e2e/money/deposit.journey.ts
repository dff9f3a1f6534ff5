import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { depositByCard } from '../../packages/contract/src/payments.ts'
import { enroll, type TestPerson } from '@tern/testkit/people'
import { openCheckout, payByCard, testCards } from '../checkout.ts'
import { signInThroughApi, productUrl, settle } from '../pages.ts'
import { delayCalls } from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

// Covers the wait for the provider's event.
const longTimeout = { timeout: 120_000 }

const loadBalance = async (person: TestPerson) => (await person.wallet()).fiat_balance

test('a declined card takes nothing, and another card pays', async ({ page }) => {
  const person = await enroll(productUrl(), 'paula', 'Germany')
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, person)
  await page.goto('/deposit')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Deposit Funds')
  await expect(page.getByText("You'll enter your card on our payment partner's secure page.")).toHaveCount(1)
  await openCheckout(page, '50.00')
  await expect(page.getByText('4242 4242 4242 4242')).toBeHidden()
  await page.getByText('Test cards').click()
  await expect(page.getByText('4242 4242 4242 4242')).toBeVisible()
  await expect(page.locator('.merchant .mark')).toBeVisible()
  expect(await page.evaluate('document.fonts.ready.then(() => document.fonts.check(\'16px "Tern Text"\'))')).toBe(true)

  await payByCard(page, testCards.declined)
  await expect(page.getByText('Your card was declined. No money was taken. Try another card.')).toBeVisible()
  await expectAccessible(page)
  await payByCard(page, testCards.withoutMoney)
  await expect(page.getByText(/There is not enough money on this card. No money was taken/)).toBeVisible()
  expect(await loadBalance(person)).toBe('0.00')

  await payByCard(page, testCards.good)
  await expect(page.getByText('Payment successful! Your funds have been added to your wallet.')).toBeVisible(
    longTimeout,
  )
  await expect(page).toHaveURL(/\/deposit$/)
  await expect(page.getByText('Balance €50.00')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Money added')
  await page.setViewportSize({ width: 390, height: 844 })
  const arcBox = await page.locator('.arrived-place .arc-draws').boundingBox()
  expect(arcBox?.width).toBeGreaterThan(40)
  expect((arcBox?.x ?? 0) + (arcBox?.width ?? 0)).toBeLessThan(390)
  await settle(page)
  await expectAccessible(page)
  expect(await loadBalance(person)).toBe('50.00')

  await page.reload()
  await expect(page.getByText('Balance €50.00')).toBeVisible()
  await expect(page.getByText('Payment successful!')).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('a canceled payment charges nothing and says so once', async ({ page }) => {
  const person = await enroll(productUrl(), 'carla', 'United States')
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, person)
  await openCheckout(page, '75.00')
  const checkout = page.url()
  // Any page may link to this address, so without a payment id it cancels nothing.
  await page.goto('/deposit?payment_canceled=true')
  await expect(page.getByText('You started a $75.00 card payment.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Cancel Payment' })).toBeVisible()
  await expect(page).toHaveURL(/\/deposit$/)
  await expect(page.getByText('Payment was canceled.')).toHaveCount(0)
  await page.goto(checkout)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Payment was canceled. No funds have been charged.')).toBeVisible(longTimeout)
  await expect(page).toHaveURL(/\/deposit$/)
  await expect(page.getByText('Balance $0.00')).toBeVisible()
  await expectAccessible(page)
  expect(await loadBalance(person)).toBe('0.00')
  await page.reload()
  await expect(page.getByText('Balance $0.00')).toBeVisible()
  await expect(page.getByText('Payment was canceled.')).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('a forged payment address shows nothing false and moves nothing', async ({ page }) => {
  const person = await enroll(productUrl(), 'fabio', 'United States')
  const otherUser = await enroll(productUrl(), 'gina', 'United States')
  const startDeposit = (payer: TestPerson) =>
    payer.call(depositByCard, {
      body: { amount: 9900, currency: 'usd', userId: payer.id, depositToWallet: true },
      idempotencyKey: randomUUID(),
    })
  const [{ payment_id: ownPaymentId }, { payment_id: foreignPaymentId }] = [
    await startDeposit(person),
    await startDeposit(otherUser),
  ]
  const pageErrors = collectPageErrors(page, /status of 4(04|22)/)
  await signInThroughApi(page, person)

  await page.goto('/deposit?payment_success=true')
  await expect(page.getByText("We couldn't find that payment.")).toBeVisible()
  await expect(page.getByText('Balance $0.00')).toBeVisible()
  await expect(page).toHaveURL(/\/deposit$/)
  await expect(page.getByText(/Payment successful/)).toHaveCount(0)
  for (const id of [foreignPaymentId, randomUUID(), 'nonsense']) {
    await page.goto(`/deposit?payment_success=true&payment_id=${id}`)
    await expect(page.getByText("We couldn't find that payment. Your balance below is up to date.")).toBeVisible()
  }
  await page.goto(`/deposit?payment_success=true&payment_id=${ownPaymentId}`)
  await expect(page.getByText(/We're waiting for your payment to be confirmed/)).toBeVisible()
  await expectAccessible(page)
  await expect(page.getByText(/Payment successful/)).toHaveCount(0)
  expect([await loadBalance(person), await loadBalance(otherUser)]).toEqual(['0.00', '0.00'])
  expect(pageErrors).toEqual([])
})

test('orders nothing before the payment method is known, and does not redirect someone who left', async ({ page }) => {
  const person = await enroll(productUrl(), 'ivo', 'United States')
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, person)
  const releaseCards = await delayCalls(page, '**/api/payment/methods')
  await page.goto('/deposit')
  await page.getByLabel('Amount').fill('35.00')
  const continueButton = page.getByRole('button', { name: 'Continue', exact: true })
  await expect(continueButton).toBeDisabled()
  await page.keyboard.press('Enter')
  releaseCards()
  await expect(continueButton).toBeEnabled()

  const releaseDeposit = await delayCalls(page, '**/api/payment/deposit')
  await continueButton.click()
  await expect(page.getByRole('button', { name: 'Processing...' })).toBeVisible()
  await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
  await expect(page.getByText('No recent transactions')).toBeVisible()
  const depositResponse = page.waitForResponse('**/api/payment/deposit')
  releaseDeposit()
  await (await depositResponse).finished()
  await page.getByRole('link', { name: 'Add Funds' }).click()
  await expect(page.getByText('You started a $35.00 card payment.')).toBeVisible()
  expect(pageErrors).toEqual([])
})
