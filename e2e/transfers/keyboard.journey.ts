import { randomUUID } from 'node:crypto'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { createRequest } from '../../packages/contract/src/requests/requests.ts'
import { enter, settle } from '../pages.ts'
import { expectTranscript, spoken } from '../transcripts/screen-reader.ts'
import { amountField, loadBalances, recipientField, reviewHeading, senderAndRecipient } from '../sending.ts'
import { watch } from '../watch.ts'

/** Presses Tab until `wanted` has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await expect(wanted).toBeVisible()
  for (let presses = 0; presses < 60; presses += 1) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press('Tab')
  }
  await expect(wanted).toBeFocused()
}

/** The map has rendered its names, which come last. Without a recipient it shows only the sender's country. */
const drawn = (page: Page, country = 'Germany') => expect(page.locator('.route-map').getByText(country)).toBeVisible()

test('the keyboard alone sends money, and a screen reader announces every step', async ({ page }) => {
  const [sender, recipient] = await senderAndRecipient()
  const complaints = watch(page)
  await enter(page, sender)
  await page.goto('/dashboard')
  await tabTo(page, page.getByRole('link', { name: 'Send' }).first())
  await page.keyboard.press('Enter')
  await tabTo(page, recipientField(page))
  await drawn(page, 'United States')
  await settle(page)
  expectTranscript('send-recipient', await spoken(page))
  await page.keyboard.type(recipient.username)
  await expect(page.getByRole('option', { name: new RegExp(recipient.username) })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await tabTo(page, amountField(page))
  await page.keyboard.type('10.00')
  await expect(page.getByText('Total to pay $10.10')).toBeVisible()
  await drawn(page)
  await settle(page)
  expectTranscript('send-amount', await spoken(page))
  await page.keyboard.press('Enter')
  await expect(reviewHeading(page)).toBeVisible()
  await settle(page)
  expectTranscript('send-review', await spoken(page))
  await tabTo(page, page.getByRole('button', { name: 'Send Money' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  await drawn(page)
  await settle(page)
  expectTranscript('send-receipt', await spoken(page))
  expect(await loadBalances(sender, recipient)).toEqual(['89.90', '9.30'])
  expect(complaints).toEqual([])
})

test('a screen reader announces the requested amount, and what a link requests', async ({ browser, page }) => {
  const [, requester] = await senderAndRecipient(0)
  await enter(page, requester)
  await page.goto('/receive')
  await tabTo(page, amountField(page))
  await expect(page.getByText('No requests yet')).toBeVisible()
  await settle(page)
  expectTranscript('receive', await spoken(page))
  await page.keyboard.type('18.60')
  await tabTo(page, page.getByRole('button', { name: 'Generate Payment Request' }))
  await page.keyboard.press('Enter')
  await expect(page.getByText("You're asking for")).toBeVisible()
  await settle(page)
  expectTranscript('receive-slip', await spoken(page))

  const body = { amount: '18.60', currency: 'EUR', description: 'Harbour tour' } as const
  const { url } = await requester.call(createRequest, { body, idempotencyKey: randomUUID() })
  const visitor = await (await browser.newContext()).newPage()
  await visitor.goto(url)
  await expect(visitor.getByRole('button', { name: /by card$/ })).toBeEnabled()
  await drawn(visitor)
  await settle(visitor)
  expectTranscript('pay', await spoken(visitor))
})
