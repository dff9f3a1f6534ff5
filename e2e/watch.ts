import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { becomeStill } from './pages.ts'

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
export const expectAccessible = (page: Page): Promise<void> => expectNoFindings(page, axe(page))

/** Asserts that axe finds nothing in the colors of a page, which are all that a theme changes. */
export const expectReadable = (page: Page): Promise<void> =>
  expectNoFindings(page, axe(page).withRules(['color-contrast', 'link-in-text-block']))

// Legacy mode opens no second page for the results. Our pages have no frames, which it would not check.
const axe = (page: Page): AxeBuilder =>
  new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] })

async function expectNoFindings(page: Page, builder: AxeBuilder): Promise<void> {
  // Half faded in means half the contrast.
  await becomeStill(page)
  const { violations } = await builder.analyze()
  const findings = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.html).join(' | ')})`,
  )
  expect(findings).toEqual([])
}
