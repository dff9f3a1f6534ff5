import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { createRequest } from '../../packages/contract/src/requests/requests.ts'
import { enroll } from '@tern/testkit/people'
import { goToCheckout, payWith, testCards } from '../checkout.ts'
import { becomeStill, enter, productUrl, settle } from '../pages.ts'
import {
  amountField,
  loadBalances,
  fillTransfer,
  next,
  passFirstStep,
  recipientField,
  reviewHeading,
  send,
  senderAndRecipient,
} from '../sending.ts'
import { watch } from '../watch.ts'
import { changeElements, type ElementWay, translatePages, type TranslatorWay } from './translator.ts'

/** Visible text of a page. The original of a translated text must not remain beside its translation. */
const bodyText = (page: Page) => page.evaluate<string>('document.body.innerText')

/** React re-renders a page whose texts changed before hydration, and reports it; this is harmless. */
const isFault = (complaint: string) => !/Minified React error #(418|423|425)\b/.test(complaint)

const expectStanding = async (page: Page, wait = settle) => {
  await wait(page)
  expect(await bodyText(page)).not.toContain('Something went wrong')
}

/** Opens a page and waits for React, which renders it again if a translator was faster: a press before that is lost. */
const open = async (page: Page, path: string) => {
  await page.goto(path)
  await settle(page)
}

for (const way of ['copies', 'moves', 'puts beside'] satisfies TranslatorWay[]) {
  test(`pages that a browser translates keep working, when the translator ${way} texts`, async ({ page }) => {
    const complaints = watch(page, /status of 4/)
    const [sender, recipient] = await senderAndRecipient(200_00)
    await translatePages(page, way)
    await enter(page, sender)

    await open(page, '/send')
    await passFirstStep(page)
    await recipientField(page).fill('no such person')
    await recipientField(page).fill('')
    await fillTransfer(page, recipient, '3')
    await expect(page.getByText('$3.03').first()).toBeVisible()
    // A changed price replaces the previous one on screen.
    await amountField(page).fill('5')
    await expect(page.getByText('$5.05').first()).toBeVisible()
    await expect(page.getByText('$3.03')).toHaveCount(0)
    await amountField(page).fill('3')
    await expect(page.getByText('$3.03').first()).toBeVisible()
    await next(page)
    await expect(reviewHeading(page)).toBeVisible()
    await send(page)
    await expect.poll(() => loadBalances(sender)).toEqual(['196.97'])
    await expectStanding(page)

    await open(page, '/receive')
    await page.getByLabel('Amount').fill('12')
    await page.getByRole('button', { name: 'Generate Payment Request' }).click()
    await expect(page.getByRole('button', { name: 'Copy Link' })).toBeVisible()
    await page.getByRole('button', { name: 'Create Another Request' }).click()
    await expect(page.getByLabel('Amount')).toBeVisible()
    await expectStanding(page)

    await open(page, '/exchange')
    await page.getByLabel('From', { exact: true }).fill('20')
    await page.getByRole('button', { name: 'Review', exact: true }).click()
    await page.getByRole('button', { name: 'Exchange', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'You got' })).toBeVisible()
    await expectStanding(page)

    await open(page, '/deposit')
    await goToCheckout(page, '50.00')
    await payWith(page, testCards.good)
    await expect(page.getByText('Payment successful! Your funds have been added to your wallet.')).toBeVisible()
    await expectStanding(page)

    await open(page, '/scheduled')
    await page.getByRole('link', { name: 'Schedule a send' }).first().click()
    await recipientField(page).fill(recipient.username)
    await page.getByRole('option', { name: new RegExp(recipient.username) }).click()
    await page.getByRole('textbox', { name: 'Amount' }).fill('20')
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await expect(page.getByText('Choose a date after today')).toBeVisible()
    await expectStanding(page)

    const body = { amount: '7.00', currency: 'EUR', description: 'Lunch' } as const
    const { url } = await recipient.call(createRequest, { body, idempotencyKey: randomUUID() })
    await open(page, url)
    await page.getByRole('button', { name: /^Pay / }).click()
    await expect(page.getByText('Lunch').first()).toBeVisible()
    await expectStanding(page)

    for (const path of ['/dashboard', '/transactions', '/wallet', '/withdraw', '/settings', '/profile', '/scheduled']) {
      await page.goto(path)
      await expectStanding(page)
    }
    // Client-side navigation, without a reload.
    for (const name of ['Dashboard', 'Transactions', 'Send', 'Dashboard']) {
      await page.getByRole('navigation').getByRole('link', { name }).first().click()
      await expectStanding(page)
    }
    await page.getByRole('button', { name: /^Notifications/ }).click()
    await expect(page.getByRole('dialog', { name: 'Notifications' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expectStanding(page)
    expect(complaints.filter(isFault)).toEqual([])
  })
}

test('the identity form is filled in on a translated page', async ({ page }) => {
  const complaints = watch(page, /status of 4/)
  await translatePages(page, 'copies')
  await enter(page, await enroll(productUrl(), 'noa', null))
  await page.goto('/register')
  await settle(page)
  const submit = page.getByRole('main').locator('form button[type=submit]').first()
  await submit.click()
  await expectStanding(page)
  await submit.click()
  await expectStanding(page)
  expect(complaints.filter(isFault)).toEqual([])
})

test('the send form keeps working, whatever an extension does with its elements', async ({ browser }) => {
  const [sender, recipient] = await senderAndRecipient(200_00)
  // An element that the extension has copied or moved is no longer updated, even if it was busy.
  for (const way of ['wraps', 'copies', 'moves', 'removes'] satisfies ElementWay[]) {
    const page = await browser.newPage()
    const complaints = watch(page, /status of 4/)
    await changeElements(page, way)
    await enter(page, sender)
    await page.goto('/send')
    await passFirstStep(page)
    await recipientField(page).fill('no such person')
    await expectStanding(page, becomeStill)
    await recipientField(page).fill('')
    await fillTransfer(page, recipient, '500000')
    await expectStanding(page, becomeStill)
    await amountField(page).fill('3')
    await next(page)
    await expectStanding(page, becomeStill)
    await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).first().click()
    await expectStanding(page, becomeStill)
    expect(complaints.filter(isFault), way).toEqual([])
    await page.close()
  }
})
