import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { createRequest } from '../../packages/contract/src/requests/requests.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { signInThroughApi, settle } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

test('money and a request arrive at the bell, in every tab, and are read', async ({ page, context }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, recipient)
  await page.goto('/wallet')
  const bell = page.getByRole('button', { name: /^Notifications/ })
  await bell.click()
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  await expect(panel.getByRole('heading', { name: 'Notifications' })).toBeFocused()
  await expect(panel.getByText('Your identity is verified')).toBeVisible()
  await expect(bell).toHaveAccessibleName('Notifications, 2 unread')
  await panel.getByRole('button', { name: 'Mark all as read' }).click()
  await expect(bell).toHaveAccessibleName('Notifications')
  // The question about this browser's login is still open.
  await expect(panel.getByText('New login from a new computer')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'No, secure account' }).click()
  const secureDialog = page.getByRole('dialog', { name: 'Secure your account?' })
  await expect(secureDialog).toContainText('so all payments stop')
  await secureDialog.getByText('so all payments stop').click()
  await secureDialog.getByRole('button', { name: 'Cancel' }).click()
  await bell.click()
  await panel.getByRole('button', { name: 'Yes, that was me' }).click()
  await expect(panel.getByRole('button', { name: 'Yes, that was me' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await expect(bell).toBeFocused()

  const secondPage = await context.newPage()
  await secondPage.goto('/settings')
  await expect(secondPage.getByRole('button', { name: /^Notifications/ })).toBeVisible()
  const body = { recipient_id: recipient.id, amount: '20.00', source_currency: 'USD', description: 'Tent' } as const
  await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  await sender.call(createRequest, {
    body: { amount: '5.00', currency: 'USD', description: 'Firewood', name: '', payer_id: recipient.id },
    idempotencyKey: randomUUID(),
  })
  for (const tab of [page, secondPage]) {
    await expect(tab.getByRole('button', { name: 'Notifications, 2 unread' })).toBeVisible()
  }

  // Opens the panel and follows a link in it by keyboard.
  await page.bringToFront()
  await bell.focus()
  await page.keyboard.press('Enter')
  await expect(panel.getByText('sam Tester sent you money')).toBeVisible()
  await expect(panel.getByText('+€18.60')).toBeVisible()
  await expect(panel.getByText('sam Tester asks you for $5.00')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await panel.getByRole('link', { name: /asks you for/ }).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/receive')
  await expect(page.getByText('Firewood')).toBeVisible()
  await expect(panel).toBeHidden()
  for (const tab of [page, secondPage]) {
    await expect(tab.getByRole('button', { name: 'Notifications, 1 unread' })).toBeVisible()
  }
  await bell.click()
  await panel.getByRole('link', { name: /sent you money/ }).click()
  await expect(page.getByRole('dialog').getByText('Tent')).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('logins of one device and payments of one person are one row each, and unfold', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const { email, password } = recipient
  const foreignHeaders = {
    'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
  }
  for (let login = 0; login < 3; login += 1) {
    await page.request.post('/api/user/login', { data: { email, password }, headers: foreignHeaders })
    await page.context().clearCookies()
  }
  for (const description of ['Tent', 'Stove', 'Lamp', 'Rope']) {
    const body = { recipient_id: recipient.id, amount: '1.00', source_currency: 'USD', description } as const
    await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await signInThroughApi(page, recipient)
  await page.goto('/wallet')
  await page.getByRole('button', { name: /^Notifications/ }).click()
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  await expect(panel.getByText('3 logins from a new computer')).toBeVisible()
  const all = panel.getByRole('button', { name: 'Show all 3' })
  await expect(all).toHaveAttribute('aria-expanded', 'false')
  await all.click()
  await expect(panel.getByRole('link', { name: /Firefox on Windows/ })).toHaveCount(3)
  const payments = panel.getByRole('button', { name: /^Unread\. 4 payments from sam Tester/ })
  await expect(payments).toHaveAttribute('aria-expanded', 'false')
  await expect(panel.getByText('Tent')).toBeHidden()
  await settle(page)
  await expectAccessible(page)
  await payments.click()
  await expect(panel.getByText('Tent')).toBeVisible()
  await expect(panel.getByRole('link', { name: /sent you money/ })).toHaveCount(4)
  // One answer applies to all three logins.
  const answers = panel.getByRole('button', { name: 'Yes, that was me' })
  const countBefore = await answers.count()
  await answers.last().click()
  await expect(answers).toHaveCount(countBefore - 1)
  await expect(panel.getByText('3 logins from a new computer')).toHaveCount(0)
  await panel.getByRole('button', { name: 'Close' }).click()
  await expect(panel).toBeHidden()
})

test('the settings choose which emails come', async ({ page }) => {
  const [, recipient] = await enrollSenderAndRecipient(0)
  await signInThroughApi(page, recipient)
  await page.goto('/settings/notifications')
  const received = page.getByRole('switch', { name: 'Money I receive' })
  await expect(received).toBeChecked()
  await received.press('Space')
  await expect(page.getByText('Emails saved')).toBeVisible()
  await page.reload()
  await expect(received).not.toBeChecked()
  await settle(page)
  await expectAccessible(page)
})
