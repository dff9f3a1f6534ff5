import { expect, type Page, test } from '@playwright/test'
import { settle } from '../pages.ts'

const viewports = [
  [320, 640],
  [390, 844],
  [768, 1024],
  [1024, 768],
  [1180, 820],
  [1280, 900],
  [1366, 1024],
  [1440, 900],
  [1440, 1100],
  [1920, 1080],
] as const

/** Script that returns the points of a grid at which the map would receive clicks. */
const mapAtPointsScript = `(() => {
  const map = document.querySelector('.auth-map')
  const found = []
  for (let x = 4; x < innerWidth; x += 24)
    for (let y = 4; y < innerHeight; y += 24) if (map.contains(document.elementFromPoint(x, y))) found.push([x, y])
  return found
})()`

async function expectMapBehindForm(page: Page, width: number): Promise<void> {
  expect(await page.evaluate(mapAtPointsScript), 'the map takes no click').toEqual([])
  if (width < 900) return
  const mapBox = await page.locator('.auth-map').boundingBox()
  expect((mapBox?.x ?? 0) + (mapBox?.width ?? 0)).toBeLessThanOrEqual(width / 2 + 1)
}

for (const [width, height] of viewports) {
  test(`every control of Login is clicked at ${width} x ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto('/login')
    await settle(page)
    await expectMapBehindForm(page, width)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(await page.evaluate("getComputedStyle(document.querySelector('.auth')).colorScheme")).toBe('dark')

    const email = page.getByLabel('Email address *')
    await email.click()
    await expect(email).toBeFocused()
    await page.getByRole('button', { name: 'Continue with Email' }).click()
    await expect(page.getByText('Please enter a valid email address')).toBeVisible()
    await email.fill('somebody@tern.example')
    const popup = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Sign in with Google' }).click()
    await (await popup).close()

    await page.reload()
    await settle(page)
    await email.fill('somebody@tern.example')
    await page.getByRole('button', { name: 'Continue with Email' }).click()
    const password = page.getByLabel('Password', { exact: true })
    await password.click()
    await page.getByRole('button', { name: 'Show password' }).click()
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await expect(page.getByText('Password is required')).toBeVisible()
    await expectMapBehindForm(page, width)
    await page.getByRole('button', { name: 'Use another email' }).click()
    await page.getByRole('link', { name: 'Sign Up' }).click()
    await expect(page).toHaveURL(/\/signup$/)
    await settle(page)
    await expectMapBehindForm(page, width)
    await page.getByRole('link', { name: 'Log in' }).click()
    await expect(page).toHaveURL(/\/login$/)
    await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible()
    for (const [name, path] of [
      ['Terms of Service', '/terms'],
      ['Privacy Policy', '/privacy'],
    ] as const) {
      await page.getByRole('link', { name }).click({ trial: true })
      await expect(page.getByRole('link', { name })).toHaveAttribute('href', path)
    }
  })
}

test('the map is behind the form on every page around logging in', async ({ page }) => {
  for (const path of ['/signup', '/reset-password', '/login-link', '/verify-email', '/not-me']) {
    for (const [width, height] of [
      [1024, 768],
      [1440, 1100],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.goto(path)
      await settle(page)
      await expectMapBehindForm(page, width)
    }
  }
})
