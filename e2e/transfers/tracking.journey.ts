import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { directPayment } from '../../packages/contract/src/payments.ts'
import { shareTracking } from '../../packages/contract/src/transfers/tracking.ts'
import { payCheckout } from '@tern/testkit/people'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { signInThroughApi, settle } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

test('a transfer is shared from its details, followed without an account, and ended', async ({ browser, page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const body = { recipient_id: recipient.id, amount: '10.00', source_currency: 'USD' } as const
  const { transaction_id: id } = await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto(`/transactions?details=${id}`)
  const details = page.getByRole('dialog')
  await details.getByRole('button', { name: 'Share', exact: true }).click()
  await details.getByRole('button', { name: 'Create link' }).click()
  const url = await details.getByLabel('Link', { exact: true }).inputValue()
  await settle(page)
  await expectAccessible(page)

  const stranger = await (await browser.newContext()).newPage()
  const strangerErrors = collectPageErrors(stranger, /404/)
  await stranger.goto(url)
  await expect(stranger).toHaveTitle('Track a transfer · Tern')
  await expect(stranger.getByRole('heading', { level: 1 })).toHaveText(/ to /)
  await expect(stranger.getByRole('status').first()).toContainText('Delivered')
  await expect(stranger.getByRole('listitem').filter({ hasText: 'Sent' })).toBeVisible()
  await expect(stranger.getByText("doesn't show the amounts")).toBeVisible()
  await expect(stranger.getByText('10.00')).toHaveCount(0)
  await settle(stranger)
  await expectAccessible(stranger)

  await details.getByRole('switch', { name: 'Show the amounts' }).click()
  await expect(details.getByRole('switch', { name: 'Show the amounts' })).toBeChecked()
  await stranger.reload()
  await expect(stranger.getByText('$10.00')).toBeVisible()
  await details.getByRole('button', { name: 'Stop sharing' }).click()
  await expect(details.getByRole('button', { name: 'Create link' })).toBeVisible()
  await stranger.reload()
  await expect(stranger.getByRole('heading', { name: 'Nothing to track here' })).toBeVisible()
  await stranger.goto('/track')
  await expect(stranger.getByRole('heading', { name: 'Nothing to track here' })).toBeVisible()

  // During a transfer the page updates without a reload.
  const byCard = { amount: 1000, currency: 'usd', recipientId: String(recipient.id), paymentSource: 'card' } as const
  const payment = await sender.call(directPayment, { body: byCard, idempotencyKey: randomUUID() })
  const link = await sender.call(shareTracking, {
    params: { id: payment.transaction_id },
    body: { shows_amounts: false },
  })
  await stranger.goto(link.url)
  const state = stranger.getByRole('status').first()
  await expect(state).toContainText('Being paid')
  await payCheckout(payment.redirectUrl ?? '')
  await expect(state).toContainText('Delivered', { timeout: 120_000 })
  expect([...pageErrors, ...strangerErrors]).toEqual([])
})
