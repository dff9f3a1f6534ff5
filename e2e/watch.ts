import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

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

/** Half faded in means half the contrast. */
const moves = `document.querySelector('[data-starting-style], [data-ending-style]') !== null
  || document.getAnimations().some(({ playState }) => playState === 'running')`

/** Asserts that axe (WCAG 2.2 A and AA, and best practices) finds nothing. */
export async function expectAccessible(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate<boolean>(moves), { message: 'nothing moves any more' }).toBe(false)
  const { violations } = await new AxeBuilder({ page }).analyze()
  const findings = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.html).join(' | ')})`,
  )
  expect(findings).toEqual([])
}
