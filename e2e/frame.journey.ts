import { expect, type Locator, type Page, test } from '@playwright/test'
import { pages } from '@tern/contract/pages'
import { demoAccounts } from '../packages/server/src/commands/demo/demo-accounts.ts'
import { signInThroughApi, delayScript, productUrl, settle, signIn, widths } from './pages.ts'
import { expectAccessible, collectPageErrors } from './page-checks.ts'

test.use({ contextOptions: { reducedMotion: 'no-preference' } })

/** Rows of More about money. */
const moneyRows = [
  'Wallet',
  'Transactions',
  'Statements',
  'Insights',
  'Atlas',
  'Add money',
  'Withdraw',
  'Scheduled',
  'Split a bill',
]

/** Locates the More sheet, its button, and the tab bar. */
function locateMoreSheet(page: Page) {
  const mainBar = page.getByRole('navigation', { name: 'Main' })
  return {
    mainBar,
    button: mainBar.getByRole('button', { name: 'More' }),
    sheet: page.getByRole('dialog', { name: 'More' }),
  }
}

test('on a phone More opens above the tab bar, by touch and keyboard, and returns the focus', async ({ page }) => {
  await page.setViewportSize({ width: widths[0], height: 844 })
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, demoAccounts[0])
  await page.goto('/dashboard')
  const { mainBar, button, sheet } = locateMoreSheet(page)
  await expect(mainBar.locator('a, button')).toHaveText(['Home', 'Send', 'Receive', 'Exchange', 'More'])
  for (const cell of await mainBar.locator('a, button').all()) {
    expect(await cell.boundingBox()).toMatchObject({ width: 78, height: 64 })
  }
  await expect(mainBar.getByRole('link', { name: 'Home' })).toHaveAttribute('aria-current', 'page')

  await button.focus()
  await page.keyboard.press('Enter')
  const heading = sheet.getByRole('heading', { name: 'More' })
  await expect(heading).toBeFocused()
  await expect(button).toHaveAttribute('aria-expanded', 'true')
  const money = sheet.locator('ul').first()
  const account = sheet.locator('ul').last()
  await expect(money.locator('li')).toHaveText(moneyRows)
  await expect(account.locator('li')).toHaveText(['Profile', 'Settings', 'Help', 'Logout'])
  await settle(page)
  await expectAccessible(page)
  // The page behind the sheet is inert: after the last row, focus moves to the tab bar.
  await sheet.getByRole('button', { name: 'Logout' }).focus()
  await page.keyboard.press('Tab')
  await expect(mainBar.getByRole('link', { name: 'Home' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await expect(button).toBeFocused()

  // A second press, a press on the scrim, and the close button each close the sheet and return the focus.
  const closeActions = [
    () => button.click(),
    () => page.mouse.click(195, 20),
    () => sheet.getByRole('button', { name: 'Close' }).click(),
  ]
  for (const close of closeActions) {
    await button.click()
    await expect(heading).toBeFocused()
    await close()
    await expect(sheet).toBeHidden()
    await expect(button).toBeFocused()
  }

  await button.click()
  await sheet.getByRole('link', { name: 'Wallet' }).click()
  await expect(page).toHaveURL('/wallet')
  await expect(sheet).toBeHidden()
  await expect(button).toHaveAttribute('aria-current', 'true')
  await button.click()
  await expect(heading).toBeFocused()
  await page.goBack()
  await expect(page).toHaveURL('/dashboard')
  await expect(sheet).toBeHidden()
  await expect(button).not.toHaveAttribute('aria-current')

  // A window wide enough for the side navigation closes the sheet, and the page is interactive again.
  await button.click()
  await expect(heading).toBeFocused()
  await page.setViewportSize({ width: 1024, height: 768 })
  await expect(sheet).toBeHidden()
  await page.locator('main').getByRole('link', { name: 'Add Funds' }).click()
  await expect(page).toHaveURL('/deposit')
  expect(pageErrors).toEqual([])
})

test('on a phone two presses lead from the dashboard to every page of the navigation', async ({ page }) => {
  await page.setViewportSize({ width: widths[0], height: 844 })
  await signInThroughApi(page, demoAccounts[0])
  const { mainBar, button, sheet } = locateMoreSheet(page)
  const visitedPaths = ['/dashboard']
  const checkLinks = async (first: Locator, second?: Locator) => {
    await page.goto('/dashboard')
    if (second) await first.click()
    // Reads the address before the press, since pages with an action bar hide the tab bar.
    const lastLink = second ?? first
    const address = await lastLink.getAttribute('href')
    await lastLink.click()
    await expect(page).toHaveURL(String(address))
    visitedPaths.push(new URL(page.url()).pathname)
  }
  const cell = (name: string) => mainBar.getByRole('link', { name })
  for (const name of ['Send', 'Receive', 'Exchange']) await checkLinks(cell(name))
  for (const name of moneyRows) await checkLinks(button, sheet.getByRole('link', { name }))
  for (const name of ['Profile', 'Settings', 'Help']) await checkLinks(button, sheet.getByRole('link', { name }))
  const tabs = page.getByRole('navigation', { name: 'Wallet' })
  for (const name of ['Orders', 'Protection rules'])
    await checkLinks(cell('Exchange'), tabs.getByRole('link', { name }))
  const declarations = Object.values(pages)
    .filter((declaration) => 'icon' in declaration || 'tabOf' in declaration)
    .map(({ path }): string => path)
  expect(visitedPaths.toSorted()).toEqual(declarations.toSorted())
})

test('on wide screens five items lead to pages, and tabs to those beside them', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, demoAccounts[0])
  await page.goto('/dashboard')
  await settle(page)
  const main = page.getByRole('navigation', { name: 'Main' })
  await expect(main.getByRole('link')).toHaveText(['Dashboard', 'Wallet', 'Send', 'Receive', 'Transactions'])
  await expect(page.getByRole('navigation', { name: 'Account' }).getByRole('link')).toHaveText([
    'Profile',
    'Settings',
    'Help',
  ])
  await expect(page.getByRole('button', { name: 'Logout' })).toHaveCount(1)
  for (const [item, tabs] of [
    ['Wallet', ['Wallet', 'Exchange', 'Orders', 'Protection rules', 'Add money', 'Withdraw']],
    ['Send', ['Send', 'Scheduled']],
    ['Receive', ['Receive', 'Split a bill']],
    ['Transactions', ['Transactions', 'Statements', 'Insights', 'Atlas']],
  ] as const) {
    await main.getByRole('link', { name: item }).click()
    const row = page.getByRole('navigation', { name: item })
    await expect(row.getByRole('link')).toHaveText([...tabs])
    for (const name of tabs) {
      const tab = row.getByRole('link', { name, exact: true })
      await tab.click()
      await expect(tab).toHaveAttribute('aria-current', 'page')
      await expect(tab).toBeFocused()
      await expect(main.locator('[aria-current]')).toHaveText([item])
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1)
    }
  }
  expect(pageErrors).toEqual([])
})

test('prerendered navigation stays in place until its script has loaded, also once the login is known', async ({
  page,
}) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  for (const name of ['SectionTabs', 'SideNavigation']) {
    await page.route(`**/assets/${name}-*.js`, async (route) => {
      await released
      await route.continue()
    })
  }
  await signInThroughApi(page, demoAccounts[0])
  await page.goto('/wallet')
  await expect(page.getByRole('button', { name: /^Notifications/ })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Holdings' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Wallet' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
  release()
  await page.getByRole('navigation', { name: 'Wallet' }).getByRole('link', { name: 'Exchange' }).click()
  await expect(page).toHaveURL('/exchange')
})

test('on a phone there is at most one bar at the foot, and none over a field beside the keyboard', async ({ page }) => {
  await page.setViewportSize({ width: widths[0], height: 844 })
  await signInThroughApi(page, demoAccounts[0])
  await page.goto('/transactions')
  const { mainBar } = locateMoreSheet(page)
  await expect(mainBar).toBeVisible()
  const bottomPadding = await page.evaluate<number>(
    'parseFloat(getComputedStyle(document.querySelector("#main")).paddingBottom)',
  )
  expect(bottomPadding).toBeGreaterThanOrEqual(65)
  // A phone's keyboard covers 330 px of the window.
  await page.setViewportSize({ width: widths[0], height: 514 })
  await expect(mainBar).toBeVisible()
  await page.getByRole('searchbox').or(page.locator('main input')).first().focus()
  await expect(mainBar).toBeHidden()
  await page.keyboard.press('Tab')
  await page.evaluate('document.activeElement.blur()')
  await expect(mainBar).toBeVisible()

  // A page with an action bar has no tab bar.
  await page.evaluate(`{
    const bar = document.createElement('div')
    bar.className = 'action-bar'
    document.querySelector('#main').append(bar)
  }`)
  await expect(mainBar).toBeHidden()
})

test('on a phone the account menu opens from the avatar, by touch and keyboard, and logs out', async ({ page }) => {
  await page.setViewportSize({ width: widths[0], height: 844 })
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, demoAccounts[0])
  await page.goto('/dashboard')
  const accountButton = page.getByRole('button', { name: 'Account menu, ines.okafor' })
  const menu = page.locator('#account-menu')
  await expect(menu).toBeHidden()
  await accountButton.focus()
  await page.keyboard.press('Enter')
  await expect(menu).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(menu.getByRole('link', { name: 'Profile' })).toBeFocused()
  await settle(page)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(accountButton).toBeFocused()

  await accountButton.click()
  for (const item of await menu.locator('a, button').all()) {
    expect((await item.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  expect((await accountButton.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  await menu.getByRole('link', { name: 'Settings' }).click()
  await expect(page).toHaveURL('/settings')
  await expect(menu).toBeHidden()
  // Pending requests of the page would be refused after logout.
  await settle(page)
  await accountButton.click()
  await menu.getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
  expect(pageErrors).toEqual([])
})

test('the tabs of the settings are pages of their own, and old addresses lead to them', async ({ page }) => {
  await page.setViewportSize({ width: widths[0], height: 844 })
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, demoAccounts[0])
  await page.goto('/settings')
  const tabs = page.getByRole('navigation', { name: 'Settings' })
  await expect(tabs.getByRole('link', { name: 'Security' })).toHaveAttribute('aria-current', 'page')
  for (const name of ['Limits', 'Devices', 'Privacy', 'Notifications', 'Connections']) {
    const tab = tabs.getByRole('link', { name })
    await tab.click()
    await expect(page).toHaveTitle(`${name} · Tern`)
    await expect(page).toHaveURL(`/settings/${name.toLowerCase()}`)
    await expect(tab).toHaveAttribute('aria-current', 'page')
    await expect(tab).toBeFocused()
    await expect(tab).toBeInViewport({ ratio: 1 })
    expect((await tab.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await expect(tabs.locator('[aria-current]')).toHaveCount(1)
  }
  const { button, sheet } = locateMoreSheet(page)
  await button.click()
  await expect(sheet.getByRole('link', { name: 'Settings' })).toHaveAttribute('aria-current', 'page')

  for (const [from, to, part] of [
    ['#limits', '/limits', 'What can leave your wallet'],
    ['#devices', '/devices', 'Devices'],
    ['#privacy', '/privacy', 'Everything we hold about you'],
    ['#who-looked', '/privacy#who-looked', 'Who looked'],
    ['#freeze', '#freeze', 'When something is wrong'],
    ['?linkStatus=canceled', '/connections', 'Bank accounts'],
  ] as const) {
    await page.goto(pages.demo.path)
    await page.goto(`/settings${from}`)
    await expect(page).toHaveURL(`/settings${to}`)
    await expect(page.getByRole('heading', { level: 2, name: part })).toBeInViewport()
  }
  await expect(page.getByText('Bank account linking was canceled.')).toBeVisible()

  // The section above the linked one loads last, which moves the linked one down.
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/user/privacy', async (route) => {
    await released
    await route.continue()
  })
  await page.goto('/settings/privacy#who-looked')
  const part = page.getByRole('heading', { level: 2, name: 'Who looked' })
  await expect(part).toBeInViewport()
  await page.evaluate('scrollTo(0, 0)')
  release()
  await expect(page.getByRole('button', { name: 'Download all' })).toBeVisible()
  await expect(part).toBeInViewport()
  await page.mouse.wheel(0, -2000)
  await expect(part).not.toBeInViewport()
  expect(pageErrors).toEqual([])
})

test('the skip link shows above the top bar when it is focused, and leads to the page', async ({ page }) => {
  await signInThroughApi(page, demoAccounts[0])
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { name: /Welcome back, / })).toBeVisible()
  await page.keyboard.press('Tab')
  const link = page.getByRole('link', { name: 'Skip to content' })
  await expect(link).toBeFocused()
  const box = await link.boundingBox()
  if (!box) throw new Error('the link is not shown')
  const topElementText = `document.elementFromPoint(${box.x + box.width / 2}, ${box.y + box.height / 2})?.textContent`
  expect(await page.evaluate<string>(topElementText)).toBe('Skip to content')
  await page.keyboard.press('Enter')
  await expect(page.locator('#main')).toBeFocused()
})

test('an address without a page keeps the frame for members, and stands alone for visitors', async ({ page }) => {
  await page.goto('/nothing/here')
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Go to the start page' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' })).toHaveCount(0)

  await signIn(page, demoAccounts[0])
  const reply = await page.goto('/nothing/here')
  expect(reply?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Wallet' })).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.locator('main').getByRole('link', { name: 'Go to the dashboard' }).click()
  await expect(page).toHaveURL('/dashboard')
  await page.goto('/nothing/here')
  await page.getByRole('banner').getByRole('button', { name: 'Logout' }).click()
  await expect(page).toHaveURL('/login')
})

test('signed-in users are redirected from /login and /signup; users of an ended session are not', async ({ page }) => {
  await signIn(page, demoAccounts[0])
  for (const path of ['/login', '/signup']) {
    await page.goto(path)
    await expect(page).toHaveURL('/dashboard')
  }
  await page.goto('/login?from=%2Ftransactions%3Ftype%3DSEND')
  await expect(page).toHaveURL('/transactions?type=SEND')

  // The server has ended the session; the device has not noticed yet.
  await page.request.post('/api/user/logout', { headers: { origin: productUrl() } })
  await page.goto('/login?from=%2Fwallet')
  await expect(page.getByRole('button', { name: 'Continue with Email' })).toBeVisible()
  await expect.poll(() => page.evaluate<string | null>(`localStorage.getItem('current_user')`)).toBeNull()
  await expect(page).toHaveURL('/login?from=%2Fwallet')
})

test("presses before a page's script has loaded take effect when it does", async ({ page }) => {
  await page.setViewportSize({ width: widths[0], height: 844 })
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, demoAccounts[0])
  const releaseScript = await delayScript(page)
  await page.goto('/dashboard', { waitUntil: 'commit' })
  const { button, sheet } = locateMoreSheet(page)
  await button.click()
  await expect(sheet).toBeHidden()
  releaseScript()
  await expect(sheet).toBeVisible()

  // The address changes before the page does; More, opened in between, stays open.
  await sheet.getByRole('link', { name: 'Wallet' }).click()
  await expect(page).toHaveURL('/wallet')
  await button.click()
  await expect(page.getByRole('heading', { name: 'My Wallet', includeHidden: true })).toBeVisible()
  await expect(sheet).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL('/dashboard')
  await expect(sheet).toBeHidden()
  expect(pageErrors).toEqual([])
})

test('a page changed by a translator before the script loaded is rendered again', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  const openWithChange = async (path: string, builtText: string, changedText: string) => {
    await page.route(`**${path}`, async (route) => {
      const response = await route.fetch()
      const body = await response.text()
      expect(body).toContain(`>${builtText}<`)
      await route.fulfill({ response, body: body.replaceAll(`>${builtText}<`, `>${changedText}<`) })
    })
    await page.goto(path)
    await expect(page.getByText(builtText, { exact: true }).first()).toBeVisible()
    await expect(page.getByText(changedText)).toHaveCount(0)
    await settle(page)
    await expectAccessible(page)
    const generatedScript = `{ const made = document.createElement('p'); made.innerHTML = '<b>text</b>'; made.innerHTML }`
    expect(await page.evaluate<string>(generatedScript), 'nothing is made of text').toBe('')
  }
  await openWithChange('/login', 'Continue with Email', 'Continuer avec un email')
  await signInThroughApi(page, demoAccounts[0])
  await openWithChange('/dashboard', 'Dashboard', 'Tableau de bord')
  await page.getByRole('link', { name: 'Wallet', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'My Wallet' })).toBeVisible()
  // React reports the re-render.
  expect(pageErrors.length).toBeGreaterThan(0)
  for (const pageError of pageErrors) expect(pageError).toContain('React error #418')
})

test("pages follow the device's theme at once, and the login stays dark", async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  const readPageBackground = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
  const readLoginBackground = () =>
    page.evaluate<string>('getComputedStyle(document.querySelector("main")).backgroundColor')
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto('/login')
  const loginBackground = await readLoginBackground()
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await readLoginBackground()).toBe(loginBackground)

  await signInThroughApi(page, demoAccounts[0])
  await page.goto('/dashboard')
  const darkBackground = await readPageBackground()
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(readPageBackground).not.toBe(darkBackground)
  expect(pageErrors).toEqual([])
})
