// Undo of a send, as sender and recipient see it in two browsers.

import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import { cancelTransfer, sendMoney, undoWindow } from '../../packages/contract/src/transfers.ts'
import type { TestPerson } from '@tern/testkit/people'
import { payByCard, testCards } from '../checkout.ts'
import { signInThroughApi, settle } from '../pages.ts'
import {
  amountField,
  loadBalances,
  fillTransfer,
  firstStep,
  goToReview,
  delayCalls,
  clickNext,
  recipientField,
  reviewHeading,
  clickSend,
  enrollSenderAndRecipient,
  clickSendNow,
  countSends,
  setUndo,
} from '../send-form.ts'
import { ageUndoWindow } from '../steering.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

// Covers the worker and the provider.
const longTimeout = { timeout: 120_000 }

const sendingHeading = (page: Page) => page.getByRole('heading', { name: /^Sending €23\.25 to / })
const successful = (page: Page) => page.getByText('Transfer Successful!')
const undo = (page: Page) => page.getByRole('button', { name: 'Undo', exact: true })

async function openDashboard(context: BrowserContext, person: TestPerson): Promise<Page> {
  const page = await context.newPage()
  await signInThroughApi(page, person)
  await page.goto('/dashboard')
  await expect(page.getByText('No recent transactions')).toBeVisible()
  return page
}

const paths = { Dashboard: '/dashboard', Send: '/send', Transactions: '/transactions' } as const

/** Opens a page by the side navigation, or on phones by the tab bar or More; closes an open flow first. */
async function openPage(page: Page, name: keyof typeof paths): Promise<void> {
  // A page that is leaving still has its links.
  await settle(page)
  const close = page.getByRole('link', { name: 'Close', exact: true })
  if (await close.isVisible()) await close.click()
  const { width = 0 } = page.viewportSize() ?? {}
  const tabBar = page.locator('.tab-bar')
  if (width >= 900) {
    // The dashboard has its own link to /send.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
  } else if (name === 'Transactions') {
    await tabBar.getByRole('button', { name: 'More' }).click()
    await page.getByRole('dialog', { name: 'More' }).getByRole('link', { name }).click()
  } else {
    await tabBar.getByRole('link', { name: name === 'Dashboard' ? 'Home' : name }).click()
  }
  await expect(page).toHaveURL(new RegExp(`${paths[name]}(\\?|$)`))
}

for (const width of [1440, 390]) {
  test(`at ${width} px: a new payee is paid 15 seconds later, or at once by Send now, or not at all`, async ({
    page,
    browser,
  }) => {
    const [sender, recipient] = await enrollSenderAndRecipient()
    // Sets the product's default window.
    await setUndo(sender, 15, 'new_payees')
    await page.setViewportSize({ width, height: 900 })
    const recipientsPage = await openDashboard(await browser.newContext(), recipient)
    const pageErrors = [collectPageErrors(page), collectPageErrors(recipientsPage)]

    await test.step('undone: nothing was sent, and the form is as it was', async () => {
      await goToReview(page, sender, recipient, '25.00')
      await expect(page.getByText('You have 15 seconds to undo. After that the payment is final.')).toBeVisible()
      await clickSend(page)
      await expect(sendingHeading(page)).toBeFocused()
      await expect(page.getByText(/^It leaves your wallet in \d+ seconds?\.$/)).toBeVisible()
      await expect(page.getByText('One segment is one second. Until it leaves you can take it back')).toBeVisible()
      await undo(page).click()
      await expect(page.getByRole('heading', { name: 'Nothing was sent' })).toBeFocused()
      await expect(page.getByText('$25.25 is back in your wallet.')).toBeVisible()
      await settle(page)
      await expectAccessible(page)
      expect(await loadBalances(sender, recipient)).toEqual(['100.00', '0.00'])
      await page.getByRole('button', { name: 'Change and send again' }).click()
      await expect(recipientField(page)).toHaveValue(recipient.username)
      await expect(amountField(page)).toHaveValue('25.00')
      // Another transfer starts empty.
      await openPage(page, 'Dashboard')
      await expect(page.getByText('Undone', { exact: true })).toBeVisible()
      await openPage(page, 'Send')
      await expect(firstStep(page)).toBeVisible()
      await expect(recipientField(page)).toHaveValue('')
      await expect(amountField(page)).toHaveValue('')

      await page.goto('/transactions')
      await expect(page.getByText('25.25').filter({ visible: true })).toBeVisible()
      await expect(page.getByText('Undone', { exact: true }).filter({ visible: true })).toBeVisible()
      await expect(page.getByText('Failed', { exact: true }).filter({ visible: true })).toHaveCount(0)
      await openPage(page, 'Send')
    })

    await test.step('left alone: it arrives at the deadline, and not before', async () => {
      // Long enough for a reload on a slow machine.
      await setUndo(sender, 30, 'new_payees')
      await fillTransfer(page, recipient, '25.00')
      await clickNext(page)
      await expect(reviewHeading(page)).toBeVisible()
      await clickSend(page)
      await expect(sendingHeading(page)).toBeVisible()
      await page.reload()
      await expect(sendingHeading(page)).toBeVisible()
      await expect(recipientsPage.getByText('No recent transactions')).toBeVisible()
      await expect(recipientsPage.getByText('+€23.25')).toHaveCount(0)
      await expect(page.getByRole('status').filter({ hasText: /You can undo this for \d+ seconds\./ })).toHaveCount(
        1,
        longTimeout,
      )
      await expect(page.getByRole('status').filter({ hasText: /\d seconds? left to undo\./ })).toHaveCount(
        1,
        longTimeout,
      )
      await expect(recipientsPage.getByText('+€23.25').first(), 'without a reload').toBeVisible(longTimeout)
      await expect(successful(page)).toBeFocused(longTimeout)
      await settle(page)
      await expectAccessible(page)
      expect(await loadBalances(sender, recipient)).toEqual(['74.75', '23.25'])
    })

    await test.step('to a paid payee is final at once', async () => {
      await page.getByRole('button', { name: 'Send Another Payment' }).click()
      await expect(recipientField(page)).toHaveValue('')
      await fillTransfer(page, recipient, '25.00')
      await clickNext(page)
      await expect(reviewHeading(page)).toBeVisible()
      await expect(page.getByText(/to undo\. After that the payment is final/)).toHaveCount(0)
      await clickSend(page)
      await expect(successful(page)).toBeVisible()
      expect(await countSends(sender)).toBe(3)
    })
    expect(pageErrors.flat()).toEqual([])
  })

  test(`at ${width} px: a long undo window survives other pages, and is chosen in the settings`, async ({ page }) => {
    const [sender, recipient] = await enrollSenderAndRecipient()
    await page.setViewportSize({ width, height: 900 })
    const pageErrors = collectPageErrors(page)

    await test.step('the settings', async () => {
      await signInThroughApi(page, sender)
      await page.goto('/settings')
      const section = page.getByRole('region', { name: 'When something is wrong' })
      const row = section.getByRole('button', { name: /^Time to undo/ })
      await expect(row).toContainText('None')
      await row.click()
      await expect(section.getByRole('radio', { name: /^No one/ })).toBeChecked()
      await expect(section.getByLabel('Time to undo', { exact: true })).toHaveCount(0)
      await section.getByRole('radio', { name: 'To everyone' }).check()
      await section.getByLabel('Time to undo', { exact: true }).selectOption('5 minutes')
      await section.getByRole('button', { name: 'Save' }).click()
      await expect(page.getByText('Saved.')).toBeVisible()
      expect(await sender.call(undoWindow, {})).toEqual({ seconds: 300, applies_to: 'everybody' })
      await page.reload()
      await expect(row).toContainText('5 minutes')
      await row.click()
      await expect(section.getByRole('radio', { name: 'To everyone' })).toBeChecked()
      await expect(section.getByLabel('Time to undo', { exact: true })).toHaveValue('300')
      await settle(page)
      await expectAccessible(page)
    })

    await test.step('left and reopened, then sent now', async () => {
      await sender.call(sendMoney, {
        body: { recipient_id: recipient.id, amount: '1.00', source_currency: 'USD' },
        idempotencyKey: crypto.randomUUID(),
      })
      await goToReview(page, sender, recipient, '25.00')
      await expect(page.getByText('You have 5 minutes to undo.')).toBeVisible()
      await clickSend(page)
      await expect(sendingHeading(page)).toBeVisible()
      await expect(page.getByText('It leaves your wallet in 5 minutes.')).toBeVisible()
      await expect(page.getByText('One segment is 30 seconds.')).toBeVisible()
      await settle(page)
      await expectAccessible(page)
      await openPage(page, 'Dashboard')
      await page.goBack()
      await expect(sendingHeading(page)).toBeVisible()
      await openPage(page, 'Dashboard')
      await openPage(page, 'Send')
      await expect(sendingHeading(page)).toBeVisible()
      expect((await recipient.wallet()).fiat_balance).toBe('0.93')
      await clickSendNow(page)
      await expect(successful(page)).toBeFocused()
      expect((await recipient.wallet()).fiat_balance).toBe('24.18')
    })

    await test.step('undone from the list of transactions', async () => {
      await page.getByRole('button', { name: 'Send Another Payment' }).click()
      await fillTransfer(page, recipient, '25.00')
      await clickNext(page)
      const resumeStatusCalls = await delayCalls(page, /\/api\/transfers\/[^/]+$/)
      await clickSend(page)
      await expect(sendingHeading(page)).toBeVisible()
      const anotherButton = page.getByRole('button', { name: 'Send Another Payment' })
      await settle(page)
      const buttonBox = await anotherButton.boundingBox()
      resumeStatusCalls()
      await expect(undo(page)).toBeVisible()
      expect(await anotherButton.boundingBox(), 'no button moves when the time to undo is there').toEqual(buttonBox)
      // The next payment starts empty.
      await anotherButton.click()
      await expect(recipientField(page)).toHaveValue('')
      await openPage(page, 'Transactions')
      const line = page.getByText('Sending: leaves in 5 minutes').locator('visible=true')
      await expect(line).toHaveCount(1)
      const rows = width < 900 ? page.getByRole('button') : page.getByRole('row')
      const row = rows.filter({ hasText: 'Sending: leaves' })
      await (width < 900 ? row : row.getByRole('button')).click()
      const details = page.getByRole('dialog')
      await expect(details).toContainText('Sending. It leaves in 5 minutes; until then you can undo it.')
      await expect(details).toContainText('Not sent yet')
      await settle(page)
      await expectAccessible(page)
      await details.getByRole('button', { name: 'Undo' }).click()
      await expect(page.getByText('Undone. Nothing was sent.')).toBeVisible()
      await expect(details.getByRole('button', { name: 'Undo' })).toHaveCount(0)
      await expect(details).toContainText('You undid this. Nothing was sent: $25.25 is in your wallet.')
      await settle(page)
      await expectAccessible(page)
      await page.keyboard.press('Escape')
      await expect(rows.filter({ hasText: '$25.25' }).filter({ hasText: 'Undone' })).toHaveCount(1)
      await expect(page.getByText('Failed', { exact: true })).toHaveCount(0)
      expect(await loadBalances(sender, recipient)).toEqual(['73.74', '24.18'])
    })
    expect(pageErrors).toEqual([])
  })
}

/** Enrolls a sender with an undo window of half an hour and a recipient, and sends 25 dollars. */
async function sendWithUndo(page: Page): Promise<[TestPerson, TestPerson]> {
  const [sender, recipient] = await enrollSenderAndRecipient()
  await setUndo(sender, 1800, 'everybody')
  await goToReview(page, sender, recipient, '25.00')
  await clickSend(page)
  await expect(page.getByText('It leaves your wallet in 30 minutes.')).toBeVisible()
  return [sender, recipient]
}

test('after nine tenths of the window it can be undone, by a double click too', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  const [sender, recipient] = await sendWithUndo(page)
  await ageUndoWindow(sender, 0.9)
  await page.reload()
  await expect(page.getByText('It leaves your wallet in 3 minutes.')).toBeVisible()
  const cancelRequests: string[] = []
  page.on('request', (request) => request.url().endsWith('/cancel') && cancelRequests.push(request.url()))
  await undo(page).dblclick()
  await expect(page.getByRole('heading', { name: 'Nothing was sent' })).toBeFocused()
  expect(cancelRequests).toHaveLength(1)
  expect(await loadBalances(sender, recipient)).toEqual(['100.00', '0.00'])
  // The form is filled in as before the reload.
  await page.getByRole('button', { name: 'Change and send again' }).click()
  await expect(recipientField(page)).toHaveValue(recipient.username)
  await expect(amountField(page)).toHaveValue('25.00')
  expect(pageErrors).toEqual([])
})

test('after the window it cannot be undone, whatever an open page still shows', async ({ page }) => {
  const pageErrors = collectPageErrors(page, /status of 409/)
  const [sender, recipient] = await sendWithUndo(page)
  // The window ends after Undo is pressed, before the server receives the call.
  const releaseCancel = await delayCalls(page, /\/cancel$/)
  await undo(page).click()
  await ageUndoWindow(sender, 1.1)
  releaseCancel()
  await expect(successful(page)).toBeFocused(longTimeout)
  await expect(page.getByRole('heading', { name: 'Nothing was sent' })).toHaveCount(0)
  expect(await loadBalances(sender, recipient)).toEqual(['74.75', '23.25'])
  expect(pageErrors).toEqual([])
})

test('undone in two tabs concurrently it is undone once, and both say so', async ({ page, context }) => {
  const pageErrors = [collectPageErrors(page)]
  const [sender, recipient] = await sendWithUndo(page)
  const otherPage = await context.newPage()
  pageErrors.push(collectPageErrors(otherPage))
  await otherPage.goto('/transactions')
  await otherPage.getByRole('row').filter({ hasText: 'Sending: leaves' }).getByRole('button').click()
  const details = otherPage.getByRole('dialog')
  await expect(details.getByRole('button', { name: 'Undo' })).toBeEnabled()
  const releaseCalls = await Promise.all([delayCalls(page, /\/cancel$/), delayCalls(otherPage, /\/cancel$/)])
  await Promise.all([undo(page).click(), details.getByRole('button', { name: 'Undo' }).click()])
  for (const release of releaseCalls) release()
  await expect(page.getByRole('heading', { name: 'Nothing was sent' })).toBeFocused()
  await expect(otherPage.getByText('Undone. Nothing was sent.').first()).toBeVisible()
  await expect(details.getByRole('button', { name: 'Undo' })).toHaveCount(0)
  expect(await loadBalances(sender, recipient)).toEqual(['100.00', '0.00'])
  expect(await countSends(sender)).toBe(1)
  expect(pageErrors.flat()).toEqual([])
})

test('undone elsewhere, an open page says so, and never that it was not paid', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  const [sender, recipient] = await sendWithUndo(page)
  const transactions = await sender.transactions()
  // Delays the lookup of the transfer, so that the page learns of the undo only from the list.
  const releaseTransfer = await delayCalls(page, /\/transfers\/[0-9a-f-]{36}$/)
  const failedResponse = page.waitForResponse(async (answer) =>
    (await answer.text().catch(() => '')).includes('FAILED'),
  )
  await sender.call(cancelTransfer, { params: { id: transactions[0]!.id } })
  await failedResponse
  await expect(sendingHeading(page)).toHaveCount(0)
  await expect(page.getByText('$25.25 is back in your wallet.')).toBeVisible()
  releaseTransfer()
  expect(await loadBalances(sender, recipient)).toEqual(['100.00', '0.00'])
  expect(pageErrors).toEqual([])
})

test('a card payment can be undone once it has settled: the money is in the wallet', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(0)
  await setUndo(sender, 1800, 'everybody')
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto('/send')
  await expect(recipientField(page).or(page.getByText('Your wallet', { exact: true }))).toBeVisible()
  if (!(await recipientField(page).isVisible())) await clickNext(page)
  await fillTransfer(page, recipient, '25.00')
  await page.getByRole('button', { name: 'Pay by card or bank account' }).click()
  await expect(
    page.getByText('Once your payment arrives, you have 30 minutes to undo. After that the payment is final.'),
  ).toBeVisible()
  await page.getByRole('radio', { name: /^Bank account$/ }).check()
  await expect(page.getByText(/to undo\. After that the payment is final/)).toHaveCount(0)
  await page.getByRole('radio', { name: /^Card$/ }).check()
  await clickSend(page)
  await payByCard(page, testCards.good)
  await expect(sendingHeading(page)).toBeVisible(longTimeout)
  await expect(page.getByText('One segment is one minute.')).toBeVisible()
  await undo(page).click()
  await expect(page.getByRole('heading', { name: 'Nothing was sent' })).toBeVisible()
  await expect(page.getByText('$25.25 from your payment is in your wallet.')).toBeVisible()
  expect(await loadBalances(sender, recipient)).toEqual(['25.25', '0.00'])
  await page.getByRole('button', { name: 'Change and send again' }).click()
  await expect(recipientField(page)).toHaveValue(recipient.username)
  expect(pageErrors).toEqual([])
})
