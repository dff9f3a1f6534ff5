import { expect, test } from '@playwright/test'
import { chooseAccount } from '../banks.ts'
import { settle } from '../pages.ts'
import { confirmByMail } from '../step-up.ts'
import {
  amountField,
  loadBalances,
  fillTransfer,
  goToRecipient,
  method,
  clickNext,
  chooseExternalPayment,
  recipientField,
  clickSend,
  enrollSenderAndRecipient,
} from '../send-form.ts'
import { raiseAgreedMinimum, steerDebit } from '../steering.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

// Covers the provider and the wait for the next poll, which may take half a minute.
const longTimeout = { timeout: 120_000 }

test('a bank payment into another currency is an estimate with a minimum; below that it can be sent from the wallet', async ({
  page,
}) => {
  const [sender, recipient] = await enrollSenderAndRecipient(0)
  const pageErrors = collectPageErrors(page, /status of 403/)
  await goToRecipient(page, sender)
  await fillTransfer(page, recipient, '40.00')
  await chooseExternalPayment(page)
  await method(page, 'bank').check()
  await page.getByRole('button', { name: 'Link a bank account' }).click()
  await confirmByMail(page, sender)
  await chooseAccount(page, 'Harbour Bank', 'USD')
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('radio', { name: /Harbour Bank/ })).toBeChecked(longTimeout)

  await expect(page.getByText('About €37.20; at least €36.45, otherwise the money stays yours')).toBeVisible()
  await expect(page.getByText(/ gets about$/).first()).toBeVisible()
  const minimumField = page.getByLabel('rosa gets at least')
  await minimumField.fill('37.21')
  await clickSend(page)
  await expect(page.getByText('Enter an amount up to the estimate')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await minimumField.fill('37.00')
  await expect(page.getByText('About €37.20; at least €37.00, otherwise the money stays yours')).toBeVisible()
  await clickSend(page)
  await expect(page.getByRole('heading', { name: 'Transfer on its way' })).toBeVisible(longTimeout)
  await expect(page.getByText(/ will get about$/).first()).toBeVisible()
  await expect(page.getByText(/The amount is an estimate/)).toBeVisible()
  await settle(page)
  await expectAccessible(page)

  await raiseAgreedMinimum(sender)
  await steerDebit(sender, 'settle')
  await expect(page.getByRole('heading', { name: 'Nothing was sent' })).toBeVisible(longTimeout)
  await expect(page.getByText(/would have got less than your minimum/)).toBeVisible(longTimeout)
  await settle(page)
  await expectAccessible(page)
  expect(await loadBalances(sender, recipient)).toEqual(['40.40', '0.00'])

  await page.getByRole('link', { name: 'Send at the new price' }).click()
  await expect(recipientField(page)).toHaveValue(recipient.username)
  await expect(amountField(page)).toHaveValue('40.00')
  await expect(page.getByText('€37.20').first()).toBeVisible(longTimeout)
  await clickNext(page)
  await expect(method(page, 'wallet')).toBeChecked()
  await clickSend(page)
  await expect(page.getByRole('heading', { name: 'Transfer Successful!' })).toBeVisible(longTimeout)
  expect(await loadBalances(sender, recipient)).toEqual(['0.00', '37.20'])
  expect(pageErrors).toEqual([])
})
