import { expect, test } from 'vitest'
import { createPayout, linkAccount, setClock } from '../banks/test-banks.ts'
import { goodCard, listInvalidFields, openSession, startTestSandbox, type TestSandbox } from '../test-sandbox.ts'

const wholeYear = 'from=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z'
const listOwn = async (sandbox: TestSandbox) =>
  (await sandbox.call('GET', `/api/report/own?${wholeYear}`)).json['lines'] as Record<string, unknown>[]
const loadBalances = async (sandbox: TestSandbox) =>
  (await sandbox.call('GET', '/api/report/balances')).json['balances'] as Record<string, unknown>[]

async function pay(sandbox: TestSandbox): Promise<string> {
  const session = await openSession(sandbox)
  await sandbox.call('POST', `/api/checkout/${session}/pay`, { body: goodCard })
  return session
}

test('without settings, only an explicit fee moves the operator’s own money', async () => {
  const sandbox = await startTestSandbox()
  await setClock(sandbox, '2026-03-02T09:00:00Z')
  const session = await pay(sandbox)
  expect(await listOwn(sandbox)).toEqual([])
  await sandbox.call('POST', `/api/control/payments/${session}/charge_fee`)
  expect(await listOwn(sandbox)).toMatchObject([{ kind: 'fee', balance: 'payments', amount_minor: '-1500' }])
})

test('fees are charged by the settings, and the balances contain them', async () => {
  const sandbox = await startTestSandbox()
  await setClock(sandbox, '2026-03-02T09:00:00Z')
  const settings = { card_fee_basis_points: 290, dispute_fee_minor: 1500, payout_fee_minor: 150 }
  const changed = await sandbox.call('PUT', '/api/control/own-money', { body: settings })
  expect(changed.json).toEqual({ ...settings, settles_daily: false })
  const session = await pay(sandbox)
  await sandbox.call('POST', `/api/control/payments/${session}/dispute`)
  const { token } = await linkAccount(sandbox, { bank: 'harbour' })
  await createPayout(sandbox, token)
  await setClock(sandbox, '2026-03-05T00:00:00Z')
  expect(await listOwn(sandbox)).toMatchObject([
    { kind: 'fee', balance: 'payments' },
    { kind: 'fee', balance: 'payments', amount_minor: '-1500' },
    { kind: 'fee', balance: 'payouts', amount_minor: '-150' },
  ])
  const cardFee = BigInt(String((await listOwn(sandbox))[0]!['amount_minor']))
  expect(await loadBalances(sandbox)).toEqual(
    expect.arrayContaining([
      { balance: 'payments', amount_minor: String(cardFee - 1500n), currency: 'USD' },
      { balance: 'payouts', amount_minor: '-2650', currency: 'USD' },
    ]),
  )
})

test('a daily settlement empties the balance of payments and fills that of payouts', async () => {
  const sandbox = await startTestSandbox()
  await setClock(sandbox, '2026-03-02T09:00:00Z')
  await sandbox.call('PUT', '/api/control/own-money', { body: { settles_daily: true } })
  await setClock(sandbox, '2026-03-02T10:00:00Z')
  await pay(sandbox)
  const { token } = await linkAccount(sandbox, { bank: 'harbour' })
  await createPayout(sandbox, token)
  await setClock(sandbox, '2026-03-05T00:00:00Z')
  const lines = await listOwn(sandbox)
  expect(lines).toMatchObject([
    { kind: 'bank_transfer', balance: 'payments' },
    { kind: 'bank_transfer', balance: 'payouts', amount_minor: '2500' },
  ])
  expect(await loadBalances(sandbox)).toEqual([])
  await setClock(sandbox, '2026-03-05T12:00:00Z')
  expect(await listOwn(sandbox)).toHaveLength(2)
})

test('a movement can be added by hand, and wrong fields are named', async () => {
  const sandbox = await startTestSandbox()
  const body = { kind: 'reserve', balance: 'payments', amount_minor: '-400', currency: 'EUR' }
  const added = await sandbox.call('POST', '/api/control/own-money/lines', { body })
  expect([added.status, added.json]).toEqual([201, expect.objectContaining(body)])
  const wrong = { kind: 'gift', balance: 'mine', amount_minor: '0', currency: 'XXX' }
  const refused = await sandbox.call('POST', '/api/control/own-money/lines', { body: wrong })
  expect(listInvalidFields(refused).toSorted()).toEqual(['amount_minor', 'balance', 'currency', 'kind'])
  const settings = await sandbox.call('PUT', '/api/control/own-money', { body: { card_fee_basis_points: 1001 } })
  expect(listInvalidFields(settings)).toEqual(['card_fee_basis_points'])
  expect((await sandbox.call('GET', '/api/report/balances', { secret: null })).status).toBe(401)
})
