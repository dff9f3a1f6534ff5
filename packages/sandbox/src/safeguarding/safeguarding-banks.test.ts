import { expect, test } from 'vitest'
import { setClock } from '../banks/test-banks.ts'
import { listInvalidFields, startTestSandbox, type TestSandbox } from '../test-sandbox.ts'

interface Account {
  currency: string
  opening_minor: string
  closing_minor: string
  entries: { id: string; amount_minor: string; reference: string | null; value_on: string }[]
}

async function readAccount(sandbox: TestSandbox, day: string, currency = 'USD'): Promise<Account> {
  const { json } = await sandbox.call('GET', `/api/safeguarding/anchorage/statements/${day}`)
  return (json['accounts'] as Account[]).find((account) => account.currency === currency)!
}

const payToBank = (sandbox: TestSandbox, minor: string) =>
  sandbox.call('POST', '/api/control/own-money/lines', {
    body: { kind: 'bank_transfer', balance: 'payments', amount_minor: minor, currency: 'USD' },
  })

test('a finished day’s statement has what the processor paid in and took, and the balances', async () => {
  const sandbox = await startTestSandbox()
  await setClock(sandbox, '2026-03-02T09:00:00Z')
  const line = await payToBank(sandbox, '-5000')
  await payToBank(sandbox, '1200')
  const path = '/api/safeguarding/anchorage/statements/2026-03-02'
  expect((await sandbox.call('GET', path)).status, 'the day lasts').toBe(409)
  await setClock(sandbox, '2026-03-04T00:00:01Z')
  expect(await readAccount(sandbox, '2026-03-02')).toMatchObject({
    ...{ opening_minor: '0', closing_minor: '3800' },
    entries: [{ amount_minor: '5000', reference: line.json['id'] }, { amount_minor: '-1200' }],
  })
  expect(await readAccount(sandbox, '2026-03-03')).toMatchObject({
    opening_minor: '3800',
    closing_minor: '3800',
    entries: [],
  })
  expect((await sandbox.call('GET', path, { secret: null })).status).toBe(401)
  expect((await sandbox.call('GET', path.replace('anchorage', 'atlantis'))).status).toBe(404)
})

test('a transfer is booked once, and wrong fields are named', async () => {
  const sandbox = await startTestSandbox()
  await setClock(sandbox, '2026-03-02T09:00:00Z')
  const order = { body: { id: 'transfer-1', currency: 'USD', amount_minor: '-700' } }
  const path = '/api/safeguarding/anchorage/transfers'
  const [first, second] = [await sandbox.call('POST', path, order), await sandbox.call('POST', path, order)]
  expect([first.status, second.json]).toEqual([201, first.json])
  const wrong = { id: 'transfer-2', currency: 'EUR', amount_minor: '0' }
  expect(listInvalidFields(await sandbox.call('POST', path, { body: wrong }))).toEqual(['amount_minor', 'currency'])
  await setClock(sandbox, '2026-03-03T00:00:01Z')
  expect(await readAccount(sandbox, '2026-03-02')).toMatchObject({ closing_minor: '-700', entries: [{}] })
})

test('faults change the statement, and a withheld one does not exist', async () => {
  const sandbox = await startTestSandbox()
  await setClock(sandbox, '2026-03-02T09:00:00Z')
  const add = (body: object) => sandbox.call('POST', '/api/control/safeguarding/entries', { body })
  const change = (id: unknown, action: string) =>
    sandbox.call('POST', `/api/control/safeguarding/entries/${String(id)}/${action}`)
  const late = await add({ currency: 'USD', amount_minor: '100' })
  await change(late.json['id'], 'postpone')
  const twice = await add({ currency: 'USD', amount_minor: '30', reference: 'known' })
  await change(twice.json['id'], 'duplicate')
  await add({ currency: 'USD', amount_minor: '-7', hidden: true })
  await change((await add({ currency: 'USD', amount_minor: '500' })).json['id'], 'wrong_currency')
  const missing = await add({ currency: 'CAD', amount_minor: '-20' })
  await change(missing.json['id'], 'correct')
  expect((await change(missing.json['id'], 'forget')).status).toBe(404)
  await setClock(sandbox, '2026-03-04T00:00:01Z')
  expect(await readAccount(sandbox, '2026-03-02')).toMatchObject({
    closing_minor: '53',
    entries: [{ amount_minor: '30' }, { amount_minor: '30', reference: 'known' }],
  })
  expect(await readAccount(sandbox, '2026-03-02', 'GBP')).toMatchObject({ closing_minor: '500' })
  expect(await readAccount(sandbox, '2026-03-02', 'CAD')).toMatchObject({
    ...{ closing_minor: '0', entries: [{}, { amount_minor: '20', reference: missing.json['id'] }] },
  })
  expect(await readAccount(sandbox, '2026-03-03')).toMatchObject({
    ...{ closing_minor: '153', entries: [{ amount_minor: '100', value_on: '2026-03-02' }] },
  })
  const withhold = (body: object) => sandbox.call('PUT', '/api/control/safeguarding/withheld', { body })
  await withhold({ bank: 'anchorage', day: '2026-03-03' })
  const status = async (day: string) =>
    (await sandbox.call('GET', `/api/safeguarding/anchorage/statements/${day}`)).status
  expect([await status('2026-03-02'), await status('2026-03-03')]).toEqual([200, 404])
  await withhold({})
  expect(await status('2026-03-03')).toBe(200)
})
