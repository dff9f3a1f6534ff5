import fs from 'node:fs'
import { expect, type Locator, type Page } from '@playwright/test'
import { becomeStill, settle, widths } from './pages.ts'

/**
 * Collects a page's console errors, exceptions and policy violations. The browser also logs refused answers; intended
 * ones are `expected`.
 */
export function watch(page: Page, expected?: RegExp): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning'
    if (isComplaint && !expected?.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  return complaints
}

/** Asserts that axe (WCAG 2.2 A and AA, and best practices) finds nothing. */
export const expectAccessible = (page: Page): Promise<void> => expectNoFindings(page)

/** Asserts that axe finds nothing in the colors of a page, which are all that a theme changes. */
export const expectReadable = (page: Page): Promise<void> =>
  expectNoFindings(page, ['color-contrast', 'link-in-text-block'])

interface Finding {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string }[]
}

// Minified: the package's default file is over twice as long, and every page loads it anew.
const axeCore = fs.readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

// Once per page, and only what was found comes back: axe's own builder for Playwright takes three times as long. Our pages
// have no frames, which it would also look into.
const isLoaded = `typeof axe === 'object'`

async function expectNoFindings(page: Page, rules?: readonly string[]): Promise<void> {
  // Half faded in means half the contrast.
  await becomeStill(page)
  if (!(await page.evaluate<boolean>(isLoaded))) await page.evaluate(axeCore)
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) })
  const violations = await page.evaluate<Finding[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )
  const findings = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.html).join(' | ')})`,
  )
  expect(findings).toEqual([])
}

/** As it stands, the page is accessible and no wider than the window, and its colors can be read in the other theme, too. */
export async function expectFineHere(page: Page, what = ''): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await settle(page)
  await expectAccessible(page)
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  expect(overflow, what).toBeLessThanOrEqual(0)
  await page.emulateMedia({ colorScheme: 'dark' })
  await settle(page)
  await expectReadable(page)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** The page is accessible, readable and no wider than the window at every width, in both themes. */
export async function expectFine(page: Page): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await expectFineHere(page, `${String(width)} px`)
  }
}

/** A phone, on which a flow's main button is pressed without scrolling. */
export const phone = { width: 390, height: 844 }

/** The button is whole in the window, nothing covers it, and the page has not been scrolled. */
export async function expectAtHand(page: Page, button: Locator): Promise<void> {
  await expect(button).toBeInViewport({ ratio: 1 })
  await button.click({ trial: true })
  expect(await page.evaluate<number>('scrollY')).toBe(0)
}
