import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { createQuote, exchangeMoney } from '../../packages/contract/src/exchange.ts'
import { type NewOrder, order, placeOrder } from '../../packages/contract/src/orders/orders.ts'
import { createRateAlert } from '../../packages/contract/src/orders/rate-alerts.ts'
import type { CurrencyCode } from '../../packages/money/src/currency.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { waitForMail } from '../mailbox.ts'
import { expectNoOverflow } from '../page-texts.ts'
import { signInThroughApi, productUrl, settle, widths } from '../pages.ts'
import { makeRateStale, setPrice } from '../steering.ts'
import { expectAccessible, expectSoundState, collectPageErrors } from '../page-checks.ts'

// Runs in sequence, since the tests change the price of bitcoin.
test.describe.configure({ mode: 'default' })

const usualPrice = 65_000

test.afterEach(() => setPrice('BTC', usualPrice))

/** Opens a page of the exchange for a new user with dollars. */
async function openExchangePage(page: Page, cents: number, path = '/exchange/orders'): Promise<TestPerson> {
  const person = await enroll(productUrl(), 'orla', 'United States')
  if (cents > 0) await fund(person, cents)
  await signInThroughApi(page, person)
  await page.goto(path)
  return person
}

async function exchange(person: TestPerson, amount: string, source: CurrencyCode, target: CurrencyCode): Promise<void> {
  const body = { source_currency: source, target_currency: target, amount, side: 'source' } as const
  const { quote_id } = await person.call(createQuote, { body })
  await person.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
}

/** Places an order between bitcoin and dollars through the API. */
const placeBitcoinOrder = (person: TestPerson, body: Omit<NewOrder, 'rate_currency'>) =>
  person.call(placeOrder, { body: { ...body, rate_currency: 'BTC' }, idempotencyKey: randomUUID() })

async function loadBalance(person: TestPerson, code: CurrencyCode): Promise<{ available: string; held: string }> {
  const { assets } = await person.wallet()
  const { available = '', held = '' } = assets.find(({ currency }) => currency === code) ?? {}
  return { available, held }
}

const amountInput = (page: Page) => page.getByRole('textbox', { name: 'Exchange' })
const rateInput = (page: Page) => page.getByRole('textbox', { name: /^When 1 / })
const pairSelect = (page: Page) => page.getByLabel('Currencies')
const rateSlider = (page: Page, kind: string) => page.getByRole('slider', { name: `${kind} rate` })
const row = (page: Page, text: string | RegExp) => page.getByRole('row').filter({ hasText: text })
const findTerm = (page: Page, name: string) =>
  page.locator('.definitions > div').filter({ has: page.getByText(name, { exact: true }) })

test('a limit order waits for its rate, and is filled at the coral dot', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  const person = await openExchangePage(page, 500_00)
  await expect(page.getByRole('link', { name: 'Orders', exact: true })).toHaveAttribute('aria-current', 'page')
  await pairSelect(page).selectOption('USD BTC')
  // Before any input the limit is near the current rate.
  await expect(rateInput(page)).toHaveValue('64,350')
  await page.getByRole('button', { name: 'Place order' }).click()
  await expect(page.getByText('Enter an amount to exchange')).toBeVisible()
  await expect(amountInput(page)).toBeFocused()
  await amountInput(page).fill('600')
  await expect(page.getByText('Not enough USD. This order needs $606.00; $500.00 is available.')).toBeVisible()
  await amountInput(page).fill('128.70')
  await expect(findTerm(page, 'You get at least')).toContainText('0.002 BTC')
  await expect(findTerm(page, 'On hold')).toContainText('$129.99')
  await expect(page.getByText('1.00% below the current rate')).toBeVisible()
  await page.getByRole('button', { name: 'Place order' }).click()
  await expect(page.getByText('Limit order placed')).toBeVisible()
  await expect(row(page, '1 BTC ≤ 64,350.00 USD')).toContainText('−1.00%$129.99')
  expect(await loadBalance(person, 'USD')).toEqual({ available: '370.01', held: '129.99' })
  await expect(page.getByText('Available $370.01')).toBeVisible()

  await setPrice('BTC', 64_000)
  await expect(page.getByText('Your limit order was filled.')).toBeVisible({ timeout: 120_000 })
  await expect(page.getByText('$128.70 became 0.00201093 BTC at 64,000.00. You have 0.00201093 BTC now.')).toBeVisible()
  await expect(page.locator('.rate-label').getByText('Filled at 64,000.00')).toBeVisible()
  await expect(page.locator('.rate-dot')).toHaveCount(1)
  await expect(row(page, 'Filled at 64,000.00, better')).toContainText('0.00201093 BTC')
  expect(await loadBalance(person, 'USD')).toEqual({ available: '370.01', held: '0.00' })
  expect((await loadBalance(person, 'BTC')).available).toBe('0.00201093')
  await settle(page)
  await expectAccessible(page)

  await page.getByRole('button', { name: /^Notifications/ }).click()
  await page.getByRole('link', { name: /Your order was filled: \$128\.70 became 0\.00201093 BTC/ }).click()
  await expect(page).toHaveURL(/\/exchange\/orders\?order=/)
  await page.getByRole('link', { name: /^Details: 1 BTC/ }).click()
  await expect(page.getByRole('dialog')).toContainText('Limit order, USD to BTC')
  expect(pageErrors).toEqual([])
})

test('an alert arrives in the bell and by mail, once', async ({ page }) => {
  const person = await openExchangePage(page, 0)
  await page.getByRole('button', { name: 'Alert', exact: true }).click()
  await page.getByLabel('Rate of').selectOption('BTC')
  await page.getByLabel('In', { exact: true }).selectOption('USD')
  await expect(rateInput(page)).toHaveValue('65,650')
  await rateInput(page).fill('64100')
  await expect(page.getByText('When 1 BTC is at most')).toBeVisible()
  await expect(page.getByText('1.38% below the current rate')).toBeVisible()
  await page.getByRole('button', { name: 'Set alert' }).click()
  await expect(row(page, '1 BTC ≤ 64,100.00 USD')).toContainText('nothingnever')
  await expect(page.locator('.rate-order-alert').filter({ hasText: '64,100.00' })).toHaveCount(1)

  await setPrice('BTC', 64_050)
  await expect(row(page, 'Alerted at 64,050.00')).toBeVisible({ timeout: 120_000 })
  await expect(row(page, 'Remove')).toHaveCount(0)
  await waitForMail(person.email, /The rate has reached the level you set/)
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await expect(page.getByText('Your alert: 1 BTC = 64,050.00 USD')).toBeVisible()
})

test('by keyboard alone: a line is moved by its grip, saved, and canceled', async ({ page }) => {
  const person = await openExchangePage(page, 300_00)
  await placeBitcoinOrder(person, {
    ...{ kind: 'limit', source_currency: 'USD', target_currency: 'BTC' },
    ...{ amount: '100', rate: '62000' },
  })
  await page.reload()
  await page.getByRole('button', { name: 'Edit: 1 BTC ≤ 62,000.00 USD' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Edit limit order' })).toBeVisible()
  await expect(amountInput(page)).toBeFocused()
  await rateSlider(page, 'Limit').focus()
  await page.keyboard.press('ArrowUp')
  await expect(rateInput(page)).toHaveValue('62,010')
  await expect(rateSlider(page, 'Limit')).toHaveAttribute(
    'aria-valuetext',
    '1 BTC = 62,010.00 USD, 4.60% below the current rate',
  )
  await page.keyboard.press('PageUp')
  await page.keyboard.press('ArrowDown')
  await expect(rateInput(page)).toHaveValue('62,100')
  await expect(page.locator('.rate-order-was')).toContainText('was 62,000.00')
  await expect(page.locator('.rate-order-limit')).toContainText('Limit, not saved')
  // Nothing is saved before the button is pressed.
  await expect(row(page, '1 BTC ≤ 62,000.00 USD')).toBeVisible()
  await page.getByRole('button', { name: 'Save changes' }).focus()
  await page.keyboard.press('Enter')
  await expect(row(page, '1 BTC ≤ 62,100.00 USD')).toBeVisible()
  expect(await loadBalance(person, 'USD')).toEqual({ available: '199.00', held: '101.00' })

  await page.getByRole('button', { name: 'Cancel: 1 BTC ≤ 62,100.00 USD' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Order canceled. $101.00 is available again.')).toBeVisible()
  await expect(row(page, 'Canceled by you')).toBeVisible()
  expect(await loadBalance(person, 'USD')).toEqual({ available: '300.00', held: '0.00' })
  await page.goto('/transactions')
  await expect(page.getByText('Limit order, USD to BTC').first()).toBeVisible()
  await expect(page.getByText('Canceled').first()).toBeVisible()
})

test('a line is dragged on the chart, in step with its field', async ({ page }) => {
  await openExchangePage(page, 100_00)
  await pairSelect(page).selectOption('USD BTC')
  await expect(rateInput(page)).toHaveValue('64,350')
  const sliderBox = await rateSlider(page, 'Limit').boundingBox()
  if (!sliderBox) throw new Error('the grip is not on the page')
  await page.mouse.move(sliderBox.x + sliderBox.width / 2, sliderBox.y + sliderBox.height / 2)
  await page.mouse.down()
  await page.mouse.move(sliderBox.x + sliderBox.width / 2, sliderBox.y + sliderBox.height / 2 - 60, { steps: 5 })
  const readRate = async () => Number((await rateInput(page).inputValue()).replace(',', ''))
  expect(await readRate()).toBeGreaterThan(64_350)
  await page.mouse.up()
  const currentValue = await readRate()
  expect(currentValue % 10).toBe(0)
  await expect(rateSlider(page, 'Limit')).toHaveAttribute('aria-valuenow', String(currentValue))
})

test('a stop keeps to its worst rate, says why it waits, and is filled once the rate allows it', async ({ page }) => {
  const person = await openExchangePage(page, 300_00)
  await exchange(person, '260', 'USD', 'BTC')
  await page.reload()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await pairSelect(page).selectOption('BTC USD')
  await amountInput(page).fill('0.003')
  await rateInput(page).fill('64000')
  await expect(page.getByLabel('Not below')).toHaveValue('63,360')
  await page.getByRole('button', { name: 'Place order' }).click()
  await expect(row(page, 'at the rate at that moment, not below 63,360.00')).toBeVisible()
  await setPrice('BTC', 63_000)
  await expect(row(page, /Waiting since .*: The rate was worse than the worst one you accept\./)).toBeVisible()
  expect(await loadBalance(person, 'BTC')).toMatchObject({ held: '0.00303000' })
  await setPrice('BTC', 63_500)
  await expect(row(page, 'Filled at 63,500.00, better')).toContainText('$190.50')
})

test('an order that is filled before its change says so; a lost answer and a double press place one', async ({
  page,
}) => {
  const person = await openExchangePage(page, 300_00)
  const { id } = await placeBitcoinOrder(person, {
    ...{ kind: 'limit', source_currency: 'USD', target_currency: 'BTC' },
    ...{ amount: '64', rate: '64500' },
  })
  await page.goto(`/exchange/orders?order=${id}`)
  await expect(amountInput(page)).toHaveValue('64')
  await settle(page)
  // Blocks updates, so that the page does not learn that the order is filled.
  await page.route('**/api/{orders*,orders/*,events*}', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  )
  await setPrice('BTC', 64_000)
  await expect
    .poll(async () => (await person.call(order, { params: { id } })).state, { timeout: 120_000 })
    .toBe('filled')
  await rateInput(page).fill('64200')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByText('Filled before your change.')).toBeVisible()
  await expect(page.getByText('$64.00 became 0.001 BTC at 64,000.00.').first()).toBeVisible()

  await page.unrouteAll()
  await page.goto('/exchange/orders')
  let isResponseLost = false
  await page.route('**/api/orders', async (route) => {
    if (isResponseLost || route.request().method() !== 'POST') return route.continue()
    isResponseLost = true
    await route.fetch()
    return route.abort()
  })
  await pairSelect(page).selectOption('USD BTC')
  await amountInput(page).fill('50')
  // The form suggests a rate once the price has arrived.
  await expect(rateInput(page)).not.toHaveValue('')
  await rateInput(page).fill('60000')
  await page.getByRole('button', { name: 'Place order' }).dblclick()
  await expect(page.getByText('Limit order placed')).toBeVisible()
  expect(isResponseLost).toBe(true)
  await expect(row(page, '1 BTC ≤ 60,000.00 USD')).toHaveCount(1)
  expect((await loadBalance(person, 'USD')).held).toBe('50.50')
})

test('while a rate is too old, orders are paused, and resume when it is back', async ({ page }) => {
  const person = await openExchangePage(page, 300_00)
  await placeBitcoinOrder(person, {
    ...{ kind: 'limit', source_currency: 'USD', target_currency: 'BTC' },
    ...{ amount: '100', rate: '62000' },
  })
  const restoreRate = await makeRateStale('BTC', usualPrice)
  try {
    await page.reload()
    await expect(page.getByText('Orders are paused.').first()).toBeVisible()
    await expect(row(page, '1 BTC ≤ 62,000.00 USD')).toContainText('paused')
    await settle(page)
    await expectAccessible(page)
    expect(await loadBalance(person, 'USD')).toEqual({ available: '199.00', held: '101.00' })
  } finally {
    await restoreRate()
  }
  await page.reload()
  await expect(row(page, '1 BTC ≤ 62,000.00 USD')).toContainText('−4.62%')
})

test('a protection rule is created, acts on incoming money, is switched off and removed', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  const person = await openExchangePage(page, 0, '/exchange/protection')
  await expect(page.getByText('No rules yet')).toBeVisible()
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New rule' }).click()
  await page.getByRole('button', { name: 'Convert incoming money' }).click()
  await page.getByRole('button', { name: 'Add rule' }).click()
  await expect(page.getByText('Please enter a valid amount')).toBeVisible()
  await page.getByLabel('Keep this much').fill('50')
  await page.getByLabel('Currency', { exact: true }).selectOption('USDT')
  await settle(page)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add rule' }).click()
  await expect(page.getByText('Rule added')).toBeVisible()
  const rule = page.getByRole('article', { name: 'Convert incoming money above $50.00 to USDT.' })
  await expect(rule).toBeVisible()
  await expect(page.getByRole('img', { name: 'You have $0.00; $50.00 stays' })).toBeVisible()

  await fund(person, 151_00)
  await expect(rule).toContainText('$100.00 became 100.00 USDT, fee $1.00.', { timeout: 120_000 })
  await expect(rule).toContainText('After $151.00 came in.')
  expect((await loadBalance(person, 'USD')).available).toBe('50.00')
  expect((await loadBalance(person, 'USDT')).available).toBe('100.000000')

  await page.getByRole('button', { name: '$50.00, change' }).click()
  await expect(page.getByLabel('Keep this much')).toBeFocused()
  await page.getByLabel('Keep this much').fill('80')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await expect(page.getByRole('button', { name: '$80.00, change' })).toBeVisible()
  await page.getByRole('switch', { name: 'Rule on' }).press('Space')
  await expect(page.getByText('Off. Nothing is exchanged until you switch it on.')).toBeVisible()

  await page.getByRole('button', { name: 'New rule' }).click()
  await page.getByLabel('Share of my balance').fill('100')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await expect(page.getByText('Enter a whole percentage from 1 to 99').last()).toBeVisible()
  await page.getByLabel('Share of my balance').fill('30')
  await page.getByRole('button', { name: 'Add rule' }).click()
  await expect(page.getByRole('article', { name: 'Keep 30% of my balance in USDC.' })).toBeVisible()
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await settle(page)
    await expectNoOverflow(page, `the rules at ${width}`)
    await expectSoundState(page)
  }
  await page.getByRole('button', { name: /^Remove: Convert incoming money/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('article')).toHaveCount(1)
  expect(pageErrors).toEqual([])
})

test('orders fit and are accessible at every width in both themes', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  const person = await openExchangePage(page, 900_00)
  // Leaving a page during its session renewal would make the next page renew the session twice.
  await settle(page)
  await exchange(person, '300', 'USD', 'BTC')
  const orderFields = { source_currency: 'BTC', target_currency: 'USD', amount: '0.001' } as const
  const { id } = await placeBitcoinOrder(person, { ...orderFields, kind: 'limit', rate: '66000' })
  await placeBitcoinOrder(person, { ...orderFields, kind: 'limit', rate: '66100' })
  await placeBitcoinOrder(person, { ...orderFields, kind: 'stop', rate: '64000' })
  const alert = { source_currency: 'BTC', target_currency: 'USD', rate: '65900', rate_side: 'at_least' } as const
  await person.call(createRateAlert, { body: alert, idempotencyKey: randomUUID() })
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(`/exchange/orders?order=${id}`)
    await expect(rateSlider(page, 'Limit')).toBeVisible()
    await settle(page)
    await expectNoOverflow(page, `an order at ${width}`)
    await expectSoundState(page)
    await page.goto('/exchange/orders')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('button', { name: 'Place order' }).click()
    await settle(page)
    await expectNoOverflow(page, `an empty order at ${width}`)
    await expectSoundState(page)
  }
  expect(pageErrors).toEqual([])
})

test('unverified users see what to do', async ({ page }) => {
  await signInThroughApi(page, await enroll(productUrl(), 'noor', null))
  for (const path of ['/exchange/orders', '/exchange/protection']) {
    await page.goto(path)
    await expect(page.getByRole('link', { name: 'Verify' })).toBeVisible()
    await settle(page)
    await expectAccessible(page)
  }
})
