// Landing page: price check and globe, waitlist, header, and the page without script.

import { expect, type Page, test } from '@playwright/test'
import { demoAccounts } from '../../packages/server/src/commands/demo/demo-accounts.ts'
import { expectNoOverflow } from '../page-texts.ts'
import { settle, signIn, themes } from '../pages.ts'
import { expectAccessible, collectPageErrors } from '../page-checks.ts'

test.use({ contextOptions: { reducedMotion: 'no-preference' } })

const globe = (page: Page) => page.locator('#globe')
const chooseCountry = (page: Page, side: 'from' | 'to', country: string) =>
  page.getByLabel(`Country you send ${side}`).selectOption(country)
/** Serves a fixed rate, for tests that do not depend on it. */
const fixRates = (page: Page) =>
  page.route('**/api/currency/rate/**', (route) =>
    route.fulfill({ json: { rate: '2', time: '2026-11-22T10:00:00.000Z' } }),
  )

/** Script that lists hidden or overlapping ends and labels, in the served drawing and for every pair of countries. */
const pairFaultsScript = `(() => {
  const [from, to] = ['sent-country', 'received-country'].map((id) => document.getElementById(id))
  const globe = document.getElementById('globe')
  const codes = [...from.options].map(({ value }) => value)
  const rectOf = (element) => element.getBoundingClientRect()
  const overlap = (a, b) => a.left < b.right - 1 && a.right > b.left + 1 && a.top < b.bottom - 1 && a.bottom > b.top + 1
  const words = [...document.querySelectorAll('.hero-text h1, .hero-text p, .hero-text label, .hero-text button')].map((element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return range.getBoundingClientRect()
  }).filter(({ width }) => width > 0)
  const faults = []
  let checked = 0
  const check = (source, target) => {
    const area = rectOf(globe)
    const inside = ({ left, top, right, bottom }) =>
      left >= Math.max(0, area.left) && right <= Math.min(innerWidth, area.right) && top >= area.top && bottom <= rectOf(document.getElementById('price-check')).top
    const [first, second, time] = [...globe.querySelectorAll('text')].filter((text) => text.checkVisibility())
    const dots = [...globe.querySelectorAll('.map-dot')].map(rectOf)
    const isOnePlace = source === target
    const hasTime = ['GB', 'DE', 'FR', 'JP', 'SG', 'IN'].includes(target)
    const names = [...(isOnePlace ? [] : [first]), second, ...(hasTime ? [time] : [])]
    const fault = (what) => faults.push(source + ' to ' + target + ': ' + what)
    if (!dots.every(inside)) fault('an end is out of sight')
    if (names.some(({ textContent }) => textContent === '')) fault('a name is missing')
    if (!hasTime && time.textContent !== '') fault('a country with several time zones shows one time')
    if (!names.every((name) => inside(rectOf(name)))) fault('a name is out of sight')
    if (!isOnePlace && overlap(rectOf(first), rectOf(second))) fault('the names cover each other')
    if (names.some((name) => dots.some((dot) => overlap(rectOf(name), dot)))) fault('a name covers an end')
    if (names.some((name) => words.some((word) => overlap(rectOf(name), word)))) fault('a name covers words')
    checked += 1
  }
  check('as sent: US', 'BR')
  for (const source of codes) for (const target of codes) {
    from.value = source
    to.value = target
    to.dispatchEvent(new Event('change'))
    check(source, target)
  }
  return { checked, faults }
})()`

/** Script that chooses a country, and measures the duration of the globe's turn and the number of distinct drawings. */
const buildTurnScript = (country: string) => `new Promise((resolve) => {
  const list = document.getElementById('received-country')
  const drawings = new Set()
  list.value = '${country}'
  const startedAt = performance.now()
  list.dispatchEvent(new Event('change'))
  const look = () => {
    drawings.add(document.querySelector('#globe .map-coast').getAttribute('d'))
    const ms = performance.now() - startedAt
    const isDone = document.querySelectorAll('#globe text')[1].textContent !== '' && ms > 20
    if (isDone) resolve({ ms, drawings: drawings.size })
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})`

test.describe('the globe', () => {
  for (const width of [390, 768, 1024, 1440, 1920]) {
    test(`shows both ends and both names of all 100 pairs at ${width} px`, async ({ page }) => {
      await page.setViewportSize({ width, height: width < 900 ? 844 : 900 })
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await fixRates(page)
      await page.goto('/')
      await expect(page.getByLabel('You send', { exact: true })).toBeEditable()
      expect(await page.evaluate(pairFaultsScript)).toEqual({ checked: 101, faults: [] })
    })
  }

  test('turns in 700 ms, or at once with reduced motion', async ({ page }) => {
    await fixRates(page)
    await page.goto('/')
    await expect(page.getByLabel('You send', { exact: true })).toBeEditable()
    const turnGlobe = (country: string) => page.evaluate<{ ms: number; drawings: number }>(buildTurnScript(country))
    const firstTurn = await turnGlobe('IN')
    expect(firstTurn.ms).toBeGreaterThan(600)
    expect(firstTurn.drawings).toBeGreaterThan(3)
    await expect(globe(page)).toContainText('India')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const secondTurn = await turnGlobe('JP')
    expect(secondTurn.ms).toBeLessThan(400)
    expect(secondTurn.drawings).toBe(1)
    await expect(globe(page)).toContainText('Japan')
  })

  test('is part of the built page, and shows the local time of a country with one time zone', async ({
    page,
    browser,
  }) => {
    await page.clock.setFixedTime('2026-11-22T10:00:00Z')
    await fixRates(page)
    await page.goto('/')
    await chooseCountry(page, 'to', 'JP')
    await expect(globe(page)).toContainText('7:00 PM')
    await chooseCountry(page, 'to', 'IN')
    await expect(globe(page)).toContainText('3:30 PM')
    const context = await browser.newContext({ javaScriptEnabled: false })
    const scriptlessPage = await context.newPage()
    await scriptlessPage.goto('/')
    await expect(globe(scriptlessPage)).toContainText('United States')
    await expect(globe(scriptlessPage).locator('use')).toHaveCount(1)
    await context.close()
  })
})

test('the price check answers for amounts and countries, and is right within one currency', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.route('**/api/currency/rate/USD/BRL/', (route) =>
    route.fulfill({ json: { rate: '5.4', time: '2026-11-22T10:00:00.000Z' } }),
  )
  await page.goto('/')
  const [sentField, received] = [page.getByLabel('You send', { exact: true }), page.getByLabel('They get')]
  const lines = page.locator('#price-check dl')
  await expect(received).toHaveValue('5,400.00')
  await expect(page.getByText('United States to Brazil', { exact: true })).toBeVisible()
  await sentField.fill('200')
  await expect(received).toHaveValue('1,080.00')
  await expect(lines).toContainText('Fee, 1%$2.00')
  await expect(lines).toContainText('Total to pay$202.00')
  await expect(page.locator('#bank-cost')).toHaveText('$22.96')

  await sentField.fill('')
  await expect(received).toHaveValue('')
  await expect(page.locator('#comparison')).toBeHidden()
  await sentField.blur()
  await expect(sentField).toHaveValue('')

  await received.fill('540')
  await expect(sentField).toHaveValue('100.00')
  await expect(page.locator('#comparison')).toBeVisible()

  await chooseCountry(page, 'from', 'DE')
  await chooseCountry(page, 'to', 'FR')
  await expect(lines).toContainText('Fee, 0.5%€2.70')
  await expect(lines).toContainText('Nothing to convert')
  await expect(page.locator('#comparison')).toBeHidden()
  await expect(page.getByText('nothing is converted and the fee is 0.5%')).toBeVisible()
  await chooseCountry(page, 'to', 'DE')
  await expect(page.getByText('Within Germany')).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('a pasted amount is read as written, or refused with a message: never changed silently', async ({
  page,
  browser,
}) => {
  const pageErrors = collectPageErrors(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await fixRates(page)
  await page.goto('/')
  const [sentField, received] = [page.getByLabel('You send', { exact: true }), page.getByLabel('They get')]
  await expect(received).toHaveValue('2,000.00')
  for (const [text, words] of [
    ['-5', 'Please enter a valid amount. “-5” is not above zero.'],
    ['1e3', 'Please enter a valid amount. “1e3” isn’t one: use digits, such as 1234.56.'],
    ['1.234', '“1.234” has too many decimals. USD has 2.'],
  ] as const) {
    await sentField.fill(text)
    await expect(sentField).toHaveAccessibleDescription(words)
    await expect(page.getByRole('alert').filter({ hasText: words })).toBeVisible()
    await expect(sentField).toHaveAttribute('aria-invalid', 'true')
    await expect(sentField).toHaveValue('1,000.00')
    await expect(received).toHaveValue('2,000.00')
  }
  await settle(page)
  await expectAccessible(page)
  await sentField.press('End')
  await sentField.press('-')
  await expect(sentField).toHaveValue('1,000.00-')
  await expect(sentField).toHaveAttribute('aria-invalid', 'true')
  await sentField.fill('1.234,56')
  await expect(sentField).toHaveValue('1,234.56')
  await expect(received).toHaveValue('2,469.12')
  await expect(sentField).not.toHaveAttribute('aria-invalid', 'true')
  await expect(page.locator('#sent-refused')).toBeHidden()
  expect(pageErrors).toEqual([])

  const german = await browser.newPage({ locale: 'de-DE' })
  await fixRates(german)
  await german.goto('/')
  await german.getByLabel('You send', { exact: true }).fill('1.234')
  await expect(german.getByLabel('You send', { exact: true })).toHaveValue('1.234')
  await expect(german.getByLabel('They get')).toHaveValue('2.468,00')
  await german.close()
})

test('without a rate the price check shows no figures of another pair', async ({ page }) => {
  const pageErrors = collectPageErrors(page, /503/)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.route('**/api/currency/rate/**', (route) => route.fulfill({ status: 503, json: {} }))
  await page.goto('/')
  await expect(page.getByLabel('They get')).toHaveValue('5,350.00')
  await chooseCountry(page, 'to', 'IN')
  await expect(page.getByText('We couldn’t load the live rate.')).toBeVisible()
  await expect(page.getByLabel('They get')).toHaveValue('')
  await expect(page.locator('#total')).toHaveText('—')
  await expect(page.locator('#comparison')).toBeHidden()
  expect(pageErrors).toEqual([])
})

test.describe('the waitlist', () => {
  const form = (page: Page) => page.locator('.waitlist')
  const field = (page: Page) => form(page).getByLabel('Email address')
  const country = (page: Page) => form(page).getByLabel('Your country')
  const joinButton = (page: Page) => form(page).getByRole('button', { name: 'Join Waitlist' }).click()

  test('confirms for six seconds, and silently ignores invalid addresses', async ({ page }) => {
    await page.clock.install({ time: '2026-11-22T10:00:00Z' })
    await page.goto('/')
    await page.clock.pauseAt('2026-11-22T11:00:00Z')
    const status = form(page).getByRole('status')
    await field(page).fill('ada')
    await field(page).press('Enter')
    await expect(field(page)).toHaveValue('ada')
    await expect(status).toBeEmpty()

    await country(page).selectOption('Mexico')
    await field(page).fill('ada@example.com')
    const waitlistResponse = page.waitForResponse('**/api/waitlist')
    await joinButton(page)
    expect((await waitlistResponse).status()).toBe(204)
    expect((await waitlistResponse).request().postDataJSON()).toEqual({ email: 'ada@example.com', country: 'MX' })
    await expect(status).toHaveText('Thank you for joining our waitlist!')
    await expect(field(page)).toHaveValue('')
    await expect(country(page)).toHaveValue('MX')
    await page.clock.runFor(5900)
    await expect(status).toHaveText('Thank you for joining our waitlist!')
    await page.clock.runFor(200)
    await expect(status).toBeEmpty()
    await expect(form(page).getByText('We’ll email you once, when it opens.')).toBeVisible()
    await expect(page).toHaveURL('/')
  })

  test('lists closed countries only, and starts without a choice', async ({ page }) => {
    await page.goto('/')
    await expect(country(page)).toHaveValue('')
    const codes = await page.evaluate<string[]>(
      `[...document.querySelector('.waitlist select').options].map(({ value }) => value)`,
    )
    expect(codes).toHaveLength(241)
    expect(codes).toContain('AT')
    for (const openCode of ['US', 'GB', 'CA', 'AU', 'DE', 'FR', 'JP', 'SG', 'IN', 'BR'])
      expect(codes).not.toContain(openCode)
  })

  test('confirms even if the server does not answer', async ({ page }) => {
    await page.route('**/api/waitlist', (route) => route.abort())
    await page.goto('/')
    await field(page).fill('grace@example.com')
    await field(page).press('Enter')
    await expect(form(page).getByRole('status')).toHaveText('Thank you for joining our waitlist!')
  })

  test('works as a plain form in a browser without script', async ({ browser }) => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto('/')
    await expect(page.getByText('Thank you for joining our waitlist!').first()).toBeHidden()
    await country(page).selectOption('Kenya')
    await field(page).fill('lin@example.com')
    await joinButton(page)
    await expect(page).toHaveURL('/#joined')
    await expect(page.getByText('Thank you for joining our waitlist!').first()).toBeVisible()
    await context.close()
  })
})

test.describe('the header', () => {
  const header = (page: Page) => page.getByRole('banner')
  const transparent = 'rgba(0, 0, 0, 0)'

  for (const [width, initialHeight, compactHeight] of [
    [1440, 88, 64],
    [390, 64, 56],
  ] as const) {
    test(`is clear at the top and paper after 50 px of scroll at ${width} px`, async ({ page }) => {
      await page.setViewportSize({ width, height: 844 })
      await page.goto('/')
      await expect(header(page)).toHaveCSS('height', `${initialHeight}px`)
      await expect(header(page)).toHaveCSS('background-color', transparent)
      await page.evaluate('scrollTo(0, 50)')
      await settle(page)
      await expect(header(page)).toHaveCSS('height', `${initialHeight}px`)
      await page.evaluate('scrollTo(0, 51)')
      await expect(header(page)).toHaveCSS('height', `${compactHeight}px`)
      await expect(header(page)).not.toHaveCSS('background-color', transparent)
      if (width < 900) await page.locator('summary').click()
      await page.getByRole('banner').getByRole('link', { name: 'Join Waitlist' }).click()
      await expect.poll(() => page.evaluate<number>('scrollY')).toBe(0)
    })
  }

  test('has a menu on a phone that closes with Escape and beside it', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/')
    const opener = page.locator('summary')
    const link = page.getByRole('banner').getByRole('link', { name: 'How It Works' })
    await opener.click()
    await expect(link).toBeVisible()
    await expect(link).toHaveAttribute('href', '/how-it-works')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(link).toBeHidden()
    await expect(opener).toBeFocused()
    await opener.click()
    await page.getByRole('heading', { level: 1 }).click({ position: { x: 5, y: 5 } })
    await expect(link).toBeHidden()
  })

  for (const width of [1440, 390]) {
    test(`opens an account for visitors and the dashboard for members at ${width} px`, async ({ page }) => {
      await page.setViewportSize({ width, height: 844 })
      await page.goto('/')
      const link = (name: string) => header(page).getByRole('link', { name })
      await expect(link('Log in')).toBeVisible()
      await expect(link('Open an account')).toHaveAttribute('href', '/signup')
      await expect(link('Open dashboard')).toBeHidden()
      await expect(link('Open an account')).not.toHaveCSS('background-color', transparent)
      await page.evaluate('scrollTo(0, 400)')
      await expect(link('Open an account')).not.toHaveCSS('background-color', transparent)

      await signIn(page, demoAccounts[0])
      for (const path of ['/', '/prices', '/security', '/terms', '/help']) {
        await page.goto(path)
        for (const name of ['Log in', 'Open an account', 'Join Waitlist']) {
          await expect(page.getByRole('link', { name, exact: true }), `${name} on ${path}`).toHaveCount(0)
        }
        await expect(page.locator('.waitlist')).toBeHidden()
      }
      await link('Open dashboard').click()
      await expect(page).toHaveURL('/dashboard')
    })
  }
})

test('lines draw themselves 100 px above the lower edge; words never wait', async ({ page }) => {
  await page.goto('/')
  const line = page.locator('[data-draw]').first()
  await expect(line).toHaveAttribute('data-draw', 'waiting')
  await expect(page.getByRole('heading', { name: 'How It Works (Simply Put)' })).toHaveCSS('opacity', '1')
  await settle(page)
  const box = await line.boundingBox()
  const scrollToLine = (offset: number) => page.evaluate(`scrollTo(0, ${(box?.y ?? 0) - 900 + offset})`)
  await scrollToLine(50)
  await expect(line).toHaveAttribute('data-draw', 'waiting')
  await scrollToLine(150)
  await expect(line).toHaveAttribute('data-draw', 'drawn')
})

// screens.journey.ts covers phone and desktop.
for (const width of [320, 768]) {
  for (const colorScheme of themes) {
    test(`the page fits ${width} px in the ${colorScheme} theme, is accessible and makes no complaint`, async ({
      page,
    }) => {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme })
      const pageErrors = collectPageErrors(page)
      await page.goto('/')
      await settle(page)
      await expectNoOverflow(page, `${width} px, ${colorScheme}`)
      await expectAccessible(page)
      expect(pageErrors).toEqual([])
    })
  }
}
