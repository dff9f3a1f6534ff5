import type { CardProvider } from '@tern/providers/collect/port'
import { cancelGuestPayment, guestPayment } from '@tern/contract/requests/guest-payments'
import { notifications } from '@tern/contract/notifications/notifications'
import { checks } from '@tern/contract/compliance/checks'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TestPerson } from '@tern/testkit/app'
import { loadFailedChecks, nextMail, settleCall } from '@tern/testkit/banking'
import { startTestDesk } from '@tern/testkit/desk'
import { callNode, startNode } from '@tern/testkit/nodes'
import { requestMoney, startGuestPayment, loadDetails, createPaymentsWith, findSandbox } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import { decideAt, findQueueEntry, importNames } from '@tern/testkit/compliance/cases'

const listedName = 'Zebulon Quartermain'

let rosa: TestPerson

// The sandbox sends no events here, so that each test decides when a payment is polled.
const desk = await startTestDesk({ unconfirmedPayments: 'any', events: 'lost' })
const world = desk.world
const [ana, ben] = await Promise.all([desk.createOperator('reviewer'), desk.createOperator('reviewer')])
const otherNode = await startNode(world)
afterAll(async () => {
  await otherNode.close()
  await world.close()
})
beforeEach(async () => {
  await importNames(world, [listedName])
  rosa = await world.enroll('rosa', 'Germany')
  await world.database.pool.query('delete from rate_limit')
})
afterEach(async () => expect(await loadFailedChecks(world)).toEqual([]))

interface GuestPayment {
  readonly receipt: string
  readonly requestId: string
  readonly paymentId: string
  readonly email: string
}

let guestCount = 0
/** Begins a guest's payment, and has its card authorized. */
async function startGuest(name: string): Promise<GuestPayment> {
  const { data, id: requestId } = await requestMoney(rosa)
  const email = `listed${(guestCount += 1)}@example.com`
  const { receipt, redirect_url: url } = await startGuestPayment(rosa, data, { name, email })
  await payCheckout(url!)
  const { rows } = await world.database.pool.query<{ payment_id: string }>(
    'select payment_id from guest_payment where request_id = $1',
    [requestId],
  )
  return { receipt, requestId, paymentId: rows[0]!.payment_id, email }
}

const check = ({ paymentId }: GuestPayment) => world.app.product.payments.check(paymentId)
const loadReceipt = ({ receipt }: GuestPayment) => rosa.call(guestPayment, { params: { receipt } })
const loadBalance = async () => (await rosa.wallet()).fiat_balance
/** Status of the payment's session in the sandbox. */
async function loadSessionStatus({ paymentId }: GuestPayment): Promise<string> {
  const { rows } = await world.database.pool.query<{ session_id: string }>(
    'select session_id from payment where id = $1',
    [paymentId],
  )
  return (await findSandbox(world).collect.card.lookup(rows[0]!.session_id)).status
}

const loadNotices = async () => {
  const { needs_action: neededActions, notifications: otherNotices } = await rosa.call(notifications, { query: {} })
  return [...neededActions, ...otherNotices].map(({ code, params }) => [code, params] as const)
}

async function loadCaseId({ paymentId }: GuestPayment): Promise<string> {
  const { rows } = await world.database.pool.query<{ id: string }>(
    `select id from compliance_case where counterparty_id = $1 and kind = 'counterparty_name'`,
    [paymentId],
  )
  expect(rows, 'a case about the payment').toHaveLength(1)
  return rows[0]!.id
}

async function decide(guestPayment: GuestPayment, verdict: 'clear' | 'confirm'): Promise<void> {
  const entry = await findQueueEntry(world, await loadCaseId(guestPayment))
  expect((await decideAt(ana, 'cases', entry, verdict)).body).toMatchObject({ outcome: 'proposed' })
  expect((await decideAt(ben, 'cases', entry, verdict)).body).toMatchObject({ outcome: 'carried_out' })
}

/** Charges the card, with `prepare` run between the decision to charge and the request to the provider. */
async function captureAfter(guestPayment: GuestPayment, prepare: () => Promise<void>): Promise<void> {
  const { card } = findSandbox(world).collect
  const capture: CardProvider['capture'] = async (session) => {
    await prepare()
    return card.capture(session)
  }
  await createPaymentsWith(world, { card: { capture } }).check(guestPayment.paymentId)
}

describe('a possibly listed guest', () => {
  test('is not charged before two people have cleared the name; then the money arrives', async () => {
    const guestPayment = await startGuest('Quartermain, Zebulon')
    await check(guestPayment)
    expect(await loadReceipt(guestPayment)).toMatchObject({ state: 'held', redirect_url: null, reason: null })
    expect(await loadSessionStatus(guestPayment)).toBe('authorized')
    const request = await loadDetails(rosa, guestPayment.requestId)
    expect(request.payments).toMatchObject([{ guest_name: 'Quartermain, Zebulon', state: 'processing' }])
    const caseId = await loadCaseId(guestPayment)
    // The requester sees that the payment is under review, but not why.
    expect(await rosa.call(checks, {})).toMatchObject([
      {
        id: caseId,
        kind: 'payment',
        telling: 'limited',
        state: 'open',
        transfers: [],
        request_id: guestPayment.requestId,
      },
    ])
    expect((await loadNotices()).filter(([code]) => code === 'check_holds')).toEqual([
      ['check_holds', { amount: '20.00', currency: 'EUR', until: expect.any(String), by_guest: true }],
    ])
    const caseList = await ana.call('GET', '/queues/cases')
    const entry = await findQueueEntry(world, caseId)
    expect(caseList.body.items).toContainEqual(
      expect.objectContaining({ id: entry, kind: 'counterparty_name', amount: expect.anything() }),
    )
    const { body } = await ana.call('GET', `/queues/cases/${entry}`)
    const facts = Object.fromEntries(
      body.sections.flatMap((section: { code: string; facts: { label: string; text: unknown }[] }) =>
        section.facts.map((fact) => [`${section.code} ${fact.label}`, fact]),
      ),
    )
    expect(facts['counterparty name']).toMatchObject({ text: 'Quartermain, Zebulon' })
    expect(facts['counterparty payment_id']).toMatchObject({ text: guestPayment.paymentId })
    const { comparison } = body.sections.find(({ code }: { code: string }) => code === 'match')
    expect(comparison).toMatchObject({
      own: { label: 'side_guest', name: 'Quartermain, Zebulon' },
      other: { name: listedName },
    })
    const birthDateRow = comparison.rows.find(({ label }: { label: string }) => label === 'date_of_birth')
    expect(birthDateRow, 'of a guest nothing but the name is known').toMatchObject({ own: [], compared: 'not_given' })

    expect(
      await settleCall(rosa.call(cancelGuestPayment, { params: { receipt: guestPayment.receipt } })),
    ).toMatchObject({
      code: 'not_cancelable',
    })
    expect((await decideAt(ana, 'cases', entry, 'clear')).body).toMatchObject({ outcome: 'proposed' })
    await check(guestPayment)
    expect(await loadSessionStatus(guestPayment), 'one person clears nothing').toBe('authorized')
    expect((await decideAt(ben, 'cases', entry, 'clear')).body).toMatchObject({ outcome: 'carried_out' })
    await check(guestPayment)
    expect(await loadReceipt(guestPayment)).toMatchObject({ state: 'paid' })
    expect(await loadBalance()).toBe('20.00')
    // A new list opens no second case about a cleared name.
    await importNames(world, [listedName, 'Ottoline Fernsby'])
    await loadCaseId(guestPayment)
  })

  test('is released when two people confirm the match, and others can pay the request', async () => {
    const guestPayment = await startGuest(listedName)
    await check(guestPayment)
    await decide(guestPayment, 'confirm')
    await check(guestPayment)
    expect(await loadReceipt(guestPayment)).toMatchObject({
      ...{
        state: 'failed',
        reason: 'We can’t accept this payment. Your card was not charged, or is being refunded.',
      },
    })
    expect(await loadSessionStatus(guestPayment)).toBe('declined')
    expect(await loadBalance()).toBe('0.00')
    expect(await loadDetails(rosa, guestPayment.requestId)).toMatchObject({ state: 'open', payments: [] })
    expect(await loadNotices()).toContainEqual(['check_decided', { state: 'not_accepted' }])
    const mail = await nextMail(world, { email: guestPayment.email }, /./)
    expect(mail).not.toMatch(/list|sanction/i)
  })

  test('listed during the charge: the money waits at the provider, and arrives once cleared', async () => {
    const guestPayment = await startGuest('Thaddeus Bramblewick')
    await captureAfter(guestPayment, () => importNames(world, [listedName, 'Thaddeus Bramblewick']))
    expect(await loadSessionStatus(guestPayment)).toBe('settled')
    expect(await loadReceipt(guestPayment)).toMatchObject({ state: 'held' })
    expect(await loadBalance()).toBe('0.00')
    await check(guestPayment)
    expect(await loadBalance(), 'asking again changes nothing').toBe('0.00')
    await decide(guestPayment, 'clear')
    await check(guestPayment)
    expect(await loadReceipt(guestPayment)).toMatchObject({ state: 'paid' })
    expect(await loadBalance()).toBe('20.00')
  })

  test('confirmed after the charge: an operator refunds the card', async () => {
    const guestPayment = await startGuest('Thaddeus Bramblewick')
    await captureAfter(guestPayment, () => importNames(world, [listedName, 'Thaddeus Bramblewick']))
    await decide(guestPayment, 'confirm')
    await check(guestPayment)
    expect(await loadBalance()).toBe('0.00')
    const { rows } = await world.database.pool.query(
      'select detail from reconciliation_exception where reference = $1 and closed_at is null',
      [guestPayment.paymentId],
    )
    expect(rows).toEqual([{ detail: 'capture_not_awaited' }])
  })

  test('is found by an import while the payment is under way', async () => {
    const guestPayment = await startGuest('Ottoline Fernsby')
    const silentCard: Partial<CardProvider> = {
      capture: () => Promise.resolve({ status: 'unknown', reason: 'a test loses the answer' }),
    }
    await createPaymentsWith(world, { card: silentCard }).check(guestPayment.paymentId)
    expect(await loadReceipt(guestPayment)).toMatchObject({ state: 'processing' })
    await importNames(world, [listedName, 'Ottoline Fernsby'])
    await loadCaseId(guestPayment)
    await check(guestPayment)
    expect(await loadReceipt(guestPayment)).toMatchObject({ state: 'held' })
    expect(await loadSessionStatus(guestPayment)).toBe('authorized')
    await decide(guestPayment, 'clear')
    await check(guestPayment)
    expect(await loadReceipt(guestPayment)).toMatchObject({ state: 'paid' })
  })
})

test('an unlisted guest pays at once, and no case is opened', async () => {
  const guestPayment = await startGuest('Gina Guest')
  await check(guestPayment)
  expect(await loadReceipt(guestPayment)).toMatchObject({ state: 'paid' })
  expect(await loadBalance()).toBe('20.00')
  expect(await rosa.call(checks, {})).toEqual([])
})

test('an import in one process during a charge in another holds money that had not arrived before', async () => {
  const name = 'Leocadia Thistlewood'
  const guestPayments: GuestPayment[] = []
  for (let n = 0; n < 6; n += 1) guestPayments.push(await startGuest(name))
  await world.database.pool.query(`update payment set last_polled_at = last_polled_at - interval '1 minute'`)
  const read = ({ receipt }: GuestPayment) =>
    callNode(otherNode.url, rosa, { method: 'GET', path: `/guest-payments/${receipt}` })
  const readAll = async () => {
    for (const payment of guestPayments) await read(payment)
  }
  await Promise.all([readAll(), importNames(world, [listedName, name])])
  const { rows } = await world.database.pool.query<{ status: string; is_known: boolean; has_case: boolean }>(
    `select p.status, s.screened_epoch = (select max(number) from screening_epoch) as is_known,
         exists (select from compliance_case c where c.counterparty_id = s.id and c.state = 'open') as has_case
       from payment p join screening_counterparty s on s.id = p.id where p.id = any($1)`,
    [guestPayments.map(({ paymentId }) => paymentId)],
  )
  expect(rows).toHaveLength(6)
  for (const row of rows) {
    expect(row.status).toBe(row.has_case ? 'pending' : 'completed')
    if (row.is_known) expect(row.has_case).toBe(true)
  }
})
