import { randomUUID } from 'node:crypto'
import { createQuote, exchangeMoney } from '@tern/contract/exchange'
import {
  certificateFile,
  createCertificate,
  deleteCertificate,
  ownCertificates,
  readStatement,
  setStatementMails,
  statementFile,
  statementMails,
  type StatementLine,
  verifyCertificate,
} from '@tern/contract/statements'
import { sendMoney } from '@tern/contract/transfers'
import { parseDecimal } from '@tern/money/money'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPdf } from '@tern/testkit/receipts/pdf'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'

let world: TestApp
let anna: TestPerson
let ben: TestPerson
/** Period that contains every movement of the tests. */
let period: { from: string; to: string }

const description = '=SUM(A1), "October"'

beforeAll(async () => {
  world = await startTestApp()
  anna = await world.enroll('anna', 'United States')
  ben = await world.enroll('ben', 'Germany')
  await world.fund(anna, 50_000)
  for (const amount of ['40.00', '7.50']) await send(amount)
  const pair = { source_currency: 'USD', target_currency: 'USDT', amount: '20.00', side: 'source' } as const
  const { quote_id } = await anna.call(createQuote, { body: pair })
  await anna.call(exchangeMoney, { body: { quote_id }, idempotencyKey: randomUUID() })
  const day = world.app.product.now().toISOString().slice(0, 10)
  period = { from: '2026-01-01', to: `${Number(day.slice(0, 4)) + 1}-01-01` }
})
afterAll(() => world.close())

const send = (amount: string) =>
  anna.call(sendMoney, {
    body: { recipient_id: ben.id, amount, source_currency: 'USD', description },
    idempotencyKey: randomUUID(),
  })

const read = (person: TestPerson, query: object = {}) =>
  person.call(readStatement, { query: { currency: 'USD', ...period, ...query } })

async function loadFile({ token }: TestPerson, query: Readonly<Record<string, string>>) {
  const { headers, rawPayload, statusCode } = await world.app.http.inject({
    method: statementFile.method,
    url: `/api${statementFile.path}?${new URLSearchParams({ currency: 'USD', ...('period' in query ? {} : period), ...query }).toString()}`,
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: statusCode, headers, text: rawPayload.toString('utf8'), bytes: rawPayload }
}

const minor = (amount: string) => parseDecimal('USD', amount).minor

test('a statement shows each payment and its fee, and leads from opening to closing', async () => {
  const { statement, totals, lines, next_cursor: next } = await read(anna)
  expect(statement).toMatchObject({
    holder: { id: anna.id, username: anna.username, name: 'anna Tester' },
    currency: 'USD',
    opening_balance: '0.00',
    on_hold: '0.00',
    period: { ...period, time_zone: 'UTC', is_final: false },
  })
  expect(lines.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['deposit', '500.00'],
    ['sent', '-40.00'],
    ['fee', '-0.40'],
    ['sent', '-7.50'],
    ['fee', '-0.08'],
    ['exchanged_out', '-20.00'],
    ['fee', lines[6]?.amount],
  ])
  expect(lines[1]).toMatchObject({
    status: 'completed',
    description,
    counterparty: { id: ben.id, username: ben.username, name: 'ben Tester' },
    original_amount: '37.20',
    original_currency: 'EUR',
    rate: '0.9300',
    balance: '460.00',
    reference: expect.stringMatching(/^TRN-/) as string,
  })
  expect(lines[2]).toMatchObject({ original_amount: null, reference: lines[1]?.reference, balance: '459.60' })
  expect(next).toBeNull()
  expect(lines.at(-1)?.balance).toBe(statement.closing_balance)
  expect(totals).toMatchObject({ lines: 7, money_in: '500.00', money_out: '67.50', put_on_hold: '0.00' })
  expect(minor(totals?.fees ?? '')).toBe(minor('432.50') - minor(statement.closing_balance))
  const received = await read(ben, { currency: 'EUR' })
  expect(received.lines.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['received', '37.20'],
    ['received', '6.97'],
  ])
  expect(received.lines[0]).toMatchObject({ original_amount: '40.00', original_currency: 'USD' })
})

test('pages of any size add up to the whole statement', async () => {
  const { lines: all } = await read(anna)
  for (const limit of ['1', '2', '3']) {
    const pages: StatementLine[][] = []
    for (let cursor: string | undefined, isLast = false; !isLast;) {
      const page = await read(anna, { limit, ...(cursor === undefined ? {} : { cursor }) })
      expect(page.totals === null).toBe(cursor !== undefined)
      pages.push(page.lines)
      cursor = page.next_cursor ?? undefined
      isLast = cursor === undefined
    }
    expect(pages.flat()).toEqual(all)
    expect(pages.length).toBeGreaterThan(2)
  }
  expect(
    (await world.raw('GET', '/statements?currency=USD&period=2026&cursor=nonsense', { token: anna.token })).body,
  ).toMatchObject({ code: 'invalid_request', reason: 'not_a_cursor' })
})

test('CSV and JSON files have every field of the page, and the same figures', async () => {
  const { statement, totals, lines } = await read(anna)
  const json = await loadFile(anna, { format: 'json' })
  expect(json.headers['content-type']).toBe('application/json; charset=utf-8')
  const { statement: head, ...rest } = JSON.parse(json.text) as { statement: typeof statement }
  expect(rest).toEqual({ lines, totals })
  expect({ ...head, period: undefined }).toEqual({ ...statement, period: undefined })
  const csv = await loadFile(anna, { format: 'csv' })
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(csv.headers['content-disposition']).toContain(`Tern statement USD ${period.from} to ${period.to}.csv`)
  const [columns = '', ...rows] = csv.text.trimEnd().split('\r\n')
  expect(columns).toBe(
    '\ufeffid,date,time,kind,status,reference,transaction_id,counterparty_id,counterparty_username,counterparty_name,description,amount,currency,balance,original_amount,original_currency,rate',
  )
  expect(rows).toHaveLength(lines.length)
  rows.forEach((row, index) => {
    const { id, amount, balance } = lines[index] as StatementLine
    expect(row).toContain(`"${id}"`)
    expect(row).toContain(`,${amount},"USD",${balance},`)
  })
  expect(rows[1]).toContain(`"'=SUM(A1), ""October""",`)
})

test('a month that has ended is the same to the byte in every download, whatever happens later', async () => {
  const now = world.app.product.now()
  // The month of the movements has ended once the ledger's entries are a month old.
  await moveBack(40)
  const month = new Date(now.getTime() - 40 * 86_400_000).toISOString().slice(0, 7)
  for (const format of ['csv', 'json', 'pdf']) {
    const first = await loadFile(anna, { period: month, format })
    expect(first.status).toBe(200)
    await send('1.00')
    const second = await loadFile(anna, { period: month, format })
    expect(second.bytes.equals(first.bytes), format).toBe(true)
    expect(first.bytes.length).toBeGreaterThan(1000)
  }
})

/** Dates all movements back by some days. */
async function moveBack(days: number): Promise<void> {
  await world.database.pool.query(
    ['entry', 'posting'].map((table) => `alter table ledger.${table} disable trigger user`).join('; '),
  )
  for (const table of ['entry', 'posting'])
    await world.database.pool.query(`update ledger.${table} set created_at = created_at - make_interval(days => $1)`, [
      days,
    ])
}

test.each([
  ['period=2026-13', 'period', 'not_a_period'],
  ['period=1999', 'period', 'not_a_period'],
  ['period=2090', 'period', 'period_not_begun'],
  ['', 'from', 'period_missing'],
  ['from=2026-01-01', 'to', 'period_missing'],
  ['from=2026-02-01&to=2026-01-01', 'to', 'period_reversed'],
  ['from=2026-02-30&to=2026-03-01', 'from', 'not_a_date'],
  ['from=2010-01-01&to=2020-01-02', 'to', 'period_too_long'],
  ['period=2026&time_zone=BST', 'time_zone', 'invalid_time_zone'],
])('%s is refused by field', async (query, field, code) => {
  const { status, body } = await world.raw('GET', `/statements?currency=USD&${query}`, { token: anna.token })
  expect(status).toBe(422)
  expect(body.errors).toMatchObject([{ field, code }])
})

test('certificates state the balances of a day to anyone with the code, until they are deleted', async () => {
  const certificate = await anna.call(createCertificate, { body: { time_zone: 'America/New_York' } })
  const { statement } = await read(anna)
  expect(certificate).toMatchObject({
    code: expect.stringMatching(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/) as string,
    holder: 'anna Tester',
    time_zone: 'America/New_York',
  })
  expect(certificate.balances.find(({ currency }) => currency === 'USD')).toEqual({
    currency: 'USD',
    available: statement.closing_balance,
    on_hold: '0.00',
  })
  const typed = certificate.code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
  for (const code of [certificate.code, encodeURIComponent(typed)])
    expect((await world.raw('GET', `/certificates/${code}`)).body).toEqual(certificate)
  await send('1.00')
  expect(await ben.call(verifyCertificate, { params: { code: certificate.code } })).toEqual(certificate)
  expect(await anna.call(ownCertificates, {})).toEqual([certificate])
  expect(await ben.call(ownCertificates, {})).toEqual([])
  const { rows } = await world.database.pool.query<{ row: string }>(
    'select balance_certificate::text as row from balance_certificate',
  )
  expect(rows.map(({ row }) => row).join()).not.toMatch(/anna|Tester/)
  const unknown = await world.raw('GET', '/certificates/00000-00000-00000-00000')
  expect((await world.raw('DELETE', `/certificates/${certificate.code}`, { token: ben.token })).status).toBe(404)
  await anna.call(deleteCertificate, { params: { code: certificate.code } })
  const deleted = await world.raw('GET', `/certificates/${certificate.code}`)
  expect([deleted.status, { ...deleted.body, requestId: '' }]).toEqual([404, { ...unknown.body, requestId: '' }])
})

test('a certificate needs a verified account, a day that has begun and a time zone', async () => {
  const stranger = await world.enroll('stranger', null)
  const create = (person: TestPerson, body: object) => world.raw('POST', '/certificates', { token: person.token, body })
  expect((await create(stranger, {})).body).toMatchObject({ code: 'verification_required' })
  expect((await create(anna, { date: '2090-01-01' })).body.errors).toMatchObject([
    { field: 'date', code: 'period_not_begun' },
  ])
  expect((await create(anna, { time_zone: 'BST' })).body.errors).toMatchObject([
    { field: 'time_zone', code: 'invalid_time_zone' },
  ])
  const before = (await create(anna, { date: '2020-06-30' })).body
  expect(before).toMatchObject({ date: '2020-06-30', as_of: '2020-07-01T00:00:00.000Z' })
  expect(before.balances.every(({ available }: { available: string }) => /^0(\.0+)?$/.test(available))).toBe(true)
})

test('mails about statements are off until they are wanted, and begin with the current month', async () => {
  const off = { is_on: false, time_zone: null, next_month: null }
  expect(await anna.call(statementMails, {})).toEqual(off)
  const body = { is_on: true, time_zone: 'Europe/Paris' }
  const on = await anna.call(setStatementMails, { body })
  expect(on).toMatchObject({ is_on: true, time_zone: 'Europe/Paris' })
  expect(await anna.call(setStatementMails, { body })).toEqual(on)
  expect(await anna.call(statementMails, {})).toEqual(on)
  expect(await ben.call(statementMails, {})).toEqual(off)
  expect(await anna.call(setStatementMails, { body: { is_on: false } })).toEqual(off)
})

test('a PDF is a tagged file with every amount and balance of the statement, on either paper', async () => {
  const { statement, lines } = await read(anna)
  for (const [paper, width] of [
    ['a4', 595],
    ['letter', 612],
  ] as const) {
    const { bytes, headers, status } = await loadFile(anna, { format: 'pdf', paper })
    expect([status, headers['content-type']]).toEqual([200, 'application/pdf'])
    const { texts, parts, head, pages } = readPdf(bytes)
    expect(Math.floor(pages[0]?.width ?? 0)).toBe(width)
    const inWords = (amount: string) => amount.replace(/^(-?)/, '$1$')
    for (const { amount, balance } of lines) {
      expect(texts).toContain(inWords(amount))
      expect(texts).toContain(inWords(balance))
    }
    for (const text of [
      'Account Statement',
      'Opening balance',
      inWords(statement.closing_balance),
      `Page 1 of ${pages.length}`,
      'anna Tester',
    ])
      expect(texts).toContain(text)
    expect(parts.filter((part) => part === 'TR').length).toBeGreaterThan(lines.length)
    expect(head).toContain('/Scope /Column')
    expect(head).toContain('/Marked true')
    expect(bytes.includes('pdfuaid')).toBe(true)
  }
})

test('a certificate is a PDF of one page with its code and balances', async () => {
  const { code, balances } = await anna.call(createCertificate, { body: {} })
  const load = ({ token }: TestPerson) =>
    world.app.http.inject({
      method: certificateFile.method,
      url: `/api/certificates/${code}/certificate.pdf`,
      headers: { authorization: `Bearer ${token}` },
    })
  const { rawPayload, headers } = await load(anna)
  expect(headers['content-type']).toBe('application/pdf')
  const { texts, pages } = readPdf(rawPayload)
  expect(pages).toHaveLength(1)
  expect(texts).toContain(code)
  expect(texts).toContain(`$${balances.find(({ currency }) => currency === 'USD')?.available ?? ''}`)
  expect((await load(ben)).statusCode).toBe(404)
})
