import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { walletOfUser } from '../../packages/contract/src/wallets.ts'
import { signInThroughApi } from '../pages.ts'
import {
  amountField,
  firstStep,
  clickNext,
  recipientField,
  reviewHeading,
  clickSend,
  enrollSenderAndRecipient,
} from '../send-form.ts'
import { collectPageErrors } from '../page-checks.ts'

test('an earlier transfer is sent again from its details, and leaves nothing in the next form', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const body = { recipient_id: recipient.id, amount: '10.00', source_currency: 'USD', description: 'Rent' } as const
  const { transaction_id: id } = await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto(`/transactions?details=${id}`)
  await page.getByRole('link', { name: 'Send again' }).click()
  await expect(recipientField(page)).toHaveValue(recipient.username)
  await expect(amountField(page)).toHaveValue('10.00')
  // The form looks the recipient up itself and shows the price in their currency.
  await expect(page.getByText('€9.30').first()).toBeVisible()
  await clickNext(page)
  await expect(reviewHeading(page)).toBeVisible()
  await clickSend(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  const { fiat_balance: balance } = await recipient.call(walletOfUser, { params: { userId: String(recipient.id) } })
  expect(balance).toBe('18.60')

  await page.goto('/send')
  await expect(firstStep(page)).toBeVisible()
  await expect(recipientField(page)).toHaveValue('')
  await expect(amountField(page)).toHaveValue('')
  expect(pageErrors).toEqual([])
})
