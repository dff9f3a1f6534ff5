import fs from 'node:fs'
import { type ConsoleMessage, expect, type Locator, type Page } from '@playwright/test'
import { waitUntilStill, settle, widths } from './pages.ts'

/**
 * True for the refusal of a refresh cookie that the previous page is exchanging: the browser left that page meanwhile,
 * and this one tries again.
 */
const isBusyCookie = (message: ConsoleMessage): boolean =>
  /status of 409/.test(message.text()) && message.location().url.endsWith('/api/auth/token')

/**
 * Collects a page's console errors and warnings, and its exceptions. `expected` matches console messages to ignore,
 * such as those of the browser about intended refusals.
 */
export function collectPageErrors(page: Page, expected?: RegExp): string[] {
  const pageErrors: string[] = []
  page.on('console', (message) => {
    const isPageError = message.type() === 'error' || message.type() === 'warning'
    if (isPageError && !isBusyCookie(message) && !expected?.test(message.text())) pageErrors.push(message.text())
  })
  page.on('pageerror', (error) => pageErrors.push(String(error)))
  return pageErrors
}

/** Asserts that axe finds no violation of WCAG 2.1 A and AA or of its best practices. */
export const expectAccessible = (page: Page): Promise<void> => expectNoFindings(page)

/** Asserts that axe finds no violation related to colors, which are all that a theme changes. */
export const expectReadable = (page: Page): Promise<void> =>
  expectNoFindings(page, ['color-contrast', 'link-in-text-block'])

interface Finding {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string }[]
}

// Minified, since every page loads it again; the default file is over twice as long.
const axeCore = fs.readFileSync(new URL('../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

// Axe is loaded once per page and returns only violations. Its own builder for Playwright takes three times as long and
// also searches frames, which these pages do not have.
const isLoaded = `typeof axe === 'object'`

async function expectNoFindings(page: Page, rules?: readonly string[]): Promise<void> {
  // Elements that are fading in or out have too little contrast.
  await waitUntilStill(page)
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

/**
 * Asserts that the page in its current state is accessible, no wider than the window, and readable in the other theme.
 */
export async function expectSoundState(page: Page, label = ''): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  await settle(page)
  await expectAccessible(page)
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  expect(overflow, label).toBeLessThanOrEqual(0)
  await page.emulateMedia({ colorScheme: 'dark' })
  await settle(page)
  await expectReadable(page)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Asserts that the page is accessible, readable and no wider than the window at every width, in both themes. */
export async function expectSoundPage(page: Page): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await expectSoundState(page, `${String(width)} px`)
  }
}

/** Window of a phone, in which a flow's main button is visible without scrolling. */
export const phone = { width: 390, height: 844 }

/** Asserts that the button is fully in view and uncovered without scrolling. */
export async function expectReachable(page: Page, button: Locator): Promise<void> {
  await expect(button).toBeInViewport({ ratio: 1 })
  await button.click({ trial: true })
  expect(await page.evaluate<number>('scrollY')).toBe(0)
}
