import { randomUUID } from 'node:crypto'
import { createQuote } from '@tern/contract/exchange'
import { feeIndex, feeIndexFile } from '@tern/contract/prices/fee-index'
import { sendMoney } from '@tern/contract/transfers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { countMonths, nextCountDate } from './fee-index.ts'

let world: TestApp
let lucas: TestPerson
let payers: TestPerson[]
/** Month of the payments, such as '2026-11'. `nextMonth` is ten minutes into the month after. */
let month: string
let nextMonth: Date

beforeAll(async () => {
  world = await startTestApp()
  lucas = await world.enroll('lucas', 'Germany')
  payers = []
  for (const name of ['ines', 'bea', 'carl', 'dora', 'emil']) {
    const payer = await world.enroll(name, 'United States')
    await world.fund(payer, 10_000)
    payers.push(payer)
  }
  const now = world.app.product.now()
  month = now.toISOString().slice(0, 7)
  nextMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 0, 10))
})
afterAll(() => world.close())

async function send(payer: TestPerson, amount: string, useStablecoin = true): Promise<void> {
  const sendBody = {
    source_currency: 'USD',
    target_currency: 'EUR',
    amount,
    side: 'source',
    recipient_id: lucas.id,
  } as const
  const { quote_id } = await payer.call(createQuote, { body: { ...sendBody, use_stablecoin: useStablecoin } })
  const body = { recipient_id: lucas.id, amount, source_currency: 'USD', target_currency: 'EUR', quote_id } as const
  await payer.call(sendMoney, { body, idempotencyKey: randomUUID() })
}

const read = async (query = '') => (await world.raw('GET', `/prices/index${query}`)).body

test('a new installation has an empty index', async () => {
  expect(await read()).toMatchObject({ months: [], month: null, all: null, corridors: [], is_sandbox: true })
  expect(await read()).toMatchObject({ world_bank: { issue: 47, quarter: 'Q3 2023', global: '6.18', banks: '11.48' } })
  await countMonths(world.database.pool, nextMonth)
  expect(await read()).toMatchObject({ months: [] })
  expect((await world.raw('GET', '/prices/index.csv')).body).toMatch(/^month,source,target,[\w,]+\r\n$/)
})

test('a month is counted on the day after its end', async () => {
  expect(nextCountDate(new Date('2026-11-01T00:00:00Z'))).toBe('2026-12-01')
  expect(nextCountDate(new Date('2026-12-31T23:59:59Z'))).toBe('2027-01-01')
  expect(await read()).toMatchObject({ next_count_on: nextMonth.toISOString().slice(0, 10) })
})

test('corridors with fewer than five payers are not shown', async () => {
  const [first] = payers
  for (const payer of payers.slice(0, 4)) await send(payer, '10.00')
  for (let repetition = 0; repetition < 4; repetition += 1) await send(first!, '10.00')
  await countMonths(world.database.pool, world.app.product.now())
  expect(await read(), 'the present month is not over').toMatchObject({ months: [] })
  await countMonths(world.database.pool, nextMonth)
  expect(await read()).toMatchObject({
    ...{ months: [month], month, all: null, fewest_payers: 5 },
    corridors: [{ source_currency: 'USD', target_currency: 'EUR', figures: null }],
  })
  expect(JSON.stringify(await read())).not.toMatch(/"(mean|median|payments)"/)
  expect((await world.raw('GET', '/prices/index.csv')).body).toContain(
    `"${month}","USD","EUR",,,,,,,6.18,"global","World Bank`,
  )
})

test('corridors with five payers show the costs of all payments, and recounting changes nothing', async () => {
  await send(payers[4]!, '10.00', false)
  await send(payers[4]!, '10.00', false)
  for (let round = 0; round < 2; round += 1) await countMonths(world.database.pool, nextMonth)
  const index = await world.raw('GET', '/prices/index')
  // Eight at 1 % through the stablecoin, two at 2 % direct.
  expect(index.body).toMatchObject({
    ...{ month, all: { payments: 10, mean: '1.20' } },
    corridors: [{ figures: { payments: 10, mean: '1.20', median: '1.00', low: '1.00', high: '2.00', fee: '1.20' } }],
  })
  expect(feeIndex.reply.safeParse(index.body).success).toBe(true)
  const file = await world.app.http.inject({ method: feeIndexFile.method, url: `/api/prices/index.csv?month=${month}` })
  expect([file.headers['content-type'], file.headers['content-disposition']]).toEqual([
    'text/csv',
    `attachment; filename="tern-prices-${month}.csv"`,
  ])
  expect([...file.rawPayload.subarray(0, 3)], 'the byte-order mark').toEqual([0xef, 0xbb, 0xbf])
  expect(file.payload).toContain(`\r\n"${month}","USD","EUR",10,1.20,1.00,1.00,2.00,1.20,6.18,"global",`)
  expect(await read('?month=2001-01')).toMatchObject({ status: 404, code: 'not_found' })
  expect(await read('?month=yesterday')).toMatchObject({ status: 422 })
})

test('concurrent workers count a month once', async () => {
  await Promise.all(Array.from({ length: 4 }, () => countMonths(world.database.pool, nextMonth)))
  expect(await read()).toMatchObject({ all: { payments: 10 } })
})

test('a reversed payment is excluded', async () => {
  const { pool } = world.database
  const paymentId = randomUUID()
  await pool.query(
    `begin; set local session_replication_role = replica;
     update transaction set payment_id = '${paymentId}' where id = (
       select id from transaction where kind = 'SEND' and user_id = ${payers[0]!.id} order by id limit 1);
     insert into settlement_line (provider, id, kind, amount_minor, currency, reference, posting_id, occurred_at)
     values ('sandbox', 'reversed', 'chargeback', -1000, 'USD', '${paymentId}', '${randomUUID()}', now());
     commit`,
  )
  await countMonths(pool, nextMonth)
  expect(await read()).toMatchObject({ all: { payments: 9 } })
})
