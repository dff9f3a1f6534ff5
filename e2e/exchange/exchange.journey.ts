import { expect, type Page, type Response, test } from '@playwright/test'
import type { exchangeMoney } from '../../packages/contract/src/exchange.ts'
import type { Reply } from '../../packages/contract/src/protocol/endpoint.ts'
import type { CurrencyCode } from '../../packages/money/src/currency.ts'
import { add, parseDecimal, subtract, toDecimal } from '../../packages/money/src/money.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { expectNoOverflow } from '../page-texts.ts'
import { waitForMail } from '../mailbox.ts'
import { signInThroughApi, productUrl, settle, widths } from '../pages.ts'
import { makeRateStale, expireQuote, setPrice } from '../steering.ts'
import { expectAccessible, expectReachable, expectSoundState, phone, collectPageErrors } from '../page-checks.ts'

// Runs in sequence, since some tests change the price of ether.
test.describe.configure({ mode: 'default' })

/** Opens /exchange for a new user with dollars. */
async function openExchange(page: Page, cents: number): Promise<TestPerson> {
  const person = await enroll(productUrl(), 'xenia', 'United States')
  if (cents > 0) await fund(person, cents)
  await signInThroughApi(page, person)
  await page.goto('/exchange')
  // Navigating while the session is being renewed would interrupt the renewal.
  await settle(page)
  return person
}

const fromField = (page: Page) => page.getByLabel('From', { exact: true })
const to = (page: Page) => page.getByLabel('To', { exact: true })
const review = (page: Page) => page.getByRole('button', { name: 'Review', exact: true })
const confirmButton = (page: Page) => page.getByRole('button', { name: 'Exchange', exact: true })
const chosenCurrency = (page: Page, side: 'From' | 'To') => page.getByLabel(`${side}: currency`)
const findTerm = (page: Page, name: string) =>
  page.locator('.definitions > div').filter({ has: page.getByText(name, { exact: true }) })

async function loadBalances(person: TestPerson): Promise<Record<string, string>> {
  const { assets } = await person.wallet()
  return Object.fromEntries(assets.map(({ currency, available }) => [currency, available]))
}

const isExchange = (response: Response) => response.url().endsWith('/api/exchange')

/** Reviews and confirms the form; returns the resulting transaction. */
async function confirmExchange(page: Page): Promise<Reply<typeof exchangeMoney>['transaction']> {
  await review(page).click()
  await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeFocused()
  const exchangeResponse = page.waitForResponse(isExchange)
  await confirmButton(page).click()
  const { transaction } = (await (await exchangeResponse).json()) as Reply<typeof exchangeMoney>
  const gotHeading = page.getByRole('heading', { name: 'You got' })
  await expect(gotHeading).toBeFocused()
  await expect(gotHeading).toHaveText(new RegExp(`\\d ${transaction.target_currency}$|[$€£]\\d`))
  return transaction
}

test('every asset is exchanged from the base currency and back, and one cryptocurrency into another', async ({
  page,
}) => {
  const pageErrors = collectPageErrors(page)
  const person = await openExchange(page, 900_00)
  await expect(chosenCurrency(page, 'From')).toHaveValue('USD')
  await expect(chosenCurrency(page, 'To')).toHaveValue('USDT')
  const conversions: [CurrencyCode, CurrencyCode, string][] = [
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
  for (const [source, target, amount] of conversions) {
    const balancesBefore = await loadBalances(person)
    await chosenCurrency(page, 'From').selectOption(source)
    await chosenCurrency(page, 'To').selectOption(target)
    await fromField(page).fill(amount)
    await expect(findTerm(page, 'Total to pay')).toBeVisible()
    const transaction = await confirmExchange(page)
    const balancesAfter = await loadBalances(person)
    const paidAmount = subtract(
      parseDecimal(source, balancesBefore[source] ?? ''),
      parseDecimal(source, transaction.amount),
    )
    const receivedAmount = add(
      parseDecimal(target, balancesBefore[target] ?? ''),
      parseDecimal(target, transaction.target_amount),
    )
    expect([balancesAfter[source], balancesAfter[target]], `${source} to ${target}`).toEqual([
      toDecimal(paidAmount),
      toDecimal(receivedAmount),
    ])
    await expect(findTerm(page, `${source} now`)).toBeVisible()
    await page.getByRole('button', { name: 'New exchange' }).click()
  }
  expect(pageErrors).toEqual([])
})

test('either side is typed, the pair is flipped, and Max leaves room for the fee', async ({ page }) => {
  const person = await openExchange(page, 200_00)
  await review(page).click()
  await expect(page.getByText('Enter an amount to exchange')).toBeVisible()
  await expect(fromField(page)).toBeFocused()
  await fromField(page).fill('200')
  await expect(page.getByText('The amount and its fee exceed your balance of $200.00.')).toBeVisible()

  await to(page).fill('50')
  await expect(fromField(page)).toHaveValue('50.00')
  await expect(findTerm(page, 'Total to pay')).toContainText('$50.50')

  await page.getByRole('button', { name: 'Max: $198.02, which leaves room for the fee' }).click()
  await expect(fromField(page)).toHaveValue('198.02')
  await expect(to(page)).toHaveValue('198.02')
  await expect(findTerm(page, 'Total to pay')).toContainText('$200.00')
  await expect(findTerm(page, 'Source')).toContainText(/^SourceSandbox, \d{1,2}:\d\d\s[AP]M \+ 0\.00%/)
  await confirmExchange(page)
  expect(await loadBalances(person)).toMatchObject({ USD: '0.00', USDT: '198.020000' })
  await expect(findTerm(page, 'USDT now')).toContainText('198.02 USDT')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Receipt (PDF)' }).click()
  expect((await download).suggestedFilename()).toMatch(/TRN-.*\.pdf$/)
  await page.getByRole('button', { name: 'New exchange' }).click()

  await page.getByRole('button', { name: 'Flip: USDT to USD' }).click()
  await expect(chosenCurrency(page, 'From')).toHaveValue('USDT')
  await expect(chosenCurrency(page, 'To')).toHaveValue('USD')
  await expect(page.getByText('1 USDT in USD').first()).toBeVisible()
  await page.getByRole('button', { name: /^Max: 196\.059406 USDT/ }).click()
  await confirmExchange(page)
  expect(await loadBalances(person)).toMatchObject({ USDT: '0.000000' })
})

test('a price that expires while editing is shown struck beside the new one, and never replaced silently', async ({
  page,
}) => {
  const person = await openExchange(page, 500_00)
  await chosenCurrency(page, 'To').selectOption('ETH')
  await fromField(page).fill('320')
  await expect(to(page)).toHaveValue('0.10')
  await review(page).click()
  await expect(page.getByText(/^4:\d\d$/)).toBeVisible()
  try {
    // The server refuses the expired quote.
    await setPrice('ETH', 3360)
    await expireQuote(person)
    await confirmButton(page).click()
    await expect(page.getByRole('heading', { name: 'This quote has expired' })).toBeFocused()
    await expect(page.locator('s')).toHaveText('0.0003125')
    await expect(findTerm(page, 'You get')).toContainText('0.095238095238095238 ETH0.004761904761904762 ETH less')
    await settle(page)
    await expectAccessible(page)
    expect(await loadBalances(person)).toMatchObject({ USD: '500.00', ETH: '0.000000000000000000' })
    await page.getByRole('button', { name: 'Accept new price' }).click()
    await expect(page.getByRole('heading', { name: 'Review and Confirm' })).toBeFocused()

    // The page detects the expiry itself, even if the new price is the same.
    await page.clock.install()
    await page.clock.fastForward('05:05')
    await expect(page.getByText('The price was renewed. Nothing changed.')).toBeVisible()
    await setPrice('ETH', 3200)
    await page.clock.fastForward('05:05')
    await expect(page.getByRole('heading', { name: 'This quote has expired' })).toBeFocused()
    await expect(findTerm(page, 'You get')).toContainText('ETH more')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(fromField(page)).toHaveValue('320')
    expect(await loadBalances(person)).toMatchObject({ USD: '500.00' })
  } finally {
    await setPrice('ETH', 3200)
  }
})

test('on a phone without scrolling, a lost answer and a double press move the money once', async ({ page }) => {
  const person = await openExchange(page, 100_00)
  let isResponseLost = false
  await page.route('**/api/exchange', async (route) => {
    if (isResponseLost) return route.continue()
    isResponseLost = true
    await route.fetch()
    return route.abort()
  })
  await page.setViewportSize(phone)
  await fromField(page).fill('40')
  await expectReachable(page, review(page))
  await review(page).click()
  await expectReachable(page, confirmButton(page))
  await expect(page.locator('.action-bar')).toContainText('Total to pay $40.40')
  await confirmButton(page).dblclick()
  await expect(page.getByRole('heading', { name: 'You got' })).toBeFocused()
  expect(isResponseLost).toBe(true)
  expect(await loadBalances(person)).toMatchObject({ USD: '59.60', USDT: '40.000000' })
})

test('a rate that is too old is shown with its age, and exchanges resume when it is back', async ({ page }) => {
  const person = await openExchange(page, 100_00)
  const restoreRate = await makeRateStale('ETH', 3200)
  try {
    await chosenCurrency(page, 'To').selectOption('ETH')
    await fromField(page).fill('32')
    await expect(page.getByRole('alert')).toContainText('This rate is too old to use.')
    await expect(page.getByRole('alert')).toContainText('We exchange ETH only at a rate less than 10 minutes old.')
    await expect(page.getByRole('alert')).toContainText('Nothing was taken from your balance.')
    await expect(findTerm(page, 'Last rate')).toContainText('1 USD = 0.0003125 ETH')
    await page.getByRole('button', { name: 'Tell me when rates are back' }).click()
    await expect(page.getByRole('button', { name: "Don't tell me" })).toBeFocused()
    await page.goto('/exchange?from=USD&to=ETH')
    await fromField(page).fill('32')
    await expect(page.getByText("We'll email you and show a notification.")).toBeVisible()
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 })
      await settle(page)
      await expectNoOverflow(page, `too old at ${width}`)
      await expectAccessible(page)
    }
    // Exchanges of other currencies still work.
    await chosenCurrency(page, 'To').selectOption('USDT')
    await expect(to(page)).toHaveValue('32.00')
    await page.goto('/wallet')
    await expect(page.getByText("All together, at today's rates")).toBeVisible()
  } finally {
    await restoreRate()
  }
  await waitForMail(person.email, /so you can exchange again/)
  await page.goto('/exchange')
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await page.getByText('Rates from USD to ETH are back').click()
  await expect(page).toHaveURL('/exchange?from=USD&to=ETH')
  await expect(chosenCurrency(page, 'To')).toHaveValue('ETH')
  await fromField(page).fill('32')
  await expect(to(page)).toHaveValue('0.01')
})

test('by keyboard alone: an exchange, the range, and the rates one by one', async ({ page }) => {
  const person = await openExchange(page, 100_00)
  await fromField(page).focus()
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
  expect(await loadBalances(person)).toMatchObject({ USDT: '25.000000' })

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
  const otherPage = await (await browser.newContext()).newPage()
  await signInThroughApi(otherPage, await enroll(productUrl(), 'noor', null))
  await otherPage.goto(`${productUrl()}/exchange`)
  await expect(otherPage.getByRole('link', { name: 'Verify' })).toBeVisible()
  await settle(otherPage)
  await expectAccessible(otherPage)
})

test('form and review fit and are accessible at every width in both themes', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  await openExchange(page, 100_00)
  // At 1200 px form and chart are side by side with the least space.
  for (const width of [...widths, 1200]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/exchange?from=USD&to=BTC')
    await fromField(page).fill('25.55')
    await expect(findTerm(page, 'Total to pay')).toBeVisible()
    await settle(page)
    await expectNoOverflow(page, `the form at ${width}`)
    await expectSoundState(page)
    await review(page).click()
    await settle(page)
    await expectNoOverflow(page, `the review at ${width}`)
    await expectSoundState(page)
  }
  expect(pageErrors).toEqual([])
})
