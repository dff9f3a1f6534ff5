import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { cancelRequest, createRequest } from '../../packages/contract/src/requests/requests.ts'
import { payByCard, testCards } from '../checkout.ts'
import { waitForMail } from '../mailbox.ts'
import { signInThroughApi, settle } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

test('a guest without an account pays by card while the requester watches; the receipt stays', async ({
  browser,
  page,
}) => {
  const [, requester] = await enrollSenderAndRecipient()
  const body = { amount: '18.60', currency: 'EUR', description: 'Harbour tour' } as const
  const { url } = await requester.call(createRequest, { body, idempotencyKey: randomUUID() })
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, requester)
  await page.goto('/receive')
  const row = page.getByRole('listitem').filter({ hasText: 'Harbour tour' })
  await expect(row).toContainText('Open')

  const guestPage = await (await browser.newContext()).newPage()
  const guestPageErrors = collectPageErrors(guestPage, /422/)
  await guestPage.goto(url)
  const button = guestPage.getByRole('button', { name: /^Pay €18\.69 by card$/ })
  await expect(button).toBeEnabled()
  await settle(guestPage)
  await expectAccessible(guestPage)
  // A missing value is reported at its field, which takes the focus.
  await button.click()
  await expect(guestPage.getByText('Enter your name')).toBeVisible()
  await expect(guestPage.getByLabel('Your name')).toBeFocused()
  await guestPage.getByLabel('Your name').fill('Gina Guest')
  await guestPage.getByLabel('Email address').fill('not an address')
  await button.click()
  await expect(guestPage.getByLabel('Email address')).toBeFocused()
  const email = `gina-${randomUUID()}@example.com`
  await guestPage.getByLabel('Email address').fill(email)

  // After returning unpaid from the card's page, the guest can continue.
  await button.dblclick()
  await expect(guestPage.getByRole('heading', { name: 'Pay by card' })).toBeVisible()
  await guestPage.getByRole('button', { name: /Cancel/ }).click()
  await expect(guestPage.getByRole('heading', { name: 'Not paid' })).toBeVisible()
  await guestPage.getByRole('link', { name: 'Back to the request' }).click()
  await guestPage.getByLabel('Your name').fill('Gina Guest')
  await guestPage.getByLabel('Email address').fill(email)
  await guestPage.getByRole('button', { name: /by card$/ }).click()
  await payByCard(guestPage, testCards.good)
  await expect(guestPage.getByRole('heading', { name: 'Paid' })).toBeVisible()
  await expect(guestPage.getByRole('region', { name: 'Your receipt' })).toContainText('€18.69')
  await settle(guestPage)
  await expectAccessible(guestPage)
  await expect(row).toContainText('Paid')
  await expect(row).toContainText('Gina Guest')

  // The mailed link opens the same receipt in any browser.
  const link = await waitForMail(email, /http\S+\/pay\?data=\S+&receipt=[\w-]{43}/)
  const otherPage = await (await browser.newContext()).newPage()
  await otherPage.goto(link)
  await expect(otherPage.getByRole('region', { name: 'Your receipt' })).toContainText('Gina Guest')
  expect([...pageErrors, ...guestPageErrors]).toEqual([])
})

test('a request canceled while a guest enters their card charges no one', async ({ page }) => {
  const [, requester] = await enrollSenderAndRecipient()
  const body = { amount: '5.00', currency: 'EUR' } as const
  const { id, url } = await requester.call(createRequest, { body, idempotencyKey: randomUUID() })
  await page.goto(url)
  await page.getByLabel('Your name').fill('Gina Guest')
  await page.getByLabel('Email address').fill(`gina-${randomUUID()}@example.com`)
  await page.getByRole('button', { name: /by card$/ }).click()
  await expect(page.getByRole('heading', { name: 'Pay by card' })).toBeVisible()
  await requester.call(cancelRequest, { params: { id } })
  await payByCard(page, testCards.good)
  await expect(page.getByRole('heading', { name: 'Not paid' })).toBeVisible()
  await expect(page.getByText('Your card was not charged.')).toBeVisible()
})
