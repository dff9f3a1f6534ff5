import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { directPayment } from '../../packages/contract/src/payments.ts'
import { deriveReference } from '../../packages/contract/src/protocol/transaction-reference.ts'
import { enroll, fund } from '@tern/testkit/people'
import { linkAccount } from '../banks.ts'
import { signInThroughApi, productUrl, settle } from '../pages.ts'
import {
  amountField,
  goToRecipient,
  clickNext,
  recipientField,
  reviewHeading,
  clickSend,
  clickSendNow,
  enrollSenderAndRecipient,
  setUndo,
} from '../send-form.ts'
import { steerDebit } from '../steering.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

const longName = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewiss'
const names = {
  'a name of sixty letters': longName,
  'a name from right to left': 'عبد الرحمن بن محمد بن عبد الله الأندلسي القرطبي الطويل جداً',
  'a Chinese name': '司馬相如歐陽修諸葛亮上官婉兒東方朔公孫龍司馬相如歐陽修諸葛亮上官婉兒',
}

for (const [caseName, name] of Object.entries(names)) {
  test(`${caseName} wraps in every step and on the receipt`, async ({ page }) => {
    const sender = await enroll(productUrl(), 'sam', 'United States')
    const recipient = await enroll(productUrl(), 'longname', 'Germany', {
      displayName: longName.slice(0, 60),
      localName: name,
    })
    await fund(sender, 100_00)
    await setUndo(sender, 1800, 'everybody')
    const pageErrors = collectPageErrors(page)
    const expectNoSidewaysScroll = async () => {
      for (const width of [320, 390]) {
        await page.setViewportSize({ width, height: 800 })
        await settle(page)
        const pageWidth = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect([width, pageWidth <= width]).toEqual([width, true])
      }
    }
    await page.setViewportSize({ width: 390, height: 800 })
    await goToRecipient(page, sender)
    await recipientField(page).fill(recipient.username)
    const option = page.getByRole('option', { name: new RegExp(recipient.username) })
    await expect(option).toBeVisible()
    await expectNoSidewaysScroll()
    await option.click()
    await amountField(page).fill('10.00')
    await expectNoSidewaysScroll()
    await clickNext(page)
    await expect(reviewHeading(page)).toBeVisible()
    // The payer also sees the name in its original script.
    await expect(page.getByText(name, { exact: true })).toBeVisible()
    await expectNoSidewaysScroll()
    await clickSend(page)
    await expect(page.getByRole('heading', { name: /^Sending/ })).toBeVisible()
    await expectNoSidewaysScroll()
    await clickSendNow(page)
    await expect(page.getByText('Transfer Successful!')).toBeVisible()
    await expectNoSidewaysScroll()
    expect(pageErrors).toEqual([])
  })
}

test('a recipient sees money that awaits its funding, and then has it', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(0)
  const bankAccountId = await linkAccount(sender, 'harbour', 'USD')
  const { transaction_id: id } = await sender.call(directPayment, {
    body: {
      amount: 2000,
      currency: 'usd',
      recipientId: String(recipient.id),
      paymentSource: 'bank',
      bankAccountId,
      description: 'Books',
    },
    idempotencyKey: randomUUID(),
  })
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, recipient)
  await page.goto('/dashboard')
  await expect(page.getByText(/€18\.60/).first()).toBeVisible()
  // Unsettled money does not count as a transfer, so the recipient still sees the steps to a first one.
  await expect(page.getByRole('heading', { name: 'Three steps to your first transfer' })).toBeVisible()
  await expect(page.getByText('+€18.60 pending')).toBeVisible()
  await page.goto('/transactions')
  await page.getByRole('searchbox').fill(deriveReference(id ?? '').toLowerCase())
  await expect(page).toHaveURL(/search=/)
  // Until the first payment between two people settles, the recipient's list shows only the sender's initials.
  const row = page.getByRole('row', { name: /S\. T\./ })
  await expect(row).toContainText('Not yet yours')
  await expect(row).toContainText('Pending')
  await row.getByRole('button').click()
  await expect(page.getByText(/is sending you about €18\.60\. It’s not yet yours/)).toBeVisible()
  await page.getByText('Technical details').click()
  await expect(page.getByText(deriveReference(id ?? ''))).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await steerDebit(sender, 'settle')
  await expect(page.getByText('You got €18.60')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByText(/not yet yours/i)).toHaveCount(0)
  expect(pageErrors).toEqual([])
})
