import { expect, type Page, type Response, test } from '@playwright/test'
import type { exchangeMoney } from '../../packages/contract/src/exchange.ts'
import type { Reply } from '../../packages/contract/src/protocol/endpoint.ts'
import type { CurrencyCode } from '../../packages/money/src/currency.ts'
import { add, parseDecimal, subtract, toDecimal } from '../../packages/money/src/money.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { expectFits } from '../page-texts.ts'
import { mailed } from '../mailbox.ts'
import { enter, productUrl, settle, widths } from '../pages.ts'
import { ageRate, endQuote, setPrice } from '../steering.ts'
import { expectAccessible, expectAtHand, expectFineHere, phone, watch } from '../watch.ts'

// In sequence: some tests change the price of ether.
test.describe.configure({ mode: 'default' })

/** Opens the page for a new user with dollars. */
async function openExchange(page: Page, cents: number): Promise<TestPerson> {
  const person = await enroll(productUrl(), 'xenia', 'United States')
  if (cents > 0) await fund(person, cents)
  await enter(page, person)
  await page.goto('/exchange')
  // Navigating while the session is being renewed would interrupt the renewal.
  await settle(page)
  return person
}

const from = (page: Page) => page.getByLabel('From', { exact: true })
const to = (page: Page) => page.getByLabel('To', { exact: true })
const review = (page: Page) => page.getByRole('button', { name: 'Review', exact: true })
const confirm = (page: Page) => page.getByRole('button', { name: 'Exchange', exact: true })
const chosen = (page: Page, side: 'From' | 'To') => page.getByLabel(`${side}: currency`)
const term = (page: Page, name: string) =>
  page.locator('.definitions > div').filter({ has: page.getByText(name, { exact: true }) })

async function balances(person: TestPerson): Promise<Record<string, string>> {
  const { assets } = await person.wallet()
  return Object.fromEntries(assets.map(({ currency, available }) => [currency, available]))
}

const isExchange = (response: Response) => response.url().endsWith('/api/exchange')

/** Reviews and confirms the form; returns the resulting transaction. */
async function confirmExchange(page: Page): Promise<Reply<typeof exchangeMoney>['transaction']> {
  await review(page).click()
  await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeFocused()
  const answer = page.waitForResponse(isExchange)
  await confirm(page).click()
  const { transaction } = (await (await answer).json()) as Reply<typeof exchangeMoney>
  const got = page.getByRole('heading', { name: 'You got' })
  await expect(got).toBeFocused()
  await expect(got).toHaveText(new RegExp(`\\d ${transaction.target_currency}$|[$€£]\\d`))
  return transaction
}

test('every asset is exchanged from the base currency and back, and one cryptocurrency into another', async ({
  page,
}) => {
  test.setTimeout(180_000)
  const complaints = watch(page)
  const person = await openExchange(page, 900_00)
  await expect(chosen(page, 'From')).toHaveValue('USD')
  await expect(chosen(page, 'To')).toHaveValue('USDT')
  const ways: [CurrencyCode, CurrencyCode, string][] = [
    ['USD', 'USDT', '100'],
    ['USD', 'USDC', '100'],
    ['USD', 'BTC', '100'],
    ['USD', 'ETH', '100'],
    ['BTC', 'ETH', '0.0005'],
    ['USDT', 'USD', '50'],
    ['USDC', 'USD', '50'],
    ['BTC', 'USD', '0.0005'],
    ['ETH', 'USD', '0.01'],
  ]
  for (const [source, target, amount] of ways) {
    const before = await balances(person)
    await chosen(page, 'From').selectOption(source)
    await chosen(page, 'To').selectOption(target)
    await from(page).fill(amount)
    await expect(term(page, 'Total to pay')).toBeVisible()
    const transaction = await confirmExchange(page)
    const after = await balances(person)
    const paid = subtract(parseDecimal(source, before[source] ?? ''), parseDecimal(source, transaction.amount))
    const got = add(parseDecimal(target, before[target] ?? ''), parseDecimal(target, transaction.target_amount))
    expect([after[source], after[target]], `${source} to ${target}`).toEqual([toDecimal(paid), toDecimal(got)])
    await expect(term(page, `${source} now`)).toBeVisible()
    await page.getByRole('button', { name: 'New exchange' }).click()
  }
  expect(complaints).toEqual([])
})

test('either side is typed, the pair is flipped, and Max leaves room for the fee', async ({ page }) => {
  const person = await openExchange(page, 200_00)
  await review(page).click()
  await expect(page.getByText('Enter an amount to exchange')).toBeVisible()
  await expect(from(page)).toBeFocused()
  await from(page).fill('200')
  await expect(page.getByText('The amount and its fee exceed your balance of $200.00.')).toBeVisible()

  await to(page).fill('50')
  await expect(from(page)).toHaveValue('50.00')
  await expect(term(page, 'Total to pay')).toContainText('$50.50')

  await page.getByRole('button', { name: 'Max: $198.02, which leaves room for the fee' }).click()
  await expect(from(page)).toHaveValue('198.02')
  await expect(to(page)).toHaveValue('198.02')
  await expect(term(page, 'Total to pay')).toContainText('$200.00')
  await expect(term(page, 'Source')).toContainText(/^SourceSandbox, \d{1,2}:\d\d\s[AP]M \+ 0\.00%/)
  await confirmExchange(page)
  expect(await balances(person)).toMatchObject({ USD: '0.00', USDT: '198.020000' })
  await expect(term(page, 'USDT now')).toContainText('198.02 USDT')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Receipt (PDF)' }).click()
  expect((await download).suggestedFilename()).toMatch(/TRN-.*\.pdf$/)
  await page.getByRole('button', { name: 'New exchange' }).click()

  await page.getByRole('button', { name: 'Flip: USDT to USD' }).click()
  await expect(chosen(page, 'From')).toHaveValue('USDT')
  await expect(chosen(page, 'To')).toHaveValue('USD')
  await expect(page.getByText('1 USDT in USD').first()).toBeVisible()
  await page.getByRole('button', { name: /^Max: 196\.059406 USDT/ }).click()
  await confirmExchange(page)
  expect(await balances(person)).toMatchObject({ USDT: '0.000000' })
})

test('a price that expires while editing is shown struck beside the new one, and never replaced silently', async ({
  page,
}) => {
  const person = await openExchange(page, 500_00)
  await chosen(page, 'To').selectOption('ETH')
  await from(page).fill('320')
  await expect(to(page)).toHaveValue('0.10')
  await review(page).click()
  await expect(page.getByText(/^4:\d\d$/)).toBeVisible()
  try {
    // The server reports the expiry.
    await setPrice('ETH', 3360)
    await endQuote(person)
    await confirm(page).click()
    await expect(page.getByRole('heading', { name: 'This quote has expired' })).toBeFocused()
    await expect(page.locator('s')).toHaveText('0.0003125')
    await expect(term(page, 'You get')).toContainText('0.095238095238095238 ETH0.004761904761904762 ETH less')
    await settle(page)
    await expectAccessible(page)
    expect(await balances(person)).toMatchObject({ USD: '500.00', ETH: '0.000000000000000000' })
    await page.getByRole('button', { name: 'Accept new price' }).click()
    await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeFocused()

    // The page detects the expiry itself, also if nothing changed.
    await page.clock.install()
    await page.clock.fastForward('05:05')
    await expect(page.getByText('The price was renewed. Nothing changed.')).toBeVisible()
    await setPrice('ETH', 3200)
    await page.clock.fastForward('05:05')
    await expect(page.getByRole('heading', { name: 'This quote has expired' })).toBeFocused()
    await expect(term(page, 'You get')).toContainText('ETH more')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(from(page)).toHaveValue('320')
    expect(await balances(person)).toMatchObject({ USD: '500.00' })
  } finally {
    await setPrice('ETH', 3200)
  }
})

test('on a phone without scrolling, a lost answer and a double press move the money once', async ({ page }) => {
  const person = await openExchange(page, 100_00)
  let isLost = false
  await page.route('**/api/exchange', async (route) => {
    if (isLost) return route.continue()
    isLost = true
    await route.fetch()
    return route.abort()
  })
  await page.setViewportSize(phone)
  await from(page).fill('40')
  await expectAtHand(page, review(page))
  await review(page).click()
  await expectAtHand(page, confirm(page))
  await expect(page.locator('.action-bar')).toContainText('Total to pay $40.40')
  await confirm(page).dblclick()
  await expect(page.getByRole('heading', { name: 'You got' })).toBeFocused()
  expect(isLost).toBe(true)
  expect(await balances(person)).toMatchObject({ USD: '59.60', USDT: '40.000000' })
})

test('a rate that is too old is shown with its age, and exchanges resume when it is back', async ({ page }) => {
  test.setTimeout(90_000)
  const person = await openExchange(page, 100_00)
  const bringBack = await ageRate('ETH', 3200)
  try {
    await chosen(page, 'To').selectOption('ETH')
    await from(page).fill('32')
    await expect(page.getByRole('alert')).toContainText('This rate is too old to use.')
    await expect(page.getByRole('alert')).toContainText('We exchange ETH only at a rate less than 10 minutes old.')
    await expect(page.getByRole('alert')).toContainText('Nothing was taken from your balance.')
    await expect(term(page, 'Last rate')).toContainText('1 USD = 0.0003125 ETH')
    await page.getByRole('button', { name: 'Tell me when rates are back' }).click()
    await expect(page.getByRole('button', { name: "Don't tell me" })).toBeFocused()
    await page.goto('/exchange?from=USD&to=ETH')
    await from(page).fill('32')
    await expect(page.getByText("We'll email you and show a notification.")).toBeVisible()
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await settle(page)
      await expectFits(page, `too old at ${width}`)
      await expectAccessible(page)
    }
    // Exchanges of other currencies still work.
    await chosen(page, 'To').selectOption('USDT')
    await expect(to(page)).toHaveValue('32.00')
    await page.goto('/wallet')
    await expect(page.getByText("All together, at today's rates")).toBeVisible()
  } finally {
    await bringBack()
  }
  await mailed(person.email, /so you can exchange again/)
  await page.goto('/exchange')
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await page.getByText('Rates from USD to ETH are back').click()
  await expect(page).toHaveURL('/exchange?from=USD&to=ETH')
  await expect(chosen(page, 'To')).toHaveValue('ETH')
  await from(page).fill('32')
  await expect(to(page)).toHaveValue('0.01')
})

test('by keyboard alone: an exchange, the range, and the rates one by one', async ({ page }) => {
  const person = await openExchange(page, 100_00)
  await from(page).focus()
  await page.keyboard.type('25')
  await expect(to(page)).toHaveValue('25.00')
  await review(page).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Back' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'You got 25.00 USDT' })).toBeFocused()
  expect(await balances(person)).toMatchObject({ USDT: '25.000000' })

  const slider = page.getByRole('slider', { name: /^1 USD in USDT, / })
  await slider.focus()
  await expect(slider).toHaveAttribute('aria-valuetext', /^\w{3}, \w{3} \d+.*: 1\.0000 USDT$/)
  await page.keyboard.press('Home')
  await expect(slider).toHaveValue('0')
  await page.keyboard.press('End')
  await expect(slider).toHaveValue((await slider.getAttribute('max')) ?? '')
  await page.getByRole('button', { name: '1 y' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: '1 y' })).toHaveAttribute('aria-pressed', 'true')
  await page.getByText('Show as table').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('columnheader', { name: 'Change' })).toBeVisible()
})

test('users without money or verification see what to do', async ({ page, browser }) => {
  await openExchange(page, 0)
  await expect(page.getByText('Nothing to exchange yet')).toBeVisible()
  await page.locator('.empty').getByRole('link', { name: 'Add money' }).click()
  await expect(page).toHaveURL('/deposit')
  const other = await (await browser.newContext()).newPage()
  await enter(other, await enroll(productUrl(), 'noor', null))
  await other.goto(`${productUrl()}/exchange`)
  await expect(other.getByRole('link', { name: 'Verify' })).toBeVisible()
  await settle(other)
  await expectAccessible(other)
})

test('form and review fit and are accessible at every width in both themes', async ({ page }) => {
  test.setTimeout(180_000)
  const complaints = watch(page)
  await openExchange(page, 100_00)
  // Between tablet and desktop, form and chart are side by side with the least space.
  for (const width of [...widths, 1200]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/exchange?from=USD&to=BTC')
    await from(page).fill('25.55')
    await expect(term(page, 'Total to pay')).toBeVisible()
    await settle(page)
    await expectFits(page, `the form at ${width}`)
    await expectFineHere(page)
    await review(page).click()
    await settle(page)
    await expectFits(page, `the review at ${width}`)
    await expectFineHere(page)
  }
  expect(complaints).toEqual([])
})
