import { expect, type Page, test } from '@playwright/test'
import { demoAccounts } from '../../packages/server/src/commands/demo/demo-accounts.ts'
import { enroll, fund } from '@tern/testkit/people'
import { waitUntilStill, signInThroughApi, clearSession, delayScript, productUrl, settle } from '../pages.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

const primaryLinks = (page: Page) => page.locator('main .button-primary')

test('before the first transfer the dashboard leads from one step to the next', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  const newUser = await enroll(productUrl(), 'nova', null)
  await signInThroughApi(page, newUser)
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { name: 'Three steps to your first transfer' })).toBeVisible()
  const current = page.locator('[aria-current="step"]')
  await expect(current).toContainText('Verify your identity')
  await expect(primaryLinks(page)).toHaveText(['Verify'])
  await expect(page.getByText('After verification')).toHaveCount(3)
  await expect(page.getByText('No recent transactions')).toBeVisible()
  // Example of sending 200 dollars abroad, at the server's price. Without a transfer there are no savings and no chart.
  await expect(page.getByText('$202.00')).toBeVisible()
  await expect(page.getByText('$20.96')).toHaveCount(0)
  await expect(page.getByText('Saved compared with a bank')).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Balance over time' })).toHaveCount(0)
  const card = page.locator('.home-panel')
  await expect(card.getByRole('link', { name: 'Receive' })).toHaveCount(0)
  await expect(card.getByRole('link', { name: 'Send' })).toHaveCount(0)
  await settle(page)
  await expectAccessible(page)
  await primaryLinks(page).click()
  await expect(page).toHaveURL('/register')

  const verified = await enroll(productUrl(), 'vera', 'United States')
  await clearSession(page)
  await signInThroughApi(page, verified)
  await page.goto('/dashboard')
  await expect(current).toContainText('Add money')
  await expect(primaryLinks(page)).toHaveText(['Add money'])
  await expect(primaryLinks(page)).toHaveAttribute('href', '/deposit')
  await expect(card.getByRole('link', { name: 'Send' })).toHaveAttribute('href', '/send')
  await expect(card.getByRole('link', { name: 'Receive' })).toHaveAttribute('href', '/receive')

  await fund(verified, 10_000)
  await page.reload()
  await expect(current).toContainText('Send')
  await expect(primaryLinks(page)).toHaveText(['Send'])
  await expect(page.getByText('Added by card')).toBeVisible()
  await expect(page.getByText(/\$100\.00 more than 30 days ago: received \+\$100\.00 in, nothing out\./)).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('on a phone the dashboard is as low as designed, and shows one total of fees', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await signInThroughApi(page, demoAccounts[0])
  await page.goto('/dashboard')
  await expect(page.locator('.month-ends')).toBeVisible()
  await settle(page)
  expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThanOrEqual(1560)
  const { height: mapHeight } = (await page.locator('.home-panel-map').boundingBox()) ?? {}
  expect(mapHeight).toBe(80)
  for (const action of await page.locator('.home-actions a').all()) {
    expect((await action.boundingBox())?.height).toBe(52)
  }
  for (const action of await page.locator('.quick-actions a').all()) {
    const { width = 0, height = 0 } = (await action.boundingBox()) ?? {}
    expect(height).toBeGreaterThanOrEqual(72)
    expect(width).toBeLessThan(180)
  }
  const fees = page.locator('.month-facts > div').filter({ hasText: 'Including fees' }).locator('dd')
  await expect(page.locator('.month-ends > span').first()).toHaveText(`Tern ${await fees.innerText()}`)
  const source = page.getByText(/^11\.48% of the/)
  await expect(source).toBeHidden()
  await page.getByRole('button', { name: 'How this is calculated' }).click()
  await expect(source).toBeVisible()
  await expect(page.locator('.home-activity')).not.toContainText('Completed')
  await expectAccessible(page)
  expect(pageErrors).toEqual([])
})

test('the chart is read day by day, by pointer and by keyboard', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, demoAccounts[1])
  await page.goto('/dashboard')
  const slider = page.getByRole('slider', { name: 'Day' })
  await expect(slider).toHaveAttribute('aria-valuetext', /^Today, €[\d,]+\.\d\d$/)
  const reading = page.locator('.crosshair-reading')
  await expect(reading).toBeHidden()
  await slider.focus()
  await page.keyboard.press('ArrowLeft')
  const findDay = (daysAgo: number) =>
    new Date(Date.now() - daysAgo * 86_400_000).toLocaleDateString('en-US', { month: 'short', day: 'numeric' })
  await expect(slider).toHaveAttribute('aria-valuetext', new RegExp(`^${findDay(1)}, €`))
  await expect(reading).toBeVisible()
  await expect(reading).toContainText(findDay(1))
  await page.keyboard.press('Home')
  await expect(slider).toHaveAttribute('aria-valuetext', new RegExp(`^${findDay(30)}, €`))
  await waitUntilStill(page)
  await expectAccessible(page)
  await page.keyboard.press('Tab')
  await expect(reading).toBeHidden()

  const plot = await slider.boundingBox()
  if (!plot) throw new Error('the chart is not shown')
  await page.mouse.move(plot.x + plot.width / 2, plot.y + plot.height / 2)
  await expect(reading).toContainText(findDay(15))
  await page.mouse.move(plot.x - 60, plot.y - 120)
  await expect(reading).toBeHidden()
  await page.getByRole('button', { name: '1 y' }).click()
  await expect(slider).toHaveAttribute('max', '365')
  expect(pageErrors).toEqual([])
})

test('the map names the own city and others’ countries, and shows the last view before any script', async ({
  page,
}) => {
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, demoAccounts[1])
  await page.goto('/dashboard')
  const labels = page.locator('.globe-routes .map-label')
  await expect(labels.filter({ hasText: 'Lyon' })).toBeVisible()
  await expect(labels.filter({ hasText: /^[A-Z]{3}$/ })).toHaveCount(0)
  const shownMap = await page.locator('.globe').getAttribute('data-map')
  const releaseScript = await delayScript(page)
  await page.goto('/dashboard', { waitUntil: 'commit' })
  await expect(page.locator('html')).toHaveAttribute('data-map', String(shownMap))
  const picture = `getComputedStyle(document.querySelector('.globe')).backgroundImage`
  await expect.poll(() => page.evaluate<string>(picture)).toContain(`/assets/${shownMap}-`)
  releaseScript()
  await expect(labels.filter({ hasText: 'Lyon' })).toBeVisible()
  expect(pageErrors).toEqual([])
})

const names = {
  long: 'Wolfeschlegelsteinhausenbergerdorff-Vanderbilt-Montgomery III',
  unbroken: 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewis',
  rightToLeft: 'عبد الرحمن بن عبد العزيز آل سعود الهاشمي القرشي المكي الحجازي',
  chinese: '欧阳司马上官诸葛慕容轩辕皇甫尉迟公孙令狐宇文长孙夏侯独孤南宫',
} as const

for (const [caseName, name] of Object.entries(names)) {
  test(`a ${caseName} name never makes the dashboard, wallet or profile wider than a phone`, async ({ page }) => {
    const person = await enroll(productUrl(), 'max', 'United States')
    await signInThroughApi(page, person)
    await page.route('**/api/user/user*', async (route) => {
      const response = await route.fetch()
      const user = (await response.json()) as Record<string, unknown>
      const renamedUser = { ...user, username: name.replaceAll(' ', '.'), name, profile: { first_name: name } }
      await route.fulfill({ response, json: renamedUser })
    })
    const menuButton = page.getByRole('button', { name: /^Account menu/ })
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 800 })
      for (const path of ['/dashboard', '/wallet', '/profile', '/nothing/here']) {
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        // The menu appears once the server has returned the user.
        await expect(menuButton).toBeVisible()
        await waitUntilStill(page)
        const overflowWidth = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect(overflowWidth, `${path} at ${width}`).toBeLessThanOrEqual(0)
      }
      await menuButton.click()
      const menu = page.getByRole('navigation', { name: 'Account' })
      const box = await menu.boundingBox()
      expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true)
    }
    await page.unrouteAll({ behavior: 'wait' })
  })
}
