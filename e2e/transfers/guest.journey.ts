import { randomUUID } from 'node:crypto'
import { expect, test } from '@playwright/test'
import { cancelRequest, createRequest } from '../../packages/contract/src/requests/requests.ts'
import { payWith, testCards } from '../checkout.ts'
import { mailed } from '../mailbox.ts'
import { enter, settle } from '../pages.ts'
import { senderAndRecipient } from '../sending.ts'
import { expectAccessible, watch } from '../watch.ts'

test('a guest without an account pays by card while the requester watches; the receipt stays', async ({
  browser,
  page,
}) => {
  const [, requester] = await senderAndRecipient()
  const body = { amount: '18.60', currency: 'EUR', description: 'Harbour tour' } as const
  const { url } = await requester.call(createRequest, { body, idempotencyKey: randomUUID() })
  const complaints = watch(page)
  await enter(page, requester)
  await page.goto('/receive')
  const row = page.getByRole('listitem').filter({ hasText: 'Harbour tour' })
  await expect(row).toContainText('Open')

  const guest = await (await browser.newContext()).newPage()
  const guestComplaints = watch(guest, /422/)
  await guest.goto(url)
  const button = guest.getByRole('button', { name: /^Pay €18\.69 by card$/ })
  await expect(button).toBeEnabled()
  await settle(guest)
  await expectAccessible(guest)
  // A missing value is reported at its field, which takes the focus.
  await button.click()
  await expect(guest.getByText('Enter your name')).toBeVisible()
  await expect(guest.getByLabel('Your name')).toBeFocused()
  await guest.getByLabel('Your name').fill('Gina Guest')
  await guest.getByLabel('Email address').fill('not an address')
  await button.click()
  await expect(guest.getByLabel('Email address')).toBeFocused()
  const email = `gina-${randomUUID()}@example.com`
  await guest.getByLabel('Email address').fill(email)

  // After returning unpaid from the card's page, the guest can continue.
  await button.dblclick()
  await expect(guest.getByRole('heading', { name: 'Pay by card' })).toBeVisible()
  await guest.getByRole('button', { name: /Cancel/ }).click()
  await expect(guest.getByRole('heading', { name: 'Not paid' })).toBeVisible()
  await guest.getByRole('link', { name: 'Back to the request' }).click()
  await guest.getByLabel('Your name').fill('Gina Guest')
  await guest.getByLabel('Email address').fill(email)
  await guest.getByRole('button', { name: /by card$/ }).click()
  await payWith(guest, testCards.good)
  await expect(guest.getByRole('heading', { name: 'Paid' })).toBeVisible()
  await expect(guest.getByRole('region', { name: 'Your receipt' })).toContainText('€18.69')
  await settle(guest)
  await expectAccessible(guest)
  await expect(row).toContainText('Paid')
  await expect(row).toContainText('Gina Guest')

  // The mailed link opens the same receipt in any browser.
  const link = await mailed(email, /http\S+\/pay\?data=\S+&receipt=[\w-]{43}/)
  const other = await (await browser.newContext()).newPage()
  await other.goto(link)
  await expect(other.getByRole('region', { name: 'Your receipt' })).toContainText('Gina Guest')
  expect([...complaints, ...guestComplaints]).toEqual([])
})

test('a request canceled while a guest enters their card charges no one', async ({ page }) => {
  const [, requester] = await senderAndRecipient()
  const body = { amount: '5.00', currency: 'EUR' } as const
  const { id, url } = await requester.call(createRequest, { body, idempotencyKey: randomUUID() })
  await page.goto(url)
  await page.getByLabel('Your name').fill('Gina Guest')
  await page.getByLabel('Email address').fill(`gina-${randomUUID()}@example.com`)
  await page.getByRole('button', { name: /by card$/ }).click()
  await expect(page.getByRole('heading', { name: 'Pay by card' })).toBeVisible()
  await requester.call(cancelRequest, { params: { id } })
  await payWith(page, testCards.good)
  await expect(page.getByRole('heading', { name: 'Not paid' })).toBeVisible()
  await expect(page.getByText('Your card was not charged.')).toBeVisible()
})
