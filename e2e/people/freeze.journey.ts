// A user is mailed about an unrecognized payment, and freezes their account from the mail without signing in.

import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { buildLinkPattern, waitForMail } from '../mailbox.ts'
import { signInThroughApi } from '../pages.ts'
import { dialog, confirmByMail } from '../step-up.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { expectSoundPage, expectSoundState, collectPageErrors } from '../page-checks.ts'

test('an account is frozen from the mail about a payment to a new payee, and unfrozen with a proof', async ({
  page,
  browser,
}) => {
  const [owner, recipient] = await enrollSenderAndRecipient()
  const send = (amount: string) =>
    owner.call(sendMoney, {
      body: { recipient_id: recipient.id, amount, source_currency: 'USD' },
      idempotencyKey: randomUUID(),
    })
  const pageErrors = collectPageErrors(page, /status of 403/)
  await signInThroughApi(page, owner)
  await page.goto('/dashboard')
  await send('40.00')
  const link = await waitForMail(owner.email, buildLinkPattern('freeze'))

  const otherContext = await browser.newContext()
  const visitor = await otherContext.newPage()
  const visitorPageErrors = collectPageErrors(visitor, /status of 410|status of 422/)
  await visitor.goto(link)
  await expect(visitor.getByRole('heading', { name: 'Freeze your account?' })).toBeVisible()
  await expect(visitor).toHaveURL(/\/freeze$/)
  await expectSoundPage(visitor)
  await visitor.getByRole('button', { name: 'Freeze my account' }).click()
  await expect(visitor.getByRole('heading', { name: 'Your account is frozen' })).toBeVisible()
  await expect(visitor.getByRole('link', { name: 'Choose a new password' })).toBeVisible()
  await expectSoundState(visitor)
  await expect(send('1.00')).rejects.toMatchObject({ code: 'account_frozen' })
  await visitor.goto('/terms')
  await visitor.goto(link)
  await visitor.getByRole('button', { name: 'Freeze my account' }).click()
  await expect(visitor.getByText('This link has expired or was already used')).toBeVisible()
  expect(visitorPageErrors).toEqual([])
  await otherContext.close()

  // The open page updates without a reload.
  const frozenNote = page.getByText('Your account is frozen: no money can leave it.')
  await expect(frozenNote).toBeVisible()
  await frozenNote.getByRole('link', { name: 'Unfreeze it in Settings' }).click()
  const section = page.getByRole('region', { name: 'When something is wrong' })
  const freeze = section.getByRole('switch', { name: 'Freeze my account' })
  await expect(section).toContainText('Frozen since')
  await freeze.click({ force: true })
  await expect(dialog(page)).toBeVisible()
  await confirmByMail(page, owner)
  await expect(freeze).not.toBeChecked()
  await expect(frozenNote).toHaveCount(0)

  // Freezing from the settings asks for confirmation.
  await freeze.click({ force: true })
  const freezeDialog = page.getByRole('dialog', { name: 'Freeze your account?' })
  await freezeDialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(freeze).not.toBeChecked()
  await freeze.click({ force: true })
  await freezeDialog.getByRole('button', { name: 'Freeze my account' }).click()
  await expect(freeze).toBeChecked()
  await expect(send('1.00')).rejects.toMatchObject({ code: 'account_frozen' })
  await freeze.click({ force: true })
  await confirmByMail(page, owner)
  await expect(freeze).not.toBeChecked()
  expect(await send('1.00')).toMatchObject({ status: 'COMPLETED' })
  expect(pageErrors).toEqual([])
})
