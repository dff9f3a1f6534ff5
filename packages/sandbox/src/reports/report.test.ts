import { expect, test } from 'vitest'
import { allLines, linkAccount, createPayout, setClock } from '../banks/test-banks.ts'
import { goodCard, openSession, startReceiver, startTestSandbox, listInvalidFields } from '../test-sandbox.ts'

test('the books list every movement once, oldest first, across pages', async () => {
  const { url: webhookUrl } = await startReceiver()
  const sandbox = await startTestSandbox({ webhookUrl })
  await setClock(sandbox, '2026-03-02T09:00:00Z')
  const { token } = await linkAccount(sandbox, { bank: 'harbour' })
  const count = 210
  for (let index = 0; index < count; index += 1)
    await createPayout(sandbox, token, { reference: `payout-${index}` }, `key-${index}`)
  const session = await openSession(sandbox)
  await sandbox.call('POST', `/api/checkout/${session}/pay`, { body: goodCard })
  await setClock(sandbox, '2026-03-04T00:00:00Z')
  const lines = await allLines(sandbox)
  expect(lines).toHaveLength(count + 1)
  expect(new Set(lines.map(({ id }) => id)).size).toBe(count + 1)
  expect(lines[0]).toMatchObject({ kind: 'capture', reference: 'payment-1' })
  expect(lines.map(({ occurred_at }) => occurred_at)).toEqual(lines.map(({ occurred_at }) => occurred_at).toSorted())
  const page = await sandbox.call('GET', '/api/report/lines?from=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z')
  expect(page.json['lines']).toHaveLength(200)
})

test('a range includes its start and excludes its end', async () => {
  const sandbox = await startTestSandbox()
  await setClock(sandbox, '2026-03-02T09:00:00Z')
  const { token } = await linkAccount(sandbox, { bank: 'harbour' })
  await createPayout(sandbox, token)
  await setClock(sandbox, '2026-03-05T00:00:00Z')
  const count = async (from: string, until: string) => (await allLines(sandbox, from, until)).length
  const noon = '2026-03-03T12:00:00Z'
  expect(await count(noon, '2026-03-03T12:00:00.001Z')).toBe(1)
  expect(await count('2026-03-03T13:00:00+01:00', '2026-03-04T00:00:00Z')).toBe(1)
  expect(await count('2026-03-01T00:00:00Z', noon)).toBe(0)
  expect(await count('2026-03-03T12:00:00.001Z', '2026-03-04T00:00:00Z')).toBe(0)
})

test('needs the secret and a range', async () => {
  const sandbox = await startTestSandbox()
  const requestLines = (query: string, options = {}) => sandbox.call('GET', `/api/report/lines?${query}`, options)
  expect((await requestLines('from=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z', { secret: null })).status).toBe(
    401,
  )
  expect(listInvalidFields(await requestLines('from=then'))).toEqual(['from', 'until'])
  expect(
    listInvalidFields(await requestLines('from=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z&after=nobody')),
  ).toEqual(['after'])
})
