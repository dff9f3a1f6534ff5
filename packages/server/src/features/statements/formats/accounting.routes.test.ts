import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import { bankFile, bankFileFormats, journalFile, journalFormats } from '@tern/contract/statements/accounting'
import { taxSummary, taxSummaryFile } from '@tern/contract/statements/tax-summary'
import { sendMoney } from '@tern/contract/transfers'
import type { CurrencyCode } from '@tern/money/currency'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { afterAll, beforeAll, expect, test } from 'vitest'

let world: TestApp
let anna: TestPerson
let year: number

beforeAll(async () => {
  world = await startTestApp()
  anna = await world.enroll('anna', 'United States')
  const ben = await world.enroll('ben', 'Germany')
  await world.fund(anna, 50_000)
  await exchange('USD', 'BTC', '100.00')
  await exchange('BTC', 'USD', '0.0005')
  const body = { recipient_id: ben.id, amount: '0.0001', source_currency: 'BTC', target_currency: 'BTC' } as const
  await anna.call(sendMoney, { body: { ...body, description: 'Lunch; "x" | 2026' }, idempotencyKey: randomUUID() })
  year = world.app.product.now().getUTCFullYear()
})
afterAll(() => world.close())

async function exchange(source: CurrencyCode, target: CurrencyCode, amount: string): Promise<void> {
  const { quote_id: quoteId } = await anna.call(createQuote, {
    body: { source_currency: source, target_currency: target, amount, side: 'source' },
  })
  await anna.call(exchangeMoney, { body: { quote_id: quoteId }, idempotencyKey: randomUUID() })
}

async function load({ path }: { readonly path: string }, query: Readonly<Record<string, string>>, person = anna) {
  const { headers, payload, statusCode } = await world.app.http.inject({
    method: 'GET',
    url: `/api${path}?${new URLSearchParams(query).toString()}`,
    headers: { authorization: `Bearer ${person.token}` },
  })
  return { status: statusCode, headers, text: payload }
}

const allFiles = [
  ...bankFileFormats.map((format) => [format, bankFile] as const),
  ...journalFormats.map((format) => [format, journalFile] as const),
]

test.each(allFiles)('%s is a download with a stable name', async (format, endpoint) => {
  const { status, headers, text } = await load(endpoint, { format, period: String(year) })
  expect(status).toBe(200)
  expect(headers['content-disposition']).toMatch(
    new RegExp(
      `^attachment; filename="tern-${String(year)}-01-01-${String(year)}-12-31\\.(xml|ofx|journal|beancount)"$`,
    ),
  )
  expect(text).toContain('500.00')
  expect(text.includes('0.00010000')).toBe(endpoint === journalFile)
})

test.each(allFiles)('%s is the same file at every download of a finished period', async (format, endpoint) => {
  const query = { format, period: String(year - 1) }
  const first = await load(endpoint, query)
  expect(first.status).toBe(200)
  expect((await load(endpoint, query)).text).toBe(first.text)
})

test('files of banks have no cryptocurrencies, and refuse to be of one', async () => {
  const { text } = await load(bankFile, { format: 'camt053', period: String(year) })
  expect([...text.matchAll(/<Stmt><Id>\S+-(\w+)<\/Id>/g)].map(([, currency]) => currency)).toEqual(['USD'])
  const euros = await load(bankFile, { format: 'ofx', period: String(year), currency: 'EUR' })
  expect(euros.text).toContain('<BALAMT>0.00</BALAMT>')
  const refused = await load(bankFile, { format: 'ofx', period: String(year), currency: 'BTC' })
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('"currency"')
})

test('a tax summary values purchases, sales and sends, and a file has the same content', async () => {
  const summary = await anna.call(taxSummary, { query: { year: String(year) } })
  expect(summary).toMatchObject({ year, is_final: false, base_currency: 'USD', method: 'fifo' })
  expect(summary.disposals.map(({ kind, rate_source: source }) => [kind, source !== null])).toEqual([
    ['exchanged_out', true],
    ['fee', true],
    ['sent', true],
    ['fee', true],
  ])
  const [sale, , send] = summary.disposals
  expect(sale).toMatchObject({ quantity: '0.00050000', rate_source: 'transaction' })
  expect(send).toMatchObject({ quantity: '0.00010000' })
  expect(send?.rate_source).not.toBe('transaction')
  const json = await load(taxSummaryFile, { year: String(year), format: 'json' })
  expect({ ...(JSON.parse(json.text) as object), as_of: '' }).toEqual({ ...summary, as_of: '' })
  const csv = await load(taxSummaryFile, { year: String(year), format: 'csv' })
  expect(csv.text.match(/^"disposal"/gm)).toHaveLength(4)
  expect(csv.text).toContain('not tax advice')
})

test('an account that never had money gets files without entries, and another account’s stay private', async () => {
  const stranger = await world.enroll('stranger', null)
  for (const [format, endpoint] of allFiles) {
    const { status, text } = await load(endpoint, { format, period: String(year) }, stranger)
    expect(status).toBe(200)
    expect(text).not.toMatch(/<Ntry>|<STMTTRN>|Available|anna/)
  }
  expect(await stranger.call(taxSummary, { query: { year: String(year) } })).toMatchObject({ totals: [], lots: [] })
})
