import { pages } from '@tern/contract/pages'
import { expect, type Page, test } from '@playwright/test'
import { demoAccounts } from '../../packages/server/src/commands/demo/demo-accounts.ts'
import { waitUntilStill, signInThroughApi, settle } from '../pages.ts'
import { expectNoOverflow } from '../page-texts.ts'
import { expectSoundState, collectPageErrors } from '../page-checks.ts'

test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const innerPages = [pages.howItWorks, pages.security, pages.help, pages.terms, pages.privacy, pages.compliance].map(
  ({ path }) => path,
)
/** Widths of a small phone and a tablet; screens.journey.ts covers phone and desktop. */
const testedWidths = [320, 768] as const

for (const width of testedWidths) {
  test(`inner public pages and the demo fit and are accessible in both themes, ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 })
    const pageErrors = collectPageErrors(page)
    const checkLayout = async (path: string) => {
      await page.goto(path)
      await test.step(path, () => expectSoundState(page))
      await expectNoOverflow(page, path)
    }
    for (const path of innerPages) await checkLayout(path)
    await signInThroughApi(page, demoAccounts[0])
    await checkLayout(pages.demo.path)
    expect(pageErrors).toEqual([])
  })
}

/** Returns the distinct addresses of the links on a page. */
const listLinks = (page: Page) =>
  page.evaluate<string[]>(`[...new Set([...document.links].map((link) => link.getAttribute('href')))]`)

test('every link of the inner public pages leads somewhere, down to the part it names', async ({ page }) => {
  const checkedPaths = new Set<string>()
  for (const path of innerPages) {
    await page.goto(path)
    for (const link of await listLinks(page))
      checkedPaths.add(new URL(link, new URL(path, 'https://tern.example')).href)
  }
  // These include links of the pages themselves, of their frame, and of the proofs of claims.
  for (const path of ['/', '/login', '/settings', '/demo', '/signup', ...innerPages])
    expect([...checkedPaths].some((link) => new URL(link).pathname === path)).toBe(true)
  await signInThroughApi(page, demoAccounts[0])
  for (const link of checkedPaths) {
    const { pathname, hash } = new URL(link)
    // Served only if a security contact is configured.
    if (pathname === '/.well-known/security.txt' || !link.startsWith('http')) continue
    const pageResponse = await page.goto(pathname)
    expect(pageResponse?.status(), pathname).toBe(200)
    if (hash !== '' && hash !== '#top') await expect(page.locator(hash), link).toHaveCount(1)
  }
})

test('without script the legal pages are complete, and the others do not wait', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  for (const path of innerPages) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText('Support: help@tern.example')).toBeVisible()
  }
  await page.getByRole('link', { name: 'Terms', exact: true }).first().click()
  await expect(page).toHaveURL(pages.terms.path)
  await expect(page.getByRole('heading', { name: 'Terms of Service' })).toBeVisible()
  await expect(page.locator('script[src]')).toHaveCount(0)
  await context.close()
})

test('a visitor reaches each page from the header, which then marks it as current', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/')
  for (const name of ['How It Works', 'Security']) {
    const menu = page.getByRole('navigation', { name: 'Main' })
    await menu.getByRole('link', { name }).click()
    await expect(menu.getByRole('link', { name })).toHaveAttribute('aria-current', 'page')
  }
  await page.getByRole('link', { name: 'KYC & AML' }).click()
  await expect(page).toHaveURL('/security#identity')
  await expect(page.getByRole('heading', { name: 'KYC & Anti-Money Laundering' })).toBeInViewport()
  await expect(page.getByText('your limits in Settings')).toBeVisible()
})

test('the cards of the demo can be tried by hand and keyboard', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, demoAccounts[0])
  await page.goto(pages.demo.path)
  await settle(page)
  const secure = page.getByRole('region', { name: 'Secure Payments' })
  await expect(secure.getByRole('status')).toHaveText('Refused. You confirmed $404.00, not $9,090.00.')
  await secure.getByRole('button', { name: '$404.00' }).click()
  await expect(secure.getByRole('status')).toHaveText('Accepted. It is the $404.00 you confirmed.')

  const instant = page.getByRole('region', { name: 'Instant Transfers' })
  await instant.getByRole('button', { name: 'Play again' }).press('Enter')
  await expect(instant.getByRole('status')).toHaveText('On the way.')
  await expect(instant.getByRole('status')).toHaveText('Arrived.')

  const currencies = page.getByRole('region', { name: 'Multi-Currency' })
  const findRow = (code: string) => currencies.getByRole('listitem').filter({ hasText: code })
  await expect(findRow('USD')).toHaveText('USD$1,000.00')
  await currencies.getByLabel('Your balance in euros').fill('93')
  await expect(findRow('USD')).toHaveText('USD$100.00')
  await expect(findRow('JPY')).toHaveText('JPY¥14,925')

  const banking = page.getByRole('region', { name: 'Smart Banking' })
  const summary = 'and it arrives between Monday and Wednesday.'
  await expect(banking.getByRole('status')).toHaveText(`Withdraw on Friday, ${summary}`)
  await banking.getByRole('button', { name: 'Sat' }).click()
  await expect(banking.getByRole('status')).toContainText('Withdraw on Saturday, and it arrives between Tuesday')
  await waitUntilStill(page)
  expect(pageErrors).toEqual([])
})
