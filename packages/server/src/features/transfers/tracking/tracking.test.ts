import { randomUUID } from 'node:crypto'
import { withdraw } from '@tern/contract/banking'
import { directPayment } from '@tern/contract/payments'
import { endTracking, shareTracking, trackedTransfer, trackingLink } from '@tern/contract/transfers/tracking'
import { cancelTransfer, sendMoney, settleTransfer } from '@tern/contract/transfers'
import { beforeEach, expect, test } from 'vitest'
import { openTestApp } from '@tern/testkit/open-test-app'
import { linkAccount } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { steerPayout } from '@tern/testkit/banking'
import type { TransferRule } from '../decision/decide.ts'

let decision: ReturnType<TransferRule>

const world = await openTestApp({ transferRules: [() => decision] })
const ines = await world.enroll('ines', 'United States')
const lucas = await world.enroll('lucas', 'Germany')
await world.fund(ines, 50_000)
beforeEach(() => (decision = undefined))

const oneHourLater = () => new Date(world.app.product.now().getTime() + 3_600_000)
const send = async (undoSeconds = 0): Promise<string> => {
  const undoFields = undoSeconds > 0 ? { undo_seconds: undoSeconds } : {}
  const body = { recipient_id: lucas.id, amount: '10.00', source_currency: 'USD', ...undoFields } as const
  return (await ines.call(sendMoney, { body, idempotencyKey: randomUUID() })).transaction_id
}
const share = async (id: string, showsAmounts = false, person = ines) =>
  person.call(shareTracking, { params: { id }, body: { shows_amounts: showsAmounts } })
const parseCode = ({ url }: { url: string }) => new URL(url).pathname.split('/')[2] ?? ''
/** Requests the public view without a session. */
const requestTracking = async (code: string) => {
  const { status, body } = await world.raw('GET', `/tracking/${code}`)
  return { status, ...(body as object) }
}
const catchProblem = async (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (error as { problem: { code: string } }).problem.code,
  )

test('a shared transfer is visible without an account: first names, no amounts unless the sender shows them', async () => {
  const id = await send()
  const link = await share(id)
  expect(link).toMatchObject({ url: expect.stringMatching(/\/track\/[\w-]{43}$/), shows_amounts: false })
  const viewedTracking = await requestTracking(parseCode(link))
  expect(viewedTracking).toMatchObject({
    ...{ status: 200, state: 'delivered', sender: 'ines', recipient: 'lucas', amounts: null },
    ...{ source_currency: 'USD', target_currency: 'EUR', reference: expect.stringMatching(/^TRN-/) },
  })
  expect(viewedTracking).toMatchObject({ steps: [{ step: 'ordered' }, { step: 'delivered', at: expect.any(String) }] })
  const text = JSON.stringify(viewedTracking)
  for (const secret of ['Tester', '10.00', ines.email, lucas.email, id]) expect(text).not.toContain(secret)

  expect(await lucas.call(trackedTransfer, { params: { code: parseCode(link) } })).toMatchObject({ amounts: null })

  // The same link shows amounts once its sender allows it.
  expect(await share(id, true)).toEqual({ ...link, shows_amounts: true })
  expect(await requestTracking(parseCode(link))).toMatchObject({ amounts: { sent: '10.00', received: '9.30' } })
  expect(await ines.call(trackingLink, { params: { id } })).toMatchObject({ link: { url: link.url } })
})

test('concurrent requests make one link', async () => {
  const id = await send()
  const links = await Promise.all(Array.from({ length: 8 }, () => share(id)))
  expect(new Set(links.map(({ url }) => url)).size).toBe(1)
})

test('an ended link answers like one that never existed; a new one has another code', async () => {
  const id = await send()
  const link = await share(id)
  await ines.call(endTracking, { params: { id } })
  await ines.call(endTracking, { params: { id } })
  const unknownTracking = await requestTracking(
    `${parseCode(link).slice(0, 42)}${parseCode(link).endsWith('A') ? 'Q' : 'A'}`,
  )
  const endedTracking = await requestTracking(parseCode(link))
  expect(endedTracking).toMatchObject({ status: 404, code: 'not_found' })
  expect({ ...endedTracking, requestId: '' }).toEqual({ ...unknownTracking, requestId: '' })
  for (const invalidCode of ['x', parseCode(link).slice(1), `${parseCode(link)}A`, id]) {
    expect(await requestTracking(invalidCode)).toMatchObject({ code: 'not_found' })
  }
  expect(await ines.call(trackingLink, { params: { id } })).toEqual({ link: null })
  const secondShare = await share(id)
  expect(secondShare.url).not.toBe(link.url)
  expect(await requestTracking(parseCode(link))).toMatchObject({ status: 404 })
  expect(await requestTracking(parseCode(secondShare))).toMatchObject({ state: 'delivered' })
})

test('only the sender can share, see and end a transfer’s link', async () => {
  const id = await send()
  const link = await share(id)
  for (const person of [lucas, await world.enroll('mallory', 'Germany')]) {
    expect(await catchProblem(share(id, true, person))).toBe('not_found')
    expect(await catchProblem(person.call(trackingLink, { params: { id } }))).toBe('not_found')
    expect(await catchProblem(person.call(endTracking, { params: { id } }))).toBe('not_found')
  }
  expect(await requestTracking(parseCode(link))).toMatchObject({ state: 'delivered', amounts: null })
})

test('an undoable transfer can be shared once it is final', async () => {
  const id = await send(600)
  expect(await catchProblem(share(id))).toBe('not_trackable')
  await ines.call(settleTransfer, { params: { id } })
  expect(await requestTracking(parseCode(await share(id)))).toMatchObject({ state: 'delivered' })
  const undoableSend = await send(600)
  await ines.call(cancelTransfer, { params: { id: undoableSend } })
  expect(await catchProblem(share(undoableSend))).toBe('not_trackable')
})

test('a transfer under review is shown as such, and its outcome follows', async () => {
  decision = { outcome: 'hold', reason: 'review', until: oneHourLater() }
  const [clearedSend, canceledSend] = [await send(), await send()]
  const codes = [parseCode(await share(clearedSend)), parseCode(await share(canceledSend))] as const
  expect(await requestTracking(codes[0])).toMatchObject({
    state: 'being_checked',
    steps: [{ step: 'ordered' }, { step: 'checked', at: null }, { step: 'delivered', at: null }],
  })
  const { product } = world.app
  await product.heldTransfers.decideForOperator({
    operator: { name: 'an operator', note: 'fine' },
    id: clearedSend,
    decision: 'settle',
  })
  await ines.call(cancelTransfer, { params: { id: canceledSend } })
  expect(await requestTracking(codes[0])).toMatchObject({
    state: 'delivered',
    steps: [{ step: 'ordered' }, { step: 'checked' }, { step: 'delivered', at: expect.any(String) }],
  })
  expect(await requestTracking(codes[1])).toMatchObject({
    state: 'returned',
    steps: [{ step: 'ordered' }, { step: 'returned' }],
  })
})

test('a card-funded send and a withdrawal show when they were paid and arrived', async () => {
  const body = { amount: 500, currency: 'usd', recipientId: String(lucas.id), paymentSource: 'card' } as const
  const payment = await ines.call(directPayment, { body, idempotencyKey: randomUUID() })
  const code = parseCode(await share(payment.transaction_id))
  expect(await requestTracking(code)).toMatchObject({
    state: 'being_paid',
    steps: [{ step: 'ordered' }, { step: 'paid', at: null }, {}],
  })
  await payCheckout(payment.redirectUrl ?? '')
  await expect
    .poll(async () => (await requestTracking(code)) as unknown)
    .toMatchObject({
      state: 'delivered',
      steps: [
        { step: 'ordered' },
        { step: 'paid', at: expect.any(String) },
        { step: 'delivered', at: expect.any(String) },
      ],
    })

  const bankAccountId = await linkAccount(world, ines)
  const withdrawalBody = { amount: '6.00', currency: 'USD', bankAccountId } as const
  const { transaction_id: id, payout_id: payoutId } = await ines.call(withdraw, {
    body: withdrawalBody,
    idempotencyKey: randomUUID(),
  })
  const bankCode = parseCode(await share(id))
  expect(await requestTracking(bankCode)).toMatchObject({
    state: 'on_its_way',
    recipient: null,
    expected_on: expect.any(String),
  })
  await world.app.product.payments.submitPayout(payoutId)
  await steerPayout(world, payoutId, 'pay')
  await expect.poll(async () => (await requestTracking(bankCode)) as unknown).toMatchObject({ state: 'delivered' })
})

test.each(['fail', 'return'] as const)(
  'a withdrawal that ends in a %s is over, and its sender can still change the link',
  async (end) => {
    const rosa = await world.enroll('rosa', 'United States')
    await world.fund(rosa, 5000)
    const bankAccountId = await linkAccount(world, rosa)
    const body = { amount: '6.00', currency: 'USD', bankAccountId } as const
    const { transaction_id: id, payout_id: payoutId } = await rosa.call(withdraw, {
      body,
      idempotencyKey: randomUUID(),
    })
    const code = parseCode(await share(id, true, rosa))
    await world.app.product.payments.submitPayout(payoutId)
    if (end === 'return') {
      await steerPayout(world, payoutId, 'pay')
      await expect.poll(async () => (await requestTracking(code)) as unknown).toMatchObject({ state: 'delivered' })
    }
    await steerPayout(world, payoutId, end)
    await expect
      .poll(async () => (await requestTracking(code)) as unknown)
      .toMatchObject({
        ...{ state: 'returned', expected_on: null, amounts: { sent: '6.00' } },
        steps: [{ step: 'ordered' }, { step: 'returned', at: end === 'return' ? expect.any(String) : null }],
      })
    await share(id, false, rosa)
    expect(await requestTracking(code)).toMatchObject({ state: 'returned', amounts: null })
    await rosa.call(endTracking, { params: { id } })
    expect(await requestTracking(code)).toMatchObject({ status: 404 })
    expect(await catchProblem(share(id, false, rosa))).toBe('not_trackable')
  },
)

test('a card-funded send is not shared while it could be taken back', async () => {
  const rosa = await world.enroll('rosa', 'United States')
  const paymentBody = { amount: 500, currency: 'usd', recipientId: String(lucas.id), paymentSource: 'card' } as const
  const body = { ...paymentBody, undo_seconds: 600 }
  const payment = await rosa.call(directPayment, { body, idempotencyKey: randomUUID() })
  expect(await catchProblem(share(payment.transaction_id, false, rosa))).toBe('not_trackable')
})

// Must be the last test: it exhausts this address's limit for a minute.
test('an address that tries many codes is rate limited', async () => {
  const statuses = new Set<number>()
  for (let attempt = 0; attempt <= 120; attempt += 1) statuses.add((await requestTracking('x')).status)
  expect(statuses).toEqual(new Set([404, 429]))
})
