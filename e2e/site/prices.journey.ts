import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { createQuote } from '../../packages/contract/src/exchange.ts'
import { deriveReference } from '../../packages/contract/src/protocol/transaction-reference.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import { countMonths } from '../../packages/server/src/features/prices/fee-index.ts'
import { connect } from '../../packages/server/src/platform/database/db.ts'
import { enroll, fund, type TestPerson } from '@tern/testkit/people'
import { expectNoOverflow } from '../page-texts.ts'
import { signInThroughApi, productUrl, settle, widths } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { expectAccessible, expectSoundState, collectPageErrors } from '../page-checks.ts'

test.use({ contextOptions: { reducedMotion: 'no-preference' } })

/** Sends at a quoted price; returns the transaction's id. */
async function sendAtQuote(sender: TestPerson, recipient: TestPerson, target: 'EUR' | 'INR', amount: string) {
  const pair = { source_currency: 'USD', target_currency: target } as const
  const quoteBody = { ...pair, amount, side: 'source', recipient_id: recipient.id } as const
  const { quote_id } = await sender.call(createQuote, { body: quoteBody })
  const body = { ...pair, amount, recipient_id: recipient.id, quote_id }
  return (await sender.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}

async function withDatabase(work: (pool: ReturnType<typeof connect>) => Promise<unknown>): Promise<void> {
  const pool = connect(process.env.E2E_DATABASE_URL ?? '')
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}

/** Checks the page at every width in both themes. */
async function checkEveryWidth(page: Page, name: string): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await test.step(`${name}, ${width} px`, () => expectSoundState(page))
    await expectNoOverflow(page, name)
  }
}

test('a receipt leads to its exact match, and its link works without an account', async ({ browser, page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const id = await sendAtQuote(sender, recipient, 'EUR', '33.33')
  const pageErrors = collectPageErrors(page, /404/)
  await signInThroughApi(page, sender)
  await page.goto(`/transactions?details=${id}`)
  const details = page.getByRole('dialog')
  await details.getByText('Technical details').click()
  await expect(details.getByText('Mid-market rate + 0.00%')).toBeVisible()
  await details.getByRole('link', { name: 'Receipt' }).click()
  await expect(page.getByText('Sandbox market, ')).toBeVisible()
  await page.getByRole('link', { name: 'Check price' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Exact match' }).first()).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Receipt reference' })).toHaveValue(deriveReference(id))
  const priceSteps = page.getByRole('list', { name: 'The price, step by step' })
  await expect(priceSteps.locator(':scope > li')).toHaveCount(8)
  for (const name of ['Source rate', 'Cross rate', 'Spread, 0.00%', 'Rounding', 'Fee, 1.00%', 'Total cost']) {
    await expect(priceSteps.getByRole('heading', { name })).toBeVisible()
  }
  await expect(page.getByRole('row', { name: 'Fee $0.33 $0.33 0.00' })).toBeVisible()
  for (const name of [sender.username, recipient.username, 'Tester']) {
    await expect(page.getByRole('main').getByText(name)).toHaveCount(0)
  }
  await checkEveryWidth(page, '/recompute')

  const stranger = await (await browser.newContext()).newPage()
  const strangerErrors = collectPageErrors(stranger, /404/)
  await stranger.goto(page.url())
  await expect(stranger.getByRole('heading', { level: 2, name: 'Exact match' }).first()).toBeVisible()
  // The reference alone gives visitors no access.
  await stranger.goto('/recompute')
  await expect(stranger.getByRole('heading', { level: 1, name: 'Recompute a receipt' })).toBeVisible()
  await settle(stranger)
  await expectAccessible(stranger)
  await stranger.getByRole('textbox', { name: 'Receipt reference' }).fill(deriveReference(id))
  await stranger.getByRole('button', { name: 'Recompute' }).click()
  await expect(stranger.getByRole('heading', { name: 'No such receipt' })).toBeFocused()
  await checkEveryWidth(stranger, '/recompute of nobody')

  // The payer has access.
  await page.goto('/recompute')
  await page.getByRole('textbox', { name: 'Receipt reference' }).fill(` ${deriveReference(id).toLowerCase()} `)
  await page.getByRole('button', { name: 'Recompute' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Exact match' }).first()).toBeVisible()
  expect([...pageErrors, ...strangerErrors]).toEqual([])
})

test('an altered row does not match, and the failed step is named', async ({ page }) => {
  const [sender, recipient] = await enrollSenderAndRecipient()
  const id = await sendAtQuote(sender, recipient, 'EUR', '20.00')
  const runUnprotected = (sql: string) =>
    withDatabase((pool) => pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`))
  await runUnprotected(`update transaction set target_amount = target_amount + 1 where id = '${id}'`)
  await signInThroughApi(page, sender)
  // Opens a page of members first, so that the browser remembers its user.
  await page.goto(`/receipt?id=${id}`)
  await expect(page.getByRole('link', { name: 'Check price' })).toBeVisible()
  await page.goto(`/recompute/${deriveReference(id)}`)
  await expect(page.getByRole('heading', { level: 2, name: 'Does not match' }).first()).toBeVisible()
  await expect(
    page.getByText('The receipt states 18.61 at step 5, rounding; it comes out as 18.60.').first(),
  ).toBeVisible()
  await checkEveryWidth(page, '/recompute of a mismatch')
  await runUnprotected(`update transaction set target_amount = target_amount - 1 where id = '${id}'`)
  await runUnprotected(`update quote set locked_price = locked_price - 'valueFixIds' where id = (
    select quote_id from transaction where id = '${id}' limit 1)`)
  await page.reload()
  await expect(page.getByRole('heading', { level: 2, name: 'Does not match' }).first()).toBeVisible()
  await expect(page.getByText('The quote’s signature is not valid.')).toBeVisible()
})

test('our price list comes first, and the calculator answers in both directions with our bar always drawn', async ({
  page,
  browser,
}) => {
  const pageErrors = collectPageErrors(page)
  await page.route('**/api/currency/rate/**', (route) =>
    route.fulfill({ json: { rate: '0.5', time: '2026-11-22T10:00:00.000Z' } }),
  )
  await page.goto('/prices')
  const list = page.locator('.price-list')
  await expect(list.locator('dt')).toHaveCount(6)
  for (const text of ['Send in the same currency0.5%', 'Send to another currency1%', 'Send with direct conversion2%']) {
    await expect(list).toContainText(text)
  }
  await expect(list).toContainText('Money you added by card7 days')
  await expect(list).toContainText('You can withdraw it to a bank after 7 days, free of charge.')

  const sentField = page.getByLabel('You send', { exact: true })
  const received = page.getByLabel('They get')
  const bars = page.locator('#comparison')
  const measureWidth = (row: string) =>
    page.evaluate<number>(`document.querySelector('${row} dd:last-child').getBoundingClientRect().width`)
  await expect(received).toHaveValue('100.00')
  await received.fill('50')
  await expect(sentField).toHaveValue('100.00')
  await expect(page.locator('#total')).toHaveText('$101.00')
  await expect(bars).toContainText('The cost of sending $100.00')
  await expect(bars).toContainText('Tern, 1%$1.00')
  await expect(bars).toContainText('Average bank, 11.48%$11.48')
  expect((await measureWidth('#bank-bar')) / (await measureWidth('.cost-bar-own'))).toBeCloseTo(11.48, 0)

  await received.fill('')
  await expect(bars).toContainText('The cost of sending $200.00')
  await expect(bars).toContainText('Average bank, 11.48%$22.96')
  await page.getByLabel('Country you send to').selectOption('US')
  await sentField.fill('40')
  await expect(bars).toContainText('Tern, 0.5%$0.20')
  await expect(page.locator('#bank-bar')).toBeHidden()
  expect(await measureWidth('.cost-bar-own')).toBeGreaterThanOrEqual(6)
  await checkEveryWidth(page, '/prices within one currency')
  expect(pageErrors).toEqual([])

  const scriptlessPage = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await scriptlessPage.goto('/prices')
  await expect(scriptlessPage.locator('.price-list')).toContainText('after 7 days')
  await expect(scriptlessPage.getByText('Tern, 1%')).toBeVisible()
})

test('the prices of a month are shown once enough users have paid', async ({ page }) => {
  const pageErrors = collectPageErrors(page)
  await withDatabase((pool) => pool.query('delete from fee_index_month'))
  await page.goto('/prices')
  await expect(page.getByRole('heading', { level: 2, name: 'What people really paid' })).toBeVisible()
  await expect(page.getByRole('status')).toHaveText(/^No month is complete yet\. The first figures appear on \w+ 1\.$/)
  await checkEveryWidth(page, '/prices without a month')

  const [rosa, asha] = await Promise.all([
    enroll(productUrl(), 'rosa', 'Germany'),
    enroll(productUrl(), 'asha', 'India'),
  ])
  for (let payer = 0; payer < 5; payer += 1) {
    const sender = await enroll(productUrl(), 'payer', 'United States')
    await fund(sender, 100_00)
    await sendAtQuote(sender, rosa, 'EUR', '20.00')
    await sendAtQuote(sender, asha, 'INR', '10.00')
  }
  await withDatabase((pool) => {
    const now = new Date()
    return countMonths(pool, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)))
  })
  await page.reload()
  const row = page.getByRole('row', { name: 'USD to INR' })
  await expect(row).toContainText('5.44%')
  await expect(page.getByRole('row', { name: 'USD to EUR' })).toContainText('6.18%')
  await expect(page.getByText(/completed payments of \w+ 20\d\d, counted/)).toBeVisible()
  await checkEveryWidth(page, '/prices')
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download as CSV' }).click()
  expect((await download).suggestedFilename()).toMatch(/^tern-prices-20\d\d-\d\d\.csv$/)
  await page.getByRole('link', { name: 'Recompute a receipt' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Recompute a receipt' })).toBeVisible()
  expect(pageErrors).toEqual([])
})
