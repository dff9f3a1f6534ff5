import { randomUUID } from 'node:crypto'
import { payoutStatus } from '@tern/contract/banking'
import { walletOfUser } from '@tern/contract/wallets'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, loadStoredPayout } from '@tern/testkit/banking'
import { toCaller, linkAccount } from '@tern/testkit/payments'
import {
  adyenBalanceAccount,
  type AdyenDouble,
  adyenWebhookKey,
  problem,
  signedEvent,
  startAdyenDouble,
  transfer,
} from '@tern/testkit/providers/adyen'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

// The sandbox collects payments and links bank accounts; Adyen pays only the withdrawals in euros.
const route = 'POST /btl/v4/transfers'
let adyenDouble: AdyenDouble
let world: TestApp
let mia: TestPerson
let bankAccountId: string

beforeAll(async () => {
  adyenDouble = await startAdyenDouble()
  world = await startTestApp({
    environment: {
      ADYEN_API_KEY: 'AQE_test_key',
      ADYEN_BALANCE_ACCOUNT: adyenBalanceAccount,
      ADYEN_WEBHOOK_KEY: adyenWebhookKey,
      ADYEN_API_URL: adyenDouble.url,
      PAYOUT_PROVIDERS: 'adyen currency=EUR',
    },
  })
})
afterAll(async () => {
  await world.close()
  await adyenDouble.close()
})
beforeEach(async () => {
  adyenDouble.calls.length = 0
  mia = await world.enroll('mia', 'Germany')
  await world.fund(mia, 10_000)
  bankAccountId = await linkAccount(world, mia, { currency: 'EUR', country: 'DE' })
})

const shortlyLater = () => new Date(world.app.product.now().getTime() + 60_000)
const loadBalance = async () => (await mia.call(walletOfUser, { params: { userId: String(mia.id) } })).fiat_balance
const loadStatus = async (id: string) => (await mia.call(payoutStatus, { params: { id } })).status

async function orderPayout(): Promise<string> {
  const { payments } = world.app.product
  const { payout_id: id } = await payments.withdraw({
    caller: toCaller(mia),
    body: { amount: '40.00', currency: 'EUR', bankAccountId },
    idempotencyKey: randomUUID(),
  })
  await payments.submitPayout(id)
  return id
}

/** Withdraws 40 euros; returns the ids of the payout and of the transfer that Adyen has accepted. */
async function submitAcceptedPayout(): Promise<{ id: string; transferId: string }> {
  const transferId = randomUUID().slice(0, 16).toUpperCase()
  adyenDouble.on(route, { status: 202, body: transfer({ id: transferId }, 'received') })
  const id = await orderPayout()
  expect(await loadStoredPayout(world, id)).toMatchObject({ provider: 'adyen', provider_payout_id: transferId })
  expect([await loadStatus(id), await loadBalance()]).toEqual(['pending', '60.00'])
  return { id, transferId }
}

async function deliver(data: object, key = adyenWebhookKey): Promise<number> {
  const { body, headers } = signedEvent(data, { key })
  const answer = await world.raw('POST', '/webhooks/adyen', {
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  return answer.status
}

test('a withdrawal goes to the numbers of the linked account, and settles by a signed event alone', async () => {
  const { id, transferId } = await submitAcceptedPayout()
  const { rows } = await world.database.pool.query<{ last4: string }>('select last4 from bank_account where id = $1', [
    bankAccountId,
  ])
  const order = JSON.parse(adyenDouble.calls[0]!.text)
  expect(order).toMatchObject({ amount: { currency: 'EUR', value: 4000 }, reference: id })
  const { accountIdentification, accountHolder } = order.counterparty.bankAccount
  expect(accountIdentification.iban).toMatch(new RegExp(`^DE\\d{16}${rows[0]!.last4}$`))
  expect(accountHolder).toEqual({ fullName: mia.username })

  const bookedEvent = transfer({ id: transferId, reference: id }, 'received', 'authorised', 'booked')
  expect(await deliver(bookedEvent, '11'.repeat(32))).toBe(400)
  expect(await loadStatus(id)).toBe('pending')
  expect([await deliver(bookedEvent), await deliver(bookedEvent)]).toEqual([204, 204])
  expect([await loadStatus(id), await loadBalance()]).toEqual(['completed', '60.00'])
  expect(await loadFailedChecks(world)).toEqual([])
})

test('a withdrawal that the bank declines gives the money back, once', async () => {
  const { id, transferId } = await submitAcceptedPayout()
  const reason = 'counterpartyAccountClosed'
  adyenDouble.on(`GET /btl/v4/transfers/${transferId}`, {
    body: transfer({ id: transferId, reference: id, reason }, 'received', 'authorised', 'failed'),
  })
  await world.app.product.payments.checkPendingPayouts(shortlyLater())
  expect([await loadStatus(id), await loadBalance()]).toEqual(['failed', '100.00'])
  expect(await deliver(transfer({ id: transferId, reference: id, reason }, 'received', 'authorised', 'failed'))).toBe(
    204,
  )
  expect(await loadBalance()).toBe('100.00')
  expect(await loadFailedChecks(world)).toEqual([])
})

test('a withdrawal that Adyen refuses gives the money back', async () => {
  adyenDouble.on(route, problem(422, '30_112'))
  const id = await orderPayout()
  expect([await loadStatus(id), await loadBalance()]).toEqual(['failed', '100.00'])
  expect(await loadFailedChecks(world)).toEqual([])
})

test('a withdrawal that comes back after it was booked is returned', async () => {
  const { id, transferId } = await submitAcceptedPayout()
  const buildTransferAt = (...statuses: string[]) => transfer({ id: transferId, reference: id }, ...statuses)
  await deliver(buildTransferAt('received', 'authorised', 'booked'))
  await deliver(buildTransferAt('received', 'authorised', 'booked', 'returned'))
  expect([await loadStatus(id), await loadBalance()]).toEqual(['returned', '100.00'])
  expect(await loadFailedChecks(world)).toEqual([])
})

test('without an answer it stays pending, and is ordered again with the same key', async () => {
  adyenDouble.on(route, problem(500, '00_500'))
  const id = await orderPayout()
  expect([await loadStatus(id), await loadBalance()]).toEqual(['pending', '60.00'])
  adyenDouble.on(route, { body: transfer({ id: `T-${id}` }, 'received') })
  await world.app.product.payments.checkPendingPayouts(shortlyLater())
  expect(await loadStoredPayout(world, id)).toMatchObject({ provider_payout_id: `T-${id}`, status: 'pending' })
  const keys = adyenDouble.calls.filter(({ route: calledRoute }) => calledRoute === route).map(({ headers }) => headers)
  expect(keys.map((headers) => headers['idempotency-key'])).toEqual([id, id])
  expect(await world.app.product.payments.reconcile({ until: shortlyLater() })).toMatchObject([{ provider: 'sandbox' }])
})

test('where no payout rule fits, the provider that linked the account pays', async () => {
  const ann = await world.enroll('ann', 'United States')
  await world.fund(ann, 10_000)
  const { payments } = world.app.product
  const { payout_id: id } = await payments.withdraw({
    caller: toCaller(ann),
    body: { amount: '40.00', currency: 'USD', bankAccountId: await linkAccount(world, ann) },
    idempotencyKey: randomUUID(),
  })
  expect(await loadStoredPayout(world, id)).toMatchObject({ provider: 'sandbox' })
  expect(adyenDouble.calls).toEqual([])
})
