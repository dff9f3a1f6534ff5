import { randomUUID } from 'node:crypto'
import { expect, type Page, test } from '@playwright/test'
import { insightAtlas, insightCosts, insightFlows } from '../../packages/contract/src/insight.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import type { TestPerson } from '@tern/testkit/people'
import { collectPageErrors, expectSoundPage, expectSoundState } from '../page-checks.ts'
import { enroll } from '@tern/testkit/people'
import { productUrl, settle, signInThroughApi } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'

const zone = 'UTC'
test.use({ timezoneId: zone })

const year = String(new Date().getUTCFullYear())
const toDollars = (amount: string): string => `$${amount}`
const formatDollars = (amount: string): string =>
  `$${Number(amount).toLocaleString('en-US', { minimumFractionDigits: 2 })}` // not money: texts of a test

/** Sends twice to Germany; returns the sender, the recipient and the id of the second transfer. */
async function prepare(): Promise<{ sender: TestPerson; recipient: TestPerson; id: string }> {
  const [sender, recipient] = await enrollSenderAndRecipient(200_00)
  const send = (amount: string) =>
    sender.call(sendMoney, {
      body: { recipient_id: recipient.id, amount, source_currency: 'USD', description: `Rent ${amount}` },
      idempotencyKey: randomUUID(),
    })
  await send('12.00')
  const { transaction_id: id } = await send('20.00')
  return { sender, recipient, id }
}

function first<Entry>([entry]: readonly Entry[]): Entry {
  if (entry === undefined) throw new Error('the list is empty')
  return entry
}

const loadBalance = async (person: TestPerson) => {
  const { balances } = await person.call(insightFlows, { query: { period: year, time_zone: zone } })
  return first(balances)
}

async function openYear(page: Page): Promise<void> {
  await page.goto(`/insights?currency=USD&period=${year}`)
  await settle(page)
}

const dialog = (page: Page) => page.getByRole('dialog')

test('spending is shown by category and person, and each figure leads to the transactions that make it', async ({
  page,
}) => {
  const { sender, recipient, id } = await prepare()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto('/insights')
  await settle(page)
  await page.getByRole('button', { name: 'Year', exact: true }).click()
  await expect(page).toHaveURL(`/insights?currency=USD&period=${year}`)
  const balance = await loadBalance(sender)
  expect(balance.spending).toBe('32.32')
  const summary = page.getByRole('region', { name: 'Summary' })
  await expect(summary).toContainText('$32.32')
  await expect(summary.locator('dl > div').filter({ hasText: 'fees' }).locator('dd')).toHaveText(
    toDollars(balance.fees),
  )
  await expect(page.getByRole('row', { name: /^Other/ })).toContainText('$32.32')
  await expectSoundPage(page)

  await page.getByRole('region', { name: 'By person' }).getByRole('link').click()
  await expect(page).toHaveURL(`/insights?currency=USD&period=${year}&flow=spending&person=${recipient.id}`)
  await expect(dialog(page).getByRole('listitem')).toHaveCount(2)
  await expect(dialog(page)).toContainText('$20.20')
  await settle(page)
  await expectSoundState(page)
  await dialog(page)
    .getByRole('link', { name: /\$20\.20/ })
    .click()
  await expect(page).toHaveURL(`/transactions?details=${id}`)

  // Details lead to the category of their month, and to the statement, which leads back to the figures.
  await page.getByText('Technical details').click()
  await dialog(page).locator('dl > div').filter({ hasText: 'Category' }).getByRole('link', { name: 'Other' }).click()
  await expect(page).toHaveURL(/\/insights\?currency=USD&period=20\d\d-\d\d&flow=spending&category=other$/)
  await expect(dialog(page).getByRole('listitem')).toHaveCount(2)
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  await page.getByRole('region', { name: 'Summary' }).getByRole('link', { name: 'Statement' }).click()
  await expect(page).toHaveURL(/\/statements\?currency=USD&period=20\d\d-\d\d$/)
  await page.getByRole('region', { name: 'Summary' }).getByRole('link', { name: 'Insights' }).click()
  await expect(page).toHaveURL(/\/insights\?currency=USD&period=20\d\d-\d\d$/)
  expect(pageErrors).toEqual([])
})

test('a category chosen for a person applies to all their transactions, one has another, and both are undone', async ({
  page,
}) => {
  const { sender } = await prepare()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await openYear(page)
  const people = page.getByRole('region', { name: 'By person' })
  const category = (name: RegExp) => page.getByRole('row', { name })
  await people.getByRole('combobox').selectOption('Family')
  await expect(category(/^Family/)).toContainText('$32.32')
  await expect(category(/^Other/)).toHaveCount(0)
  await expect(people.getByRole('status')).toContainText('Family.')

  await category(/^Family/)
    .getByRole('link')
    .click()
  await dialog(page).getByRole('combobox').first().selectOption('Gifts')
  // The transaction leaves the figure that the dialog shows.
  await expect(dialog(page).getByRole('listitem')).toHaveCount(1)
  await settle(page)
  await expectSoundState(page)
  await dialog(page).getByRole('button', { name: 'Undo' }).click()
  await expect(dialog(page).getByRole('listitem')).toHaveCount(2)
  await expect(dialog(page).getByRole('button', { name: 'Undo' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(category(/^Family/)).toContainText('$32.32')

  await people.getByRole('button', { name: 'Undo' }).click()
  await expect(category(/^Other/)).toContainText('$32.32')
  expect((await loadBalance(sender)).categories.map((one) => one.category)).toEqual(['other'])
  expect(pageErrors).toEqual([])
})

test('the cost of a year is compared with the averages, figure by figure', async ({ page }) => {
  const { sender } = await prepare()
  await signInThroughApi(page, sender)
  await openYear(page)
  const costs = await sender.call(insightCosts, { query: { period: year, time_zone: zone } })
  const corridor = first(costs.corridors)
  const section = page.getByRole('region', { name: `What your transfers cost you in ${year}` })
  await expect(section.getByRole('img')).toHaveAccessibleName(
    `Tern ${formatDollars(costs.total.fees)}, an average bank ${formatDollars(costs.total.bank_cost)}`,
  )
  const cells = section.getByRole('row', { name: /^USD to EUR/ }).getByRole('cell')
  await expect(cells).toHaveText([
    '2',
    toDollars(corridor.sent),
    toDollars(corridor.fees),
    '1.00%',
    `${corridor.average?.percent}%`,
    toDollars(corridor.average?.cost ?? ''),
    toDollars(corridor.average?.kept ?? ''),
  ])
  await section.getByRole('link', { name: `Your atlas ${year}` }).click()
  await expect(page).toHaveURL(`/atlas?year=${year}`)
})

test('the atlas draws a year around the person’s country, says the same in a table, and prints on one page', async ({
  page,
}) => {
  const { sender } = await prepare()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto('/atlas')
  await settle(page)
  const atlas = await sender.call(insightAtlas, { query: { period: year, time_zone: zone } })
  expect(atlas).toMatchObject({ home: 'US', flights: 2, people: 1, countries: 1 })
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Your atlas ${year}`)
  await expect(
    page.getByRole('img', { name: /^Map of the earth seen from your country, with lines to Germany$/ }),
  ).toBeVisible()
  await expect(page.locator('.mark-route')).toHaveCount(1)
  await expect(page.getByRole('row', { name: /^Germany/ }).getByRole('cell')).toHaveText(['2', '1', '$0.32'])
  await expectSoundPage(page)
  for (const format of ['A4', 'Letter']) {
    const pdf = (await page.pdf({ format, preferCSSPageSize: true })).toString('latin1')
    expect(pdf.match(/\/Type\s*\/Page\b/g), format).toHaveLength(1)
  }
  expect(pageErrors).toEqual([])
})

test('new people see what will appear, and a failure offers another attempt', async ({ page }) => {
  const noa = await enroll(productUrl(), 'noa', 'United States')
  const pageErrors = collectPageErrors(page, /status of 503/)
  await signInThroughApi(page, noa)
  await page.goto('/insights')
  await expect(page.getByText('Your figures appear here')).toBeVisible()
  await settle(page)
  await expectSoundState(page)
  await page.goto('/atlas')
  await expect(page.getByText(`No transfer crossed a border in ${year}`)).toBeVisible()
  await settle(page)
  await expectSoundState(page)

  await page.route('**/api/insight/**', (route) => route.fulfill({ status: 503, body: '' }))
  for (const [path, title] of [
    ['/insights', "We couldn't load your figures."],
    ['/atlas', "We couldn't load your atlas."],
  ] as const) {
    await page.goto(path)
    await expect(page.getByText(title)).toBeVisible()
    await expectSoundState(page)
  }
  await page.unroute('**/api/insight/**')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText(`No transfer crossed a border in ${year}`)).toBeVisible()
  expect(pageErrors).toEqual([])
})
