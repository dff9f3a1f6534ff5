import { expect, type Page } from '@playwright/test'
import { settle } from './pages.ts'

/** Sandbox test cards; see docs/sandbox.md. */
export const testCards = {
  good: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
  withoutMoney: '4000 0000 0000 9995',
  challenged: '4000 0000 0000 3220',
  silent: '4000 0000 0000 1505',
} as const

/** Pays by card on the hosted checkout. */
export async function payByCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry date').fill('12/39')
  await page.getByLabel('Security code').fill('123')
  await page.getByRole('button', { name: /^Pay/ }).click()
}

/** Opens the hosted checkout for a new card from /deposit. */
export async function openCheckout(page: Page, amount: string): Promise<void> {
  await page.goto('/deposit')
  // If React renders the page again at hydration, as on translated pages, an earlier amount is lost.
  await settle(page)
  await page.getByLabel('Amount').fill(amount)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Pay by card' })).toBeVisible()
}
