import { expect, test } from '@playwright/test'
import { enroll, fund } from '../../tools/testing/test-people.ts'
import { enter, productUrl, settle } from '../pages.ts'
import { expectAccessible, watch } from '../watch.ts'

test('money is exchanged into cryptocurrency and back at the displayed price', async ({ page }) => {
  const person = await enroll(productUrl(), 'wanda', 'United States')
  await fund(person, 200_00)
  const complaints = watch(page)
  await enter(page, person)
  await page.goto('/wallet')
  const amount = page.getByLabel('Amount')
  const convert = page.getByRole('button', { name: 'Convert' })
  const asset = (name: string) => page.getByRole('listitem').filter({ hasText: name })

  await convert.click()
  await expect(page.getByText('Please enter a valid amount to convert')).toBeVisible()
  await amount.fill('200.00')
  await expect(page.getByText('The amount and its fee exceed your balance of $200.00.')).toBeVisible()
  await settle(page)
  await expectAccessible(page)

  await amount.fill('50.00')
  await expect(page.getByText('50.50 USD', { exact: true })).toBeVisible()
  await convert.click()
  await expect(page.getByText('Converted 50.00 USD to 50.00 USDT')).toBeVisible()
  await expect(asset('Tether')).toContainText('50.000000')
  await expect(page.getByText('Available $149.50')).toBeVisible()

  await page.getByRole('button', { name: 'Crypto to USD' }).click()
  await expect(page.getByText(/^Available 50\.0+ USDT$/)).toBeVisible()
  await amount.fill('20')
  await expect(page.getByText('20.20 USDT', { exact: true })).toBeVisible()
  await convert.click()
  await expect(page.getByText('Converted 20.00 USDT to 20.00 USD')).toBeVisible()
  await expect(asset('Tether')).toContainText('29.800000')
  await settle(page)
  await expectAccessible(page)

  const { fiat_balance: fiat, assets } = await person.wallet()
  expect(fiat).toBe('169.50')
  expect(assets.find(({ currency }) => currency === 'USDT')?.available).toBe('29.800000')
  await expect(page.getByText('USD to USDT')).toBeVisible()
  await expect(page.getByText('USDT to USD')).toBeVisible()
  expect(complaints).toEqual([])
})

test('the wallet tells what everything is worth, and opens a price to its chart', async ({ page }) => {
  const person = await enroll(productUrl(), 'wim', 'Germany')
  await fund(person, 930_00)
  const complaints = watch(page)
  await enter(page, person)
  await page.goto('/wallet')
  const everything = page.getByRole('heading', { name: 'Everything you hold' }).locator('..')
  await expect(everything).toContainText('€930.00')
  await expect(page.getByRole('img', { name: 'Shares: EUR 100.0%' })).toBeVisible()
  await expect(
    page.getByText('You hold no Tether (USDT), USD Coin (USDC), Bitcoin (BTC) or Ethereum (ETH).'),
  ).toBeVisible()

  await page.getByLabel('Amount').fill('465')
  await expect(page.getByText('469.65 EUR', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Convert' }).click()
  const tether = page.getByRole('button', { name: /^Tether/ })
  await expect(tether).toContainText('500.000000 USDT')
  await expect(tether).toContainText('€0.9300')
  await expect(tether).toContainText('€465.00')
  await expect(everything).toContainText('€925.35')
  await expect(page.getByRole('img', { name: 'Shares: USDT 50.3%, EUR 49.7%' })).toBeVisible()

  await tether.click()
  await expect(tether).toHaveAttribute('aria-expanded', 'true')
  await expect(page.getByRole('slider', { name: /^1 USDT in EUR, / })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Exchange USDT to EUR' }).click()
  await expect(page.getByLabel('From: currency')).toHaveValue('USDT')
  await expect(page.getByLabel('To: currency')).toHaveValue('EUR')
  expect(complaints).toEqual([])
})
