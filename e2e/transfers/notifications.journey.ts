import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { createRequest } from '../../packages/contract/src/requests/requests.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { enter, settle } from '../pages.ts'
import { senderAndRecipient } from '../sending.ts'
import { expectAccessible, watch } from '../watch.ts'

test('money and a request arrive at the bell, in every tab, and are read', async ({ page, context }) => {
  const [sender, recipient] = await senderAndRecipient()
  const complaints = watch(page)
  await enter(page, recipient)
  await page.goto('/wallet')
  const bell = page.getByRole('button', { name: /^Notifications/ })
  await bell.click()
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  await expect(panel.getByRole('heading', { name: 'Notifications' })).toBeFocused()
  await expect(panel.getByText('Your identity is verified')).toBeVisible()
  await panel.getByRole('button', { name: 'Mark all as read' }).click()
  // What waits for an answer stays unread until it has one: the login of this browser, which the person was not seen with.
  await expect(bell).toHaveAccessibleName('Notifications, 1 unread')
  await expect(panel.getByText('New login from an unfamiliar device or place')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await panel.getByRole('button', { name: 'This was me' }).click()
  await expect(bell).toHaveAccessibleName('Notifications')
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await expect(bell).toBeFocused()

  const second = await context.newPage()
  await second.goto('/settings')
  await expect(second.getByRole('button', { name: /^Notifications/ })).toBeVisible()
  const body = { recipient_id: recipient.id, amount: '20.00', source_currency: 'USD', description: 'Tent' } as const
  await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  await sender.call(createRequest, {
    body: { amount: '5.00', currency: 'USD', description: 'Firewood', name: '', payer_id: recipient.id },
    idempotencyKey: randomUUID(),
  })
  for (const tab of [page, second]) {
    await expect(tab.getByRole('button', { name: 'Notifications, 2 unread' })).toBeVisible()
  }

  // By keyboard alone: open, go to the newest, and along its link.
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
  for (const tab of [page, second]) {
    await expect(tab.getByRole('button', { name: 'Notifications, 1 unread' })).toBeVisible()
  }
  await bell.click()
  await panel.getByRole('link', { name: /sent you money/ }).click()
  await expect(page.getByRole('dialog').getByText('Tent')).toBeVisible()
  expect(complaints).toEqual([])
})

test('many notifications about one person fold into a group', async ({ page }) => {
  const [sender, recipient] = await senderAndRecipient()
  for (const description of ['Tent', 'Stove', 'Lamp', 'Rope']) {
    const body = { recipient_id: recipient.id, amount: '1.00', source_currency: 'USD', description } as const
    await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })
  }
  await enter(page, recipient)
  await page.goto('/wallet')
  await page.getByRole('button', { name: /^Notifications/ }).click()
  const panel = page.getByRole('dialog', { name: 'Notifications' })
  await expect(panel.getByText('Rope')).toBeVisible()
  const more = panel.getByRole('button', { name: 'Unread. 3 more about sam Tester' })
  await expect(more).toHaveAttribute('aria-expanded', 'false')
  await expect(panel.getByText('Tent')).toBeHidden()
  await settle(page)
  await expectAccessible(page)
  await more.click()
  await expect(panel.getByText('Tent')).toBeVisible()
  await expect(panel.getByRole('link', { name: /sent you money/ })).toHaveCount(4)
})

test('the settings say which emails come', async ({ page }) => {
  const [, recipient] = await senderAndRecipient(0)
  await enter(page, recipient)
  await page.goto('/settings/notifications')
  const received = page.getByRole('switch', { name: 'Money I receive' })
  await expect(received).toBeChecked()
  await received.click()
  await expect(page.getByText('Emails saved')).toBeVisible()
  await page.reload()
  await expect(received).not.toBeChecked()
  await settle(page)
  await expectAccessible(page)
})
