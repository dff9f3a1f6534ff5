import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { createRequest } from '../../packages/contract/src/requests/requests.ts'
import { enroll } from '@tern/testkit/people'
import { openCheckout, payByCard, testCards } from '../checkout.ts'
import { waitUntilStill, signInThroughApi, productUrl, settle } from '../pages.ts'
import {
  amountField,
  loadBalances,
  fillTransfer,
  clickNext,
  skipFirstStep,
  recipientField,
  reviewHeading,
  clickSend,
  enrollSenderAndRecipient,
} from '../send-form.ts'
import { collectPageErrors } from '../page-checks.ts'
import { changeElements, type ElementChange, translatePages, type TranslatorMode } from './translator.ts'

const bodyText = (page: Page) => page.evaluate<string>('document.body.innerText')

/** Excludes React's harmless reports of re-rendering a page whose texts changed before hydration. */
const isUnexpectedError = (pageError: string) => !/Minified React error #(418|423|425)\b/.test(pageError)

const expectPageIntact = async (page: Page, waitForPage = settle) => {
  await waitForPage(page)
  expect(await bodyText(page)).not.toContain('Something went wrong')
}

/** Opens a page and waits until it is settled: if React renders the page again, an earlier press is lost. */
const openPage = async (page: Page, path: string) => {
  await page.goto(path)
  await settle(page)
}

for (const mode of ['copies', 'moves', 'puts beside'] satisfies TranslatorMode[]) {
  test(`pages that a browser translates keep working, when the translator ${mode} texts`, async ({ page }) => {
    const pageErrors = collectPageErrors(page, /status of 4/)
    const [sender, recipient] = await enrollSenderAndRecipient(200_00)
    await translatePages(page, mode)
    await signInThroughApi(page, sender)

    await openPage(page, '/send')
    await skipFirstStep(page)
    await recipientField(page).fill('no such person')
    await recipientField(page).fill('')
    await fillTransfer(page, recipient, '3')
    await expect(page.getByText('$3.03').first()).toBeVisible()
    // The new price replaces the translated previous one.
    await amountField(page).fill('5')
    await expect(page.getByText('$5.05').first()).toBeVisible()
    await expect(page.getByText('$3.03')).toHaveCount(0)
    await amountField(page).fill('3')
    await expect(page.getByText('$3.03').first()).toBeVisible()
    await clickNext(page)
    await expect(reviewHeading(page)).toBeVisible()
    await clickSend(page)
    await expect.poll(() => loadBalances(sender)).toEqual(['196.97'])
    await expectPageIntact(page)

    await openPage(page, '/receive')
    await page.getByLabel('Amount').fill('12')
    await page.getByRole('button', { name: 'Generate Payment Request' }).click()
    await expect(page.getByRole('button', { name: 'Copy Link' })).toBeVisible()
    await page.getByRole('button', { name: 'Create Another Request' }).click()
    await expect(page.getByLabel('Amount')).toBeVisible()
    await expectPageIntact(page)

    await openPage(page, '/exchange')
    await page.getByLabel('From', { exact: true }).fill('20')
    await page.getByRole('button', { name: 'Review', exact: true }).click()
    await page.getByRole('button', { name: 'Exchange', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'You got' })).toBeVisible()
    await expectPageIntact(page)

    await openCheckout(page, '50.00')
    await payByCard(page, testCards.good)
    await expect(page.getByText('Payment successful! Your funds have been added to your wallet.')).toBeVisible()
    await expectPageIntact(page)

    await openPage(page, '/scheduled')
    await page.getByRole('link', { name: 'Schedule a send' }).first().click()
    await recipientField(page).fill(recipient.username)
    await page.getByRole('option', { name: new RegExp(recipient.username) }).click()
    await page.getByRole('textbox', { name: 'Amount' }).fill('20')
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await expect(page.getByText('Choose a date after today')).toBeVisible()
    await expectPageIntact(page)

    const body = { amount: '7.00', currency: 'EUR', description: 'Lunch' } as const
    const { url } = await recipient.call(createRequest, { body, idempotencyKey: randomUUID() })
    await openPage(page, url)
    await page.getByRole('button', { name: /^Pay / }).click()
    await expect(page.getByText('Lunch').first()).toBeVisible()
    await expectPageIntact(page)

    for (const path of ['/dashboard', '/transactions', '/wallet', '/withdraw', '/settings', '/profile', '/scheduled']) {
      await page.goto(path)
      await expectPageIntact(page)
    }
    // Client-side navigation, without a reload.
    for (const name of ['Dashboard', 'Transactions', 'Send', 'Dashboard']) {
      await page.getByRole('navigation').getByRole('link', { name }).first().click()
      await expectPageIntact(page)
    }
    await page.getByRole('button', { name: /^Notifications/ }).click()
    await expect(page.getByRole('dialog', { name: 'Notifications' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expectPageIntact(page)
    expect(pageErrors.filter(isUnexpectedError)).toEqual([])
  })
}

test('the identity form is filled in on a translated page', async ({ page }) => {
  const pageErrors = collectPageErrors(page, /status of 4/)
  await translatePages(page, 'copies')
  await signInThroughApi(page, await enroll(productUrl(), 'noa', null))
  await page.goto('/register')
  await settle(page)
  const submit = page.getByRole('main').locator('form button[type=submit]').first()
  await submit.click()
  await expectPageIntact(page)
  await submit.click()
  await expectPageIntact(page)
  expect(pageErrors.filter(isUnexpectedError)).toEqual([])
})

test('the send form keeps working, whatever an extension does with its elements', async ({ browser }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(200_00)
  // `settle` would wait in vain: React no longer updates copied or moved elements, so `aria-busy` may remain.
  for (const mode of ['wraps', 'copies', 'moves', 'removes'] satisfies ElementChange[]) {
    const page = await browser.newPage()
    const pageErrors = collectPageErrors(page, /status of 4/)
    await changeElements(page, mode)
    await signInThroughApi(page, sender)
    await page.goto('/send')
    await skipFirstStep(page)
    await recipientField(page).fill('no such person')
    await expectPageIntact(page, waitUntilStill)
    await recipientField(page).fill('')
    await fillTransfer(page, recipient, '500000')
    await expectPageIntact(page, waitUntilStill)
    await amountField(page).fill('3')
    await clickNext(page)
    await expectPageIntact(page, waitUntilStill)
    await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).first().click()
    await expectPageIntact(page, waitUntilStill)
    expect(pageErrors.filter(isUnexpectedError), mode).toEqual([])
    await page.close()
  }
})
