import { expect, test } from '@playwright/test'
import { demoAccounts } from '../packages/server/src/commands/demo/demo-accounts.ts'
import { expectAccessible, watch } from './watch.ts'
import { memberPages, settle, signIn, visitorPages, widths } from './pages.ts'

// Each width loads its pages in a different theme and checks both themes.
for (const [theme, other, width] of [
  ['light', 'dark', widths[0]],
  ['dark', 'light', widths[2]],
] as const) {
  test(`every page is accessible and without errors in both themes, ${String(width)} px`, async ({ browser }) => {
    test.setTimeout(300_000)
    const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } })
    const page = await context.newPage()
    const complaints = watch(page)
    const lookAt = async (path: string) => {
      await page.emulateMedia({ colorScheme: theme })
      await page.goto(path)
      await settle(page)
      await test.step(path, () => expectAccessible(page))
      await page.emulateMedia({ colorScheme: other })
      await settle(page)
      await test.step(`${path} in the other theme`, () => expectAccessible(page))
    }
    for (const path of visitorPages) await lookAt(path)
    await signIn(page, demoAccounts[0])
    for (const path of memberPages) {
      await lookAt(path)
      const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect.soft(wider, `${path} is no wider than the window`).toBeLessThanOrEqual(0)
    }
    expect(complaints).toEqual([])
  })
}

test('visitors are led to the login and back', async ({ page }) => {
  for (const path of memberPages) {
    await page.goto(path)
    await expect(page).toHaveURL(`/login?from=${encodeURIComponent(path)}`)
  }
  await page.goto('/transactions?search=rent')
  await page.getByLabel('Email address *').fill(demoAccounts[0].email)
  await page.getByRole('button', { name: 'Continue with Email' }).click()
  await page.getByLabel('Password', { exact: true }).fill(demoAccounts[0].password)
  await page.getByRole('button', { name: 'Log In' }).click()
  await expect(page).toHaveURL('/transactions?search=rent')
})

test('an unknown address shows a not-found page', async ({ page }) => {
  const response = await page.goto('/no-such-page')
  expect(response?.status()).toBe(404)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expectAccessible(page)
})
