import { randomUUID } from 'node:crypto'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { createRequest } from '../../packages/contract/src/requests/requests.ts'
import { signInThroughApi, settle } from '../pages.ts'
import { expectTranscript, readAloud } from '../transcripts/screen-reader.ts'
import { amountField, loadBalances, recipientField, reviewHeading, enrollSenderAndRecipient } from '../send-form.ts'
import { collectPageErrors } from '../page-checks.ts'

/** Presses Tab until `target` has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let pressCount = 0; pressCount < 60; pressCount += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(target).toBeFocused()
}

/** Waits until the map shows country names, which it draws last; without a recipient only the sender's. */
const expectMapDrawn = (page: Page, country = 'Germany') =>
  expect(page.locator('.route-map').getByText(country)).toBeVisible()

test('the keyboard alone sends money, and a screen reader announces every step', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto('/dashboard')
  await tabTo(page, page.getByRole('link', { name: 'Send' }).first())
  await page.keyboard.press('Enter')
  await tabTo(page, recipientField(page))
  await expectMapDrawn(page, 'United States')
  await settle(page)
  expectTranscript('send-recipient', await readAloud(page))
  await page.keyboard.type(recipient.username)
  await expect(page.getByRole('option', { name: new RegExp(recipient.username) })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await tabTo(page, amountField(page))
  await page.keyboard.type('10.00')
  await expect(page.getByText('Total to pay $10.10')).toBeVisible()
  await expectMapDrawn(page)
  await settle(page)
  expectTranscript('send-amount', await readAloud(page))
  await page.keyboard.press('Enter')
  await expect(reviewHeading(page)).toBeVisible()
  await settle(page)
  expectTranscript('send-review', await readAloud(page))
  await tabTo(page, page.getByRole('button', { name: 'Send Money' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  await expectMapDrawn(page)
  await settle(page)
  expectTranscript('send-receipt', await readAloud(page))
  expect(await loadBalances(sender, recipient)).toEqual(['89.90', '9.30'])
  expect(pageErrors).toEqual([])
})

test('a screen reader announces the requested amount, and what a link requests', async ({ browser, page }) => {
  const [, requester] = await enrollSenderAndRecipient(0)
  await signInThroughApi(page, requester)
  await page.goto('/receive')
  await tabTo(page, amountField(page))
  await expect(page.getByText('No requests yet')).toBeVisible()
  await settle(page)
  expectTranscript('receive', await readAloud(page))
  await page.keyboard.type('18.60')
  await tabTo(page, page.getByRole('button', { name: 'Generate Payment Request' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText("You're asking for")).toBeVisible()
  await settle(page)
  expectTranscript('receive-slip', await readAloud(page))

  const body = { amount: '18.60', currency: 'EUR', description: 'Harbour tour' } as const
  const { url } = await requester.call(createRequest, { body, idempotencyKey: randomUUID() })
  const visitorPage = await (await browser.newContext()).newPage()
  await visitorPage.goto(url)
  await expect(visitorPage.getByRole('button', { name: /by card$/ })).toBeEnabled()
  await expectMapDrawn(visitorPage)
  await settle(visitorPage)
  expectTranscript('pay', await readAloud(visitorPage))
})
