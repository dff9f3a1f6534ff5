import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'
import { becomeStill } from './pages.ts'

/**
 * Collects everything a page complains about: console errors, thrown errors, and reports of its security policy. The
 * browser itself writes a line for each answer that is a refusal: those that a journey means to get are `expected`.
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

/** No finding of axe (WCAG 2.2 A and AA, and its best practices) on the page as it stands. */
export async function expectAccessible(page: Page): Promise<void> {
  // What is half faded in has half its contrast.
  await becomeStill(page)
  // In the page itself instead of in a second one opened for the results: none of our pages has frames.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
    .analyze()
  const findings = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.html).join(' | ')})`,
  )
  expect(findings).toEqual([])
}
