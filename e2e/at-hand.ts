import { expect, type Locator, type Page } from '@playwright/test'

/** A phone, on which a flow's main button is pressed without scrolling. */
export const phone = { width: 390, height: 844 }

/** The button is whole in the window, nothing covers it, and the page has not been scrolled. */
export async function expectAtHand(page: Page, button: Locator): Promise<void> {
  await expect(button).toBeInViewport({ ratio: 1 })
  await button.click({ trial: true })
  expect(await page.evaluate<number>('scrollY')).toBe(0)
}
