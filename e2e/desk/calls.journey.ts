// An operator calls a customer, who sees the call, its caller and code in the app, and answers; then a call that the
// customer refuses, and one by somebody else.

import { expect, type Page, test } from '@playwright/test'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { collectPageErrors, expectAccessible, expectReadable, expectSoundPage } from '../page-checks.ts'
import { settle, signInThroughApi } from '../pages.ts'
import { adminUrl, signInAsOperator } from './operators.ts'

const stamp = String(Date.now()).slice(-6)

async function openPerson(desk: Page, email: string): Promise<void> {
  await desk.goto(`${adminUrl()}/desk/people`)
  await desk.getByLabel('User number, username or full email').fill(email)
  await desk.getByRole('button', { name: 'Find' }).click()
  await expect(desk.getByRole('heading', { name: 'Balances' })).toBeVisible()
}

async function startCall(desk: Page, email: string): Promise<void> {
  await openPerson(desk, email)
  await desk.getByLabel('What the customer reads as the reason').selectOption('One of your payments')
  await desk.getByRole('button', { name: 'Show the call in the app' }).click()
  await expect(desk.getByRole('heading', { name: /^You are calling/ })).toBeVisible()
}

const readCode = (page: Page) => page.getByRole('img', { name: /^Code: / }).getAttribute('aria-label')

test('a customer sees who from Tern is calling, confirms one call, refuses another and reports an impostor', async ({
  page,
  browser,
}) => {
  const [customer] = await enrollSenderAndRecipient()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, customer)
  await page.goto('/calls')
  await expect(page.getByRole('heading', { name: 'We are not calling you' })).toBeVisible()
  await expect(page.getByText('We have not called you in the last 400 days.')).toBeVisible()
  await expectSoundPage(page)

  const deskContext = await browser.newContext()
  const desk = await deskContext.newPage()
  await signInAsOperator(desk, `Kim ${stamp}`, 'reviewer')
  await openPerson(desk, customer.email)
  await expectAccessible(desk)

  // The open page of the customer changes without a reload.
  await startCall(desk, customer.email)
  await expect(page.getByRole('heading', { name: 'Kim from Tern is calling you' })).toBeVisible()
  await expect(page.getByText(/^Since .*, about one of your payments$/)).toBeVisible()
  expect(await readCode(page)).toBe(await readCode(desk))
  await expectSoundPage(page)
  await settle(desk)
  await expectAccessible(desk)
  await desk.emulateMedia({ colorScheme: 'dark' })
  await expectReadable(desk)
  await desk.emulateMedia({ colorScheme: 'light' })
  await page.goto('/dashboard')
  await page.getByText('Tern is calling you now.').getByRole('link', { name: 'Check the call' }).click()
  await page.getByRole('button', { name: 'The caller said this code' }).click()
  await expect(page.getByText('You confirmed this call')).toBeVisible()
  await expect(desk.getByText(/^The customer confirmed in the app at/)).toBeVisible()
  await desk.getByRole('button', { name: 'End the call' }).click()
  await expect(page.getByRole('heading', { name: 'We are not calling you' })).toBeVisible()
  await expect(page.getByText('Kim, about one of your payments')).toBeVisible()
  await page.goto('/dashboard')
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await expect(page.getByText('Kim from Tern called you')).toBeVisible()
  await page.keyboard.press('Escape')

  // A page that was opened without a network says that it does not know.
  await page.goto('/calls')
  await expect(page.getByRole('heading', { name: 'We are not calling you' })).toBeVisible()
  await page.context().setOffline(true)
  await expect(page.getByRole('heading', { name: "We can't check right now" })).toBeVisible()
  await startCall(desk, customer.email)
  await page.context().setOffline(false)
  await expect(page.getByRole('heading', { name: 'Kim from Tern is calling you' })).toBeVisible()

  await page.getByRole('button', { name: 'This is not right' }).click()
  await expect(page.getByRole('heading', { name: 'We are not calling you' })).toBeVisible()
  await expect(desk.getByText('said that this call is not right. Hang up now.')).toBeVisible()
  await page.getByRole('button', { name: 'Someone said they are from Tern' }).click()
  await expect(page.getByText('Thank you. Our team knows now.')).toBeVisible()

  const leadContext = await browser.newContext()
  const lead = await leadContext.newPage()
  await signInAsOperator(lead, `Lea ${stamp}`, 'lead')
  await lead.goto(`${adminUrl()}/desk/people`)
  await lead.getByRole('button', { name: /^Show \(\d+\)$/ }).click()
  const alert = lead
    .getByRole('listitem')
    .filter({ hasText: customer.username })
    .filter({ hasText: `Kim ${stamp}` })
  await expect(alert).toBeVisible()
  await expectAccessible(lead)
  await alert.getByLabel('What was done').fill('Wrote to the customer in the app.')
  await alert.getByRole('button', { name: 'Close the alert' }).click()
  await expect(alert).toBeHidden()
  await leadContext.close()
  await deskContext.close()
  expect(pageErrors.filter((text) => !/Failed to load resource|ERR_INTERNET_DISCONNECTED/.test(text))).toEqual([])
})
