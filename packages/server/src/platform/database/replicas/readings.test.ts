// Every route that a replica may answer, called while a standby streams from the test server.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import { exportData } from '@tern/contract/privacy/privacy'
import { createCertificate } from '@tern/contract/statements'
import { sendMoney } from '@tern/contract/transfers'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { readRequirement, settleCall } from '@tern/testkit/banking'
import { createTestDatabase } from '@tern/testkit/database'
import { requestMoney, splitBill } from '@tern/testkit/payments'
import { startStandby, type Standby } from '@tern/testkit/standby'
import { readOutcomes } from './replicas.ts'

const readings = [
  'GET /balances/proof',
  'GET /certificates',
  'GET /certificates/:code/certificate.pdf',
  'GET /currency/history/:from/:to',
  'GET /disputes',
  'GET /disputes/:id',
  'GET /disputes/:id/evidence',
  'GET /insight/atlas',
  'GET /insight/costs',
  'GET /insight/flows',
  'GET /insight/transactions',
  'GET /notifications',
  'GET /notifications/groups',
  'GET /notifications/unread',
  'GET /orders',
  'GET /prices/index',
  'GET /prices/index.csv',
  'GET /prices/proof/:reference',
  'GET /protection-rules',
  'GET /rate-alerts',
  'GET /rate-return-alerts',
  'GET /requests',
  'GET /requests/:id',
  'GET /schedules',
  'GET /splits',
  'GET /splits/:id',
  'GET /statements',
  'GET /statements/bank-file',
  'GET /statements/file',
  'GET /statements/journal',
  'GET /statements/mails',
  'GET /statements/tax',
  'GET /statements/tax/file',
  'GET /transaction',
  'GET /transaction/:id/proof',
  'GET /transaction/:id/receipt',
  'GET /transaction/:id/receipt.pdf',
  'GET /transaction/user/:userId',
  'GET /user/privacy/accesses',
  'GET /wallet/:id/history',
  'GET /wallet/:id/holdings',
  'GET /wallet/:id/totals',
  'GET /wallet/:id/transactions',
]

let standby: Standby
let world: TestApp
let alice: TestPerson
let bob: TestPerson
let paths: Record<string, string>
beforeAll(async () => {
  const database = await createTestDatabase()
  standby = await startStandby()
  const environment = { REPLICA_DATABASE_URL: standby.url(database.applicationUrl) }
  world = await startTestApp({ database, environment, unconfirmedPayments: 'any' })
  alice = await world.enroll('alice', 'Germany')
  bob = await world.enroll('bob', 'United States')
  await world.fund(alice, 10_000)
  const body = { recipient_id: bob.id, amount: '12.00', source_currency: 'EUR', target_currency: 'USD' } as const
  const { transaction_id: transactionId } = await alice.call(sendMoney, { body, idempotencyKey: randomUUID() })
  const { id: requestId } = await requestMoney(alice)
  const { id: splitId } = await splitBill(alice, [bob])
  const { id: walletId } = await alice.wallet()
  const { code } = await alice.call(createCertificate, { body: {} })
  const period = 'period=2025'
  paths = {
    'GET /certificates/:code/certificate.pdf': `/certificates/${code}/certificate.pdf`,
    'GET /currency/history/:from/:to': '/currency/history/EUR/USD?range=7d',
    'GET /insight/atlas': `/insight/atlas?${period}`,
    'GET /insight/costs': `/insight/costs?${period}`,
    'GET /insight/flows': `/insight/flows?${period}`,
    'GET /insight/transactions': `/insight/transactions?${period}&currency=EUR&flow=spending`,
    'GET /prices/proof/:reference': `/prices/proof/${deriveReference(transactionId)}`,
    'GET /requests': '/requests?direction=outgoing',
    'GET /requests/:id': `/requests/${requestId}`,
    'GET /splits/:id': `/splits/${splitId}`,
    'GET /statements': `/statements?${period}&currency=EUR`,
    'GET /statements/bank-file': `/statements/bank-file?${period}&format=camt053`,
    'GET /statements/file': `/statements/file?${period}&currency=EUR&format=csv`,
    'GET /statements/journal': `/statements/journal?${period}&format=hledger`,
    'GET /statements/tax': '/statements/tax?year=2025',
    'GET /statements/tax/file': '/statements/tax/file?year=2025&format=csv',
    'GET /transaction/:id/proof': `/transaction/${transactionId}/proof`,
    'GET /transaction/:id/receipt': `/transaction/${transactionId}/receipt`,
    'GET /transaction/:id/receipt.pdf': `/transaction/${transactionId}/receipt.pdf`,
    'GET /transaction/user/:userId': `/transaction/user/${alice.id}`,
    ...Object.fromEntries(
      ['history', 'holdings', 'totals', 'transactions'].map((part) => [
        `GET /wallet/:id/${part}`,
        `/wallet/${walletId}/${part}`,
      ]),
    ),
  }
})
afterAll(async () => {
  await world.close()
  await standby.remove()
})

/** Returns the outcomes of the reads during `work`, with its result. */
async function watchReads<T>(work: () => Promise<T>) {
  const before = await readCounts()
  const result = await work()
  const after = await readCounts()
  return { result, outcomes: readOutcomes.filter((_, index) => after[index] !== before[index]) }
}

async function readCounts(): Promise<string[]> {
  const text = await (await world.readAsOperator('/metrics')).text()
  return readOutcomes.map((outcome) => new RegExp(`reads_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? '')
}

const call = (path: string) => world.raw('GET', path, { token: alice.token })

/** Returns the result of `work` once it was read from the replica, which may lag for a moment on a busy machine. */
async function readFromReplica<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    const { result, outcomes } = await watchReads(work)
    expect(outcomes, 'what a replica may answer must not fail there').not.toContain('retried')
    if (outcomes.includes('replica')) return result
    await delay(20)
  }
}

test('replicas answer only these routes', () => {
  expect([...world.app.http.readings].toSorted()).toEqual(readings)
})

test.each(readings)('%s is answered by a replica, and changes nothing', async (reading) => {
  const [, pattern = ''] = reading.split(' ')
  const { status } = await readFromReplica(() => call(paths[reading] ?? pattern.replace(':id', randomUUID())))
  expect(status).toBe(reading.startsWith('GET /disputes/') ? 404 : 200)
})

test('an export of all data is written from a replica, and recorded in the primary', async () => {
  const download = async () => {
    const requirement = readRequirement(await settleCall(alice.call(exportData, { query: { format: 'json' } })))
    await alice.confirmAtOnce?.(requirement.id)
    const headers = { authorization: `Bearer ${alice.token}`, 'step-up': requirement.id }
    const answer = await fetch(`${world.url}/api/user/privacy/export?format=json`, { headers })
    return unzipSync(new Uint8Array(await answer.arrayBuffer()))
  }
  expect(Object.keys(await readFromReplica(download)).length).toBeGreaterThan(10)
  const accesses = await world.database.pool.query(
    `select from data_access where user_id = $1 and purpose = 'export'`,
    [alice.id],
  )
  expect(accesses.rowCount).toBeGreaterThan(0)
})
