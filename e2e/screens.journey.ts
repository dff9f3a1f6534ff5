import { expect, type Page, test } from '@playwright/test'
import { demoAccounts } from '../packages/server/src/commands/demo/demo-accounts.ts'
import { expectNoOverflow } from './page-texts.ts'
import { memberPages, settle, widths } from './pages.ts'
import { checkAllPages } from './check-all-pages.ts'
import { expectAccessible, expectReadable, collectPageErrors } from './page-checks.ts'

test.use({ contextOptions: { reducedMotion: 'no-preference' } })

// Each width loads the pages in one theme only and then switches to the other, since a theme changes only colors.
for (const [theme, otherTheme, width] of [
  ['light', 'dark', widths[0]],
  ['dark', 'light', widths[2]],
] as const) {
  test(`every page is accessible, fits and has no errors in both themes, ${String(width)} px`, async ({ browser }) => {
    const pageErrors: string[][] = []
    const openPage = async () => {
      const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } })
      const page = await context.newPage()
      pageErrors.push(collectPageErrors(page, /status of 404/))
      return page
    }
    const checkPage = async (page: Page, description: string) => {
      await page.emulateMedia({ colorScheme: theme })
      await settle(page)
      await expectNoOverflow(page, description)
      await test.step(description, () => expectAccessible(page))
      await page.emulateMedia({ colorScheme: otherTheme })
      await settle(page)
      await test.step(`${description} in the other theme`, () => expectReadable(page))
    }
    await checkAllPages(openPage, checkPage, width === widths[0] ? expectNoOverflow : undefined)
    expect(pageErrors.flat()).toEqual([])
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
