import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { walletOfUser } from '../../packages/contract/src/wallets.ts'
import { enter } from '../pages.ts'
import { amountField, firstStep, next, recipientField, reviewHeading, send, senderAndRecipient } from '../sending.ts'
import { watch } from '../watch.ts'

test('an earlier transfer is sent again from its details, and leaves nothing in the next form', async ({ page }) => {
  const [sender, recipient] = await senderAndRecipient()
  const body = { recipient_id: recipient.id, amount: '10.00', source_currency: 'USD', description: 'Rent' } as const
  const { transaction_id: id } = await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  const complaints = watch(page)
  await enter(page, sender)
  await page.goto(`/transactions?details=${id}`)
  await page.getByRole('link', { name: 'Send again' }).click()
  await expect(recipientField(page)).toHaveValue(recipient.username)
  await expect(amountField(page)).toHaveValue('10.00')
  // The recipient has been looked up, so the price in their currency appears without further input.
  await expect(page.getByText('€9.30').first()).toBeVisible()
  await next(page)
  await expect(reviewHeading(page)).toBeVisible()
  await send(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  const { fiat_balance: balance } = await recipient.call(walletOfUser, { params: { userId: String(recipient.id) } })
  expect(balance).toBe('18.60')

  await page.goto('/send')
  await expect(firstStep(page)).toBeVisible()
  await expect(recipientField(page)).toHaveValue('')
  await expect(amountField(page)).toHaveValue('')
  expect(complaints).toEqual([])
})
