import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { readStatement, type StatementLine, type StatementTotals } from '../../packages/contract/src/statements.ts'
import { sendMoney } from '../../packages/contract/src/transfers.ts'
import type { TestPerson } from '@tern/testkit/people'
import { signInThroughApi, settle, widths } from '../pages.ts'
import { enrollSenderAndRecipient } from '../send-form.ts'
import { collectPageErrors, expectSoundState } from '../page-checks.ts'

const zone = 'UTC'
test.use({ timezoneId: zone })

/** Sends twice, so that a statement has money in, money out and fees. */
async function prepareSender(): Promise<{ sender: TestPerson; id: string }> {
  const [sender, recipient] = await enrollSenderAndRecipient(200_00)
  const send = (amount: string) =>
    sender.call(sendMoney, {
      body: { recipient_id: recipient.id, amount, source_currency: 'USD', description: `Rent ${amount}` },
      idempotencyKey: randomUUID(),
    })
  await send('12.34')
  const { transaction_id: id } = await send('20.00')
  return { sender, id }
}

const toDollars = (amount: string): string => `$${amount.replace(/^-/, '')}`

/** Years are the periods that a test does not outlast. */
const readYear = async (sender: TestPerson, year: string) => {
  const { totals, lines, statement } = await sender.call(readStatement, {
    query: { currency: 'USD', period: year, time_zone: zone },
  })
  if (!totals) throw new Error('the statement has no totals')
  return { totals, lines, statement }
}

async function expectTotals(sheet: Locator, totals: StatementTotals, closing: string): Promise<void> {
  const value = (term: string) => sheet.locator('dl > div').filter({ hasText: term }).locator('dd')
  await expect(value('Money in')).toHaveText(`+${toDollars(totals.money_in)}`)
  await expect(value('Money out')).toHaveText(`−${toDollars(totals.money_out)}`)
  await expect(value('Fees')).toHaveText(`−${toDollars(totals.fees)}`)
  await expect(value('Balance so far')).toHaveText(toDollars(closing))
}

async function expectLines(page: Page, lines: readonly StatementLine[]): Promise<void> {
  const rows = page.getByRole('table').locator('tbody tr')
  // The opening and the closing balance surround them.
  await expect(rows).toHaveCount(lines.length + 2)
  for (const [index, { amount, balance, kind }] of lines.entries()) {
    const cells = rows.nth(index + 1).getByRole('cell')
    await expect(cells.nth(2)).toContainText(`${amount.startsWith('-') ? '−' : '+'}${toDollars(amount)}`)
    await expect(cells.nth(3)).toHaveText(toDollars(balance))
    if (kind === 'fee') await expect(cells.nth(1)).toHaveText('Fee')
  }
}

test("a statement shows the ledger's figures to the unit, leads to its transactions, and is saved as CSV", async ({
  page,
}) => {
  const { sender, id } = await prepareSender()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto('/statements')
  await settle(page)
  await page.getByRole('button', { name: 'Year', exact: true }).click()
  await expect(page).toHaveURL(/\/statements\?currency=USD&period=20\d\d$/)
  const year = new URL(page.url()).searchParams.get('period') ?? ''
  const { totals, lines, statement } = await readYear(sender, year)
  expect(lines.map(({ kind }) => kind)).toEqual(['deposit', 'sent', 'fee', 'sent', 'fee'])
  await expectTotals(page.getByRole('region', { name: 'Summary' }), totals, statement.closing_balance)
  await expectLines(page, lines)
  await expect(page.getByText("This period hasn't ended.")).toBeVisible()
  await expectSoundState(page)

  await page.getByRole('button', { name: 'Download' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: /^CSV/ }).check()
  await settle(page)
  await expectSoundState(page)
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save file' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/USD.*\.csv$/)
  const csv = fs.readFileSync(await download.path(), 'utf8')
  for (const line of lines) expect(csv).toContain(line.balance)
  await expect(dialog).toHaveCount(0)

  // A line leads to its transaction, whose details lead back to the statement of its month.
  await page.getByRole('table').getByRole('link', { name: 'Sent to' }).last().click()
  await expect(page).toHaveURL(`/transactions?details=${id}`)
  await page.getByText('Technical details').click()
  await page.getByRole('dialog').locator('dl > div').filter({ hasText: 'Statement' }).getByRole('link').click()
  await expect(page).toHaveURL(/\/statements\?currency=USD&period=20\d\d-\d\d$/)
  await page.goBack()
  await page.goBack()
  await expect(page).toHaveURL(`/statements?currency=USD&period=${year}`)
  await expectLines(page, lines)
  expect(pageErrors).toEqual([])
})

/** Amount and balance of a line, such as -12.34 and 187.66. */
type Figures = readonly [amount: string, balance: string]

/** The page says "sent" or "received" to screen readers, on a line of its own. */
const toFigure = (text: string): string =>
  (text.trim().split('\n').at(-1) ?? '').trim().replace('−', '-').replaceAll(/[+$,]/g, '')

const readShownFigures = async (page: Page): Promise<Figures[]> => {
  const rows = await page.getByRole('table').locator('tbody tr').all()
  const cells = await Promise.all(rows.map((row) => row.getByRole('cell').allInnerTexts()))
  // The opening and the closing balance have no amount.
  return cells.slice(1, -1).map((texts): Figures => [toFigure(texts[2] ?? ''), toFigure(texts[3] ?? '')])
}

const readCsvFigures = (file: string): Figures[] => {
  const [head, ...lines] = fs.readFileSync(file, 'utf8').trimEnd().split('\r\n')
  const columns = (head ?? '').replace('\ufeff', '').split(',')
  return lines.map((line): Figures => {
    const fields = (line.match(/"(?:[^"]|"")*"|[^,]+|(?<=,|^)(?=,|$)/g) ?? []).map((text) => text.replaceAll('"', ''))
    return [fields[columns.indexOf('amount')] ?? '', fields[columns.indexOf('balance')] ?? '']
  })
}

const readPrintedText = (file: string): string =>
  execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' })

/** Rows of the table begin with a day and end with an amount and a balance. */
const readPrintedFigures = (text: string): Figures[] =>
  [...text.matchAll(/^ *[A-Z][a-z]{2} \d{1,2}, \d{4}.* (\S*\$\S+) +(\S*\$\S+)$/gm)].map(
    ([, amount = '', balance = '']): Figures => [toFigure(amount), toFigure(balance)],
  )

test('page, CSV and PDF have the same figures to the unit', async ({ page }) => {
  const { sender } = await prepareSender()
  await signInThroughApi(page, sender)
  await page.goto('/statements')
  await settle(page)
  await page.getByRole('button', { name: 'Year', exact: true }).click()
  await expect(page).toHaveURL(/period=20\d\d$/)
  await expect(page.getByRole('table').locator('tbody tr')).toHaveCount(7)
  const dialog = page.getByRole('dialog')
  const saveFile = async (format: string): Promise<string> => {
    await page.getByRole('button', { name: 'Download' }).click()
    await dialog.getByRole('radio', { name: new RegExp(`^${format}`) }).check()
    const downloading = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save file' }).click()
    return (await downloading).path()
  }
  const shown = await readShownFigures(page)
  expect(shown.map(([amount]) => amount)).toEqual(['200.00', '-12.34', '-0.12', '-20.00', '-0.20'])
  expect(readCsvFigures(await saveFile('CSV'))).toEqual(shown)
  const printed = readPrintedText(await saveFile('PDF'))
  expect(readPrintedFigures(printed)).toEqual(shown)
  const summary = page.getByRole('region', { name: 'Summary' }).locator('dl > div')
  for (const row of await summary.all()) {
    const value = toFigure(await row.locator('dd').innerText()).replace('-', '')
    expect(printed, await row.innerText()).toContain(`$${value}`)
  }
})

test('a year is saved in every other format', async ({ page }) => {
  const { sender } = await prepareSender()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto('/statements')
  await settle(page)
  await page.getByRole('button', { name: 'Year', exact: true }).click()
  await expect(page).toHaveURL(/period=20\d\d$/)
  const dialog = page.getByRole('dialog')
  for (const [format, content] of [
    ['PDF', '%PDF-'],
    ['JSON', '"closing_balance"'],
    ['camt.053', 'camt.053.001.08'],
    ['OFX', '<LEDGERBAL>'],
    ['hledger', 'USD'],
    ['Beancount', 'USD'],
    ['Tax summary', 'USD'],
  ] as const) {
    await page.getByRole('button', { name: 'Download' }).click()
    await dialog.getByRole('radio', { name: new RegExp(`^${format}`) }).check()
    const downloading = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save file' }).click()
    expect(fs.readFileSync(await (await downloading).path(), 'utf8'), format).toContain(content)
    await expect(dialog).toHaveCount(0)
  }
  expect(pageErrors).toEqual([])
})

test('a statement that is too long for a PDF is offered as CSV', async ({ page }) => {
  const { sender } = await prepareSender()
  await signInThroughApi(page, sender)
  const refusal = { type: 'urn:tern:problem:statement_too_long', title: '', status: 422, code: 'statement_too_long' }
  await page.route('**/api/statements/file?*format=pdf*', (route) =>
    route.fulfill({ status: 422, json: { ...refusal, detail: 'This period has too many lines for a PDF.' } }),
  )
  await page.goto('/statements')
  await settle(page)
  await page.getByRole('button', { name: 'Download' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Save file' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('This period has too many lines for a PDF.')
  await settle(page)
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Save as CSV instead' }).click()
  expect((await downloading).suggestedFilename()).toMatch(/\.csv$/)
})

test('more lines of a long statement are loaded on request, and its periods are those of the account', async ({
  page,
}) => {
  const { sender } = await prepareSender()
  const pageErrors = collectPageErrors(page, /status of 422/)
  await signInThroughApi(page, sender)
  // Pages of three lines: a send and its fee stay together.
  await page.route('**/api/statements?*', (route) => route.continue({ url: `${route.request().url()}&limit=3` }))
  await page.goto('/statements')
  await settle(page)
  const rows = page.getByRole('table').locator('tbody tr')
  await expect(page.getByText('3 of 5 lines')).toBeVisible()
  await expect(rows).toHaveCount(4)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByText('5 lines', { exact: true })).toBeVisible()
  await expect(rows).toHaveCount(7)
  await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Later period' })).toBeDisabled()

  await page.getByRole('button', { name: 'Other dates' }).click()
  await page.getByLabel('First day').fill('2026-02-02')
  await page.getByLabel('Last day').fill('2026-02-01')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(page.getByText('Choose a last day that is not before the first.')).toBeVisible()
  await page.getByLabel('Last day').fill('2026-02-03')
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(page).toHaveURL('/statements?currency=USD&from=2026-02-02&to=2026-02-03')
  await expect(page.getByText('No changes in this period')).toBeVisible()
  await expectSoundState(page)

  await page.goto('/statements?currency=USD&period=2099')
  await expect(page.getByText("We couldn't load this statement.")).toBeVisible()
  await expectSoundState(page)
  expect(pageErrors).toEqual([])
})

test('a certificate of balance is made, verified without an account, and deleted', async ({ browser, page }) => {
  const { sender } = await prepareSender()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.setViewportSize({ width: widths[0], height: 844 })
  await page.goto('/statements')
  await settle(page)
  const section = page.getByRole('region', { name: 'Certificates of balance' })
  await expect(section.getByText('You have no certificates yet.')).toBeVisible()
  await section.getByRole('button', { name: 'Make certificate' }).click()
  const entry = section.getByRole('listitem')
  await expect(entry).toHaveCount(1)
  const { fiat_balance: balance } = await sender.wallet()
  await expect(entry).toContainText(toDollars(balance))
  const code = /[0-9A-Z]{5}(-[0-9A-Z]{5}){3}/.exec(await entry.innerText())?.[0] ?? ''
  await settle(page)
  await expectSoundState(page)

  const downloading = page.waitForEvent('download')
  await entry.getByRole('button', { name: /^PDF/ }).click()
  const pdf = fs.readFileSync(await (await downloading).path())
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')

  const stranger = await (await browser.newContext()).newPage()
  const strangerErrors = collectPageErrors(stranger, /404/)
  await stranger.goto(`/certificate/${code}`)
  await expect(stranger).toHaveTitle('Verify a certificate · Tern')
  await expect(stranger.getByRole('heading', { name: 'Genuine certificate' })).toBeVisible()
  await expect(stranger.getByRole('row', { name: 'USD' })).toContainText(toDollars(balance))
  await expect(stranger.getByText('Tester').first()).toBeVisible()
  await settle(stranger)
  await expectSoundState(stranger)

  // Typed by hand, in lower case and without dashes.
  await stranger.goto('/certificate')
  await settle(stranger)
  await stranger.getByRole('button', { name: 'Verify' }).click()
  await expect(stranger.getByText('Enter the code.')).toBeVisible()
  await stranger.getByLabel('Code of the certificate').fill(code.toLowerCase().replaceAll('-', ' '))
  await stranger.getByRole('button', { name: 'Verify' }).click()
  await expect(stranger.getByRole('row', { name: 'USD' })).toContainText(toDollars(balance))
  await stranger.getByLabel('Code of the certificate').fill('00000-00000-00000-00000')
  await stranger.getByRole('button', { name: 'Verify' }).click()
  await expect(stranger.getByRole('heading', { name: 'No certificate has this code' })).toBeVisible()
  await settle(stranger)
  await expectSoundState(stranger)

  await entry.getByRole('button', { name: /^Delete/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Keep it' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(entry).toHaveCount(1)
  await entry.getByRole('button', { name: /^Delete/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(section.getByText('You have no certificates yet.')).toBeVisible()
  await stranger.goto(`/certificate/${code}`)
  await expect(stranger.getByRole('heading', { name: 'No certificate has this code' })).toBeVisible()
  expect([...pageErrors, ...strangerErrors]).toEqual([])
})

test('the monthly email is turned on and off, and the page says what the next one is about', async ({ page }) => {
  const { sender } = await prepareSender()
  const pageErrors = collectPageErrors(page)
  await signInThroughApi(page, sender)
  await page.goto('/statements')
  await settle(page)
  const toggle = page.getByRole('switch', { name: 'Email me each month' })
  await expect(toggle).not.toBeChecked()
  await toggle.click()
  await expect(toggle).toBeChecked()
  await expect(page.getByText(/^The next one is about \w+ 20\d\d\. It comes on /)).toBeVisible()
  await page.reload()
  await expect(toggle).toBeChecked()
  await toggle.click()
  await expect(toggle).not.toBeChecked()
  await expect(page.getByText('The next one is about')).toHaveCount(0)
  expect(pageErrors).toEqual([])
})
