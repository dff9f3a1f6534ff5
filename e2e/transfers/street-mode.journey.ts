// Street mode, from its settings: a payment above the limit is held, confirmed again, or canceled from the mail.

import { expect, type Page, test } from '@playwright/test'
import { streetMode } from '../../packages/contract/src/transfers/street-mode.ts'
import { waitForMail } from '../mailbox.ts'
import { signInThroughApi, settle } from '../pages.ts'
import { confirmByMail } from '../step-up.ts'
import {
  loadBalances,
  fillTransfer,
  goToReview,
  clickNext,
  skipFirstStep,
  clickSend,
  enrollSenderAndRecipient,
} from '../send-form.ts'
import { ageUndoWindow, runTask } from '../steering.ts'
import { expectAccessible, expectSoundPage, collectPageErrors } from '../page-checks.ts'

const section = (page: Page) => page.getByRole('region', { name: 'When something is wrong' })
const confirmationHeading = (page: Page) => page.getByRole('heading', { name: 'Your payment needs your confirmation' })
const longTimeout = { timeout: 90_000 }

test('turned on, street mode holds payments above the limit until a second confirmation, and the mail cancels one', async ({
  page,
}) => {
  const pageErrors = collectPageErrors(page, /status of 403/)
  const [sender, recipient] = await enrollSenderAndRecipient(200_00)
  await signInThroughApi(page, sender)
  await page.goto('/settings')
  const streetSwitch = section(page).getByRole('switch', { name: 'Street mode' })
  await expect(section(page).getByLabel('Limit within 24 hours')).toHaveCount(0)
  await streetSwitch.click({ force: true })
  await section(page).getByRole('button', { name: 'Save' }).click()
  await expect(section(page).getByText('Enter an amount.')).toBeVisible()
  await section(page).getByLabel('Limit within 24 hours').fill('30')
  await section(page).getByLabel('until').selectOption('22')
  await section(page).getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved. It applies from now on.')).toBeVisible()
  await expect(streetSwitch).toBeChecked()
  await expect(section(page).getByText(/^Payments above \$30\.00 wait an hour/)).toBeVisible()
  const places = page.getByRole('region', { name: 'Places' })
  await expect(places).not.toContainText(/\/24|America\//)
  await places.getByRole('button', { name: /^Trust another place/ }).click()
  await expect(places.getByLabel('Name of the place where you are now')).toBeVisible()
  await settle(page)
  await expectAccessible(page)

  await section(page).getByLabel('Limit within 24 hours').fill('150')
  await section(page).getByRole('button', { name: 'Save' }).click()
  await confirmByMail(page, sender)
  await expect(section(page).getByText(/^Your change applies from /)).toBeVisible()
  await section(page).getByRole('button', { name: 'Cancel the change' }).click()
  await expect(page.getByText('Canceled. Nothing changes.')).toBeVisible()
  expect(await sender.call(streetMode, {})).toMatchObject({ is_on: true, limit: '30.00', next: null })

  await goToReview(page, sender, recipient, '40.00')
  await clickSend(page)
  await expect(confirmationHeading(page)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Confirm and send' })).toBeHidden()
  await expectSoundPage(page)
  await page.setViewportSize({ width: 390, height: 844 })
  const clippedSheetsScript = `[...document.querySelectorAll('main .sheet')].filter((one) => one.scrollWidth > one.clientWidth).length`
  expect(await page.evaluate<number>(clippedSheetsScript), 'sheets that cut off what they hold').toBe(0)
  await page.setViewportSize({ width: 1440, height: 900 })
  await ageUndoWindow(sender, 0.05)
  await page.goto('/transactions')
  await page.getByRole('button', { name: /rosa/ }).first().click()
  await page.getByRole('button', { name: 'Confirm and send' }).click()
  await confirmByMail(page, sender)
  await expect(page.getByText('Sent.', { exact: true })).toBeVisible()
  await expect.poll(() => loadBalances(sender)).toEqual(['159.60'])

  await page.goto('/send')
  await skipFirstStep(page)
  await fillTransfer(page, recipient, '50.00')
  await clickNext(page)
  await clickSend(page)
  await expect(confirmationHeading(page)).toBeVisible()
  await runTask('end_due_transfers')
  // Matches the mail of the second payment; the link of the first no longer works.
  const secondLinkPattern = /(?<=\$50\.50[^]*)http\S+\/cancel#code=[\w-]+/
  let link = ''
  await expect(async () => {
    link = await waitForMail(sender.email, secondLinkPattern)
  }).toPass(longTimeout)
  await page.goto(link)
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel payment' }).click()
  await expect(page.getByRole('heading', { name: 'The payment is canceled' })).toBeVisible()
  expect(pageErrors).toEqual([])
})
