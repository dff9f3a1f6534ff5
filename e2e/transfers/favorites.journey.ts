import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { enroll } from '@tern/testkit/people'
import { productUrl, settle } from '../pages.ts'
import { goToReview, skipFirstStep, recipientField, clickSend, enrollSenderAndRecipient } from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

test('a paid user becomes a favorite, is offered first, and can be removed', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const otherUser = await enroll(productUrl(), 'otto', 'Germany')
  const pageErrors = collectPageErrors(page)
  await goToReview(page, sender, recipient, '10.00')
  await clickSend(page)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  await page.getByRole('button', { name: 'Add to favorites' }).click()
  await expect(page.getByText('rosa Tester is now one of your favorites.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove from favorites' })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  // This recipient is paid later and so is the more recent one.
  await sender.call(sendMoney, {
    body: { recipient_id: otherUser.id, amount: '1.00', source_currency: 'USD' },
    idempotencyKey: randomUUID(),
  })

  await page.goto('/send')
  await skipFirstStep(page)
  await recipientField(page).focus()
  const favorites = page.getByRole('group', { name: 'Favorites' })
  await expect(favorites.getByRole('option')).toHaveText([/rosa Tester/])
  await expect(page.getByRole('group', { name: 'Recent people' }).getByRole('option')).toHaveText([/otto Tester/])
  await settle(page)
  await expectAccessible(page)
  // The arrow keys move through both groups, favorites first.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(recipientField(page)).toHaveValue(recipient.username)
  await page.getByRole('button', { name: 'Remove rosa Tester from favorites' }).click()
  await expect(page.getByText('rosa Tester is no longer one of your favorites.')).toBeVisible()
  await recipientField(page).fill('')
  await expect(page.getByRole('group', { name: 'Recent people' }).getByRole('option')).toHaveCount(2)
  await expect(favorites).toBeHidden()
  expect(pageErrors).toEqual([])
})
