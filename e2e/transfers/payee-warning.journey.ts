// A sender is warned of a payment that fits a pattern of fraud, and of one during a call by the desk.

import { expect, test } from '@playwright/test'
import { schedules } from '../../packages/contract/src/schedules/schedules.ts'
import { collectPageErrors, expectSoundPage } from '../page-checks.ts'
import { adminUrl, signInAsOperator } from '../desk/operators.ts'
import { signInThroughApi } from '../pages.ts'
import { clickSend, enrollSenderAndRecipient, goToReview, loadBalances, recipientField } from '../send-form.ts'
import { confirmByMail } from '../step-up.ts'

test('a first payment of 300 dollars to a new account is sent once its warning was read', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient(1000_00)
  const pageErrors = collectPageErrors(page, /status of 403/)
  await goToReview(page, sender, recipient, '300')
  await expect(page.getByRole('heading', { name: 'Check this before you send' })).toBeVisible()
  await expect(page.getByText('You have never paid rosa Tester, and payments like this are often fraud')).toBeVisible()
  await expectSoundPage(page)
  const balances = await loadBalances(sender, recipient)
  await clickSend(page)
  await expect(page.getByText('Read the warning and confirm it first.')).toBeVisible()
  const box = page.getByRole('checkbox', { name: /^I have read this, and want to send \$300\.00 to rosa Tester$/ })
  await expect(box).toBeFocused()
  expect(await loadBalances(sender, recipient)).toEqual(balances)
  await box.check()
  await clickSend(page)
  await confirmByMail(page, sender)
  await expect(page.getByText('Transfer Successful!')).toBeVisible()
  expect(await loadBalances(sender, recipient)).not.toEqual(balances)
  expect(pageErrors).toEqual([])
})

test('a scheduled first payment of 300 dollars to a new account is stored once its warning was read', async ({
  page,
}) => {
  const [sender, recipient] = await enrollSenderAndRecipient(1000_00)
  const pageErrors = collectPageErrors(page, /status of 403/)
  await signInThroughApi(page, sender)
  await page.goto('/scheduled?new')
  await recipientField(page).fill(recipient.username)
  await page.getByRole('option', { name: new RegExp(recipient.username) }).click()
  await page.getByRole('textbox', { name: 'Amount' }).fill('300')
  const inSevenDays = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10)
  await page.getByLabel('First on').fill(inSevenDays)
  await expect(page.getByText('You have never paid R. T., and payments like this are often fraud')).toBeVisible()
  await expectSoundPage(page)
  const box = page.getByRole('checkbox', {
    name: /^I have read this, and want to send at most \$\d+\.\d\d to R\. T\.$/,
  })
  const schedule = page.getByRole('button', { name: 'Schedule', exact: true })
  await schedule.click()
  await expect(page.getByText('Read the warning and confirm it first.')).toBeVisible()
  await expect(box).toBeFocused()
  expect((await sender.call(schedules, {})).schedules).toEqual([])
  await box.check()
  await schedule.click()
  await confirmByMail(page, sender)
  await expect(page.getByText('Going out in the next five weeks')).toBeVisible()
  expect((await sender.call(schedules, {})).schedules).toMatchObject([{ amount: '300.00', side: 'target' }])
  expect(pageErrors).toEqual([])
})

test('five dollars to someone new need no acknowledgement, unless the desk is calling the sender', async ({
  page,
  browser,
}) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const deskContext = await browser.newContext()
  const desk = await deskContext.newPage()
  await signInAsOperator(desk, `Ida ${String(Date.now()).slice(-6)}`, 'reviewer')
  await goToReview(page, sender, recipient, '5')
  await expect(page.getByRole('button', { name: 'Send Money' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Check this before you send' })).toBeHidden()

  await desk.goto(`${adminUrl()}/desk/people`)
  await desk.getByLabel('User number, username or full email').fill(sender.email)
  await desk.getByRole('button', { name: 'Find' }).click()
  await desk.getByRole('button', { name: 'Show the call in the app' }).click()
  await expect(desk.getByRole('heading', { name: /^You are calling/ })).toBeVisible()
  await page.reload()
  await goToReview(page, sender, recipient, '5')
  await expect(page.getByText('We are on the phone with you now')).toBeVisible()
  await expectSoundPage(page)
  await desk.getByRole('button', { name: 'End the call' }).click()
  await deskContext.close()
})
