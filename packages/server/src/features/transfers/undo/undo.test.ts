// Undoable sends: who decides them, their exact deadline, and what the recipient sees meanwhile.

import { randomUUID } from 'node:crypto'
import { createQuote } from '@tern/contract/exchange'
import { events } from '@tern/contract/events'
import { createPayment, directPayment } from '@tern/contract/payments'
import {
  cancelTransfer,
  sendMoney,
  setUndoWindow,
  settleTransfer,
  transferStatus,
  undoWindow,
} from '@tern/contract/transfers'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type TestApp, type TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { confirm, loadFailedChecks, loadMails, settleCall, readRequirement } from '@tern/testkit/banking'
import { callNode, startNode } from '@tern/testkit/nodes'
import { linkAccount, steer, waitForPayment } from '@tern/testkit/payments'
import { payCheckout } from '@tern/testkit/people'
import type { TransferRule } from '../decision/decide.ts'
import { createHeldTransfers } from '../transfers.ts'

let alice: TestPerson
let bruno: TestPerson
let ruleResult: ReturnType<TransferRule>

const world = await openTestApp({ transferRules: [() => ruleResult] })
afterAll(async () => expect(await loadFailedChecks(world)).toEqual([]))
beforeEach(async () => {
  ruleResult = undefined
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
  await world.fund(alice, 10_000)
})

const usd = { source_currency: 'USD' } as const
const send = (undoSeconds?: unknown, key: string = randomUUID(), amount = '20.00') => {
  const body = {
    ...usd,
    recipient_id: bruno.id,
    amount,
    ...(undoSeconds === undefined ? {} : { undo_seconds: undoSeconds as number }),
  }
  return alice.call(sendMoney, { body, idempotencyKey: key })
}
const loadStatus = (id: string, person = alice) => person.call(transferStatus, { params: { id } })
const cancel = (id: string, person = alice) => settleCall(person.call(cancelTransfer, { params: { id } }))
const settleTransferNow = (id: string, person = alice) => settleCall(person.call(settleTransfer, { params: { id } }))
const loadDollars = async () => {
  const { assets } = await alice.wallet()
  const usdAsset = assets.find(({ currency }) => currency === 'USD')
  return [usdAsset?.available, usdAsset?.held]
}
const createTestQuote = (person: TestPerson) =>
  alice.call(createQuote, {
    body: { ...usd, target_currency: 'EUR', amount: '20.00', side: 'source', recipient_id: person.id },
  })

/** Stored start and length of a hold. */
async function loadHold(id: string): Promise<{ from: number; ms: number }> {
  const { rows } = await world.database.pool.query<{ held_at: Date; held_until: Date }>(
    'select held_at, held_until from transfer where id = $1',
    [id],
  )
  const from = rows[0]!.held_at.getTime()
  return { from, ms: rows[0]!.held_until.getTime() - from }
}

/** Creates a process's held-transfer service, whose clock shows this time; `wallets` replaces some of its functions. */
function createProcessAt(ms: number, wallets: Partial<TestApp['app']['product']['wallets']> = {}) {
  const { product } = world.app
  const now = () => new Date(ms)
  const log = { error: (details: object) => expect(details).toBeUndefined() }
  const purposes = [product.requests]
  const parts = { publicUrl: world.url, purposes, now, log }
  return createHeldTransfers({ ...product, ...parts, wallets: { ...product.wallets, ...wallets } })
}

describe('an undoable send', () => {
  test('is final at once unless its request says otherwise', async () => {
    expect(await send()).toMatchObject({ status: 'COMPLETED' })
    expect(await send(0)).toMatchObject({ status: 'COMPLETED' })
    expect(await bruno.transactions()).toHaveLength(2)
  })

  test.each([-1, 1801, 0.5, '15', null])('is refused with %j seconds', async (seconds) => {
    expect(await settleCall(send(seconds))).toMatchObject({
      code: 'invalid_request',
      errors: [{ field: 'undo_seconds' }],
    })
    expect(await loadDollars()).toEqual(['100.00', '0.00'])
  })

  test.each([1, 15, 60, 1800])(
    'can be cancelled for %i seconds: at 0.9 of them always, at 1.1 never',
    async (seconds) => {
      const [{ transaction_id: earlyId }, { transaction_id: lateId }] = [await send(seconds), await send(seconds)]
      expect(await loadDollars()).toEqual(['59.60', '40.40'])
      const { from, ms } = await loadHold(earlyId)
      expect(ms).toBe(seconds * 1000)
      const sender = BigInt(alice.id)
      const [processBefore, processAfter] = [
        createProcessAt(from + 0.9 * ms),
        createProcessAt((await loadHold(lateId)).from + 1.1 * ms),
      ]
      await processBefore.endDue()
      await processBefore.cancel({ userId: sender, id: earlyId })
      expect(await processBefore.status({ userId: sender, id: earlyId })).toMatchObject({
        state: 'released',
        release_reason: 'cancelled',
      })
      // Although no process has settled it at its deadline, it can no longer be cancelled.
      await expect(processAfter.cancel({ userId: sender, id: lateId })).rejects.toMatchObject({
        code: 'not_cancelable',
      })
      expect(await processAfter.status({ userId: sender, id: lateId })).toMatchObject({ state: 'settled', hold: null })
      expect(await bruno.transactions()).toMatchObject([{ id: lateId, status: 'COMPLETED', amount: '18.60' }])
      expect(await loadDollars()).toEqual(['79.80', '0.00'])
    },
  )

  test('follows the product’s own clock, through its endpoints', async () => {
    const clock = world.app.product.providers.sandboxClock!
    const [{ transaction_id: earlyId }, { transaction_id: lateId }] = [await send(1800), await send(1800)]
    const { from, ms } = await loadHold(earlyId)
    const { from: lateStart } = await loadHold(lateId)
    try {
      await clock.set(new Date(from + 0.9 * ms))
      expect(await loadStatus(earlyId)).toMatchObject({ state: 'held' })
      expect(await cancel(earlyId)).toMatchObject({ state: 'released', release_reason: 'cancelled' })
      expect(await bruno.transactions()).toEqual([])
      await clock.set(new Date(lateStart + 1.1 * ms))
      expect(await cancel(lateId)).toMatchObject({ code: 'not_cancelable' })
      expect(await loadStatus(lateId)).toMatchObject({ state: 'settled', hold: null })
      expect(await cancel(earlyId), 'undone before').toMatchObject({ state: 'released' })
    } finally {
      await clock.set(new Date())
    }
    expect((await bruno.transactions()).map(({ id }) => id)).toEqual([lateId])
    expect(await loadDollars()).toEqual(['79.80', '0.00'])
  })

  test('is final at its deadline to the millisecond', async () => {
    const ids = [(await send(60)).transaction_id, (await send(60)).transaction_id] as const
    const [firstHold, secondHold] = [await loadHold(ids[0]), await loadHold(ids[1])]
    await createProcessAt(firstHold.from + firstHold.ms - 1).cancel({ userId: BigInt(alice.id), id: ids[0] })
    const lateCancellation = createProcessAt(secondHold.from + secondHold.ms).cancel({
      userId: BigInt(alice.id),
      id: ids[1],
    })
    await expect(lateCancellation).rejects.toMatchObject({ code: 'not_cancelable' })
    expect((await bruno.transactions()).map(({ id }) => id)).toEqual([ids[1]])
  })

  test('has settled for a sender who polls after its deadline, without a worker', async () => {
    const { transaction_id: id } = await send(30)
    const { from, ms } = await loadHold(id)
    expect(await createProcessAt(from + ms / 2).status({ userId: BigInt(alice.id), id })).toMatchObject({
      state: 'held',
      hold: { reason: 'undo', decided_by: 'sender', at_deadline: 'settle', lasts_ms: 30_000, remaining_ms: 15_000 },
    })
    const status = await createProcessAt(from + ms).status({ userId: BigInt(alice.id), id })
    expect(status).toMatchObject({ state: 'settled', transaction: { status: 'COMPLETED' } })
    expect(await bruno.transactions()).toHaveLength(1)
  })

  test('is the same under its key, and another with other seconds', async () => {
    const key = randomUUID()
    const first = await send(15, key)
    expect(await send(15, key)).toEqual(first)
    for (const otherSeconds of [30, 0, undefined]) {
      expect(await settleCall(send(otherSeconds, key))).toMatchObject({ code: 'idempotency_key_reused' })
    }
    const plainKey = randomUUID()
    await send(undefined, plainKey)
    expect(await send(0, plainKey), 'none at all, in both cases').toMatchObject({ status: 'COMPLETED' })
    expect(await settleCall(send(15, plainKey))).toMatchObject({ code: 'idempotency_key_reused' })
  })

  test('can be settled early, once, and only by its sender', async () => {
    const { transaction_id: id } = await send(1800)
    expect(await settleTransferNow(id, bruno)).toMatchObject({ code: 'not_found' })
    expect(await cancel(id, bruno)).toMatchObject({ code: 'not_found' })
    expect(await settleTransferNow(id)).toMatchObject({
      state: 'settled',
      hold: null,
      transaction: { status: 'COMPLETED' },
    })
    expect(await settleTransferNow(id)).toMatchObject({ code: 'transfer_not_held' })
    expect(await cancel(id)).toMatchObject({ code: 'not_cancelable' })
    expect(await bruno.transactions()).toHaveLength(1)
  })

  test('is invisible to its recipient before: no row, event, balance, pending amount or mail', async () => {
    const stream = await openStream(bruno)
    const mailsBefore = (await loadMails(world, bruno, /./)).length
    const walletBefore = await bruno.wallet()
    const { transaction_id: undoneId } = await send(1800)
    expect(await bruno.transactions()).toEqual([])
    expect(await bruno.wallet()).toEqual(walletBefore)
    await cancel(undoneId)
    const { transaction_id: secondSendId } = await send(1800)
    expect(await bruno.transactions()).toEqual([])
    await settleTransferNow(secondSendId)
    await vi.waitUntil(() => stream.text().includes(secondSendId), { timeout: 120_000 })
    expect(stream.text()).not.toContain(undoneId)
    expect(await bruno.transactions()).toMatchObject([{ id: secondSendId }])
    expect(await loadMails(world, bruno, /./)).toHaveLength(mailsBefore)
    await stream.close()
  })

  test('notifies its sender’s pages at once when cancelled', async () => {
    const wokenIds: bigint[] = []
    const stopListening = world.app.product.waker.onWake((userIds) => wokenIds.push(...userIds))
    const { transaction_id: id } = await send(1800)
    wokenIds.length = 0
    await cancel(id)
    stopListening()
    expect(wokenIds).toEqual([BigInt(alice.id)])
    expect((await alice.transactions())[0]).toMatchObject({ id, status: 'FAILED', release_reason: 'cancelled' })
  })

  test('held by a rule for review is decided by operators, regardless of its undo time', async () => {
    ruleResult = { outcome: 'hold', reason: 'review', until: new Date(world.app.product.now().getTime() + 3_600_000) }
    const { transaction_id: id } = await send(15)
    expect(await loadStatus(id)).toMatchObject({ hold: { reason: 'review', decided_by: 'operator' } })
    const { from } = await loadHold(id)
    await createProcessAt(from + 60_000).endDue()
    expect(await loadStatus(id)).toMatchObject({ state: 'held' })
    ruleResult = { outcome: 'refuse', code: 'limit_exceeded' }
    expect(await settleCall(send(15))).toMatchObject({ code: 'limit_exceeded' })
    ruleResult = { outcome: 'settle' }
    expect(await send(15)).toMatchObject({ status: 'PENDING' })
  })

  test('needs its confirmation before it is held, and counts against limits and the quote as usual', async () => {
    await world.fund(alice, 20_000)
    const { quote_id: quoteId } = await createTestQuote(bruno)
    const quotedBody = { ...usd, recipient_id: bruno.id, amount: '20.00', quote_id: quoteId, undo_seconds: 60 }
    const order = { ...quotedBody, target_currency: 'EUR' } as const
    await alice.call(sendMoney, { body: order, idempotencyKey: randomUUID() })
    const retryOutcome = settleCall(alice.call(sendMoney, { body: order, idempotencyKey: randomUUID() }))
    expect(await retryOutcome).toMatchObject({ code: 'quote_used' })
    const key = randomUUID()
    const sendLarge = (confirmation?: string) => {
      const body = { ...usd, recipient_id: bruno.id, amount: '150.00', undo_seconds: 60 }
      return settleCall(alice.call(sendMoney, { body, idempotencyKey: key, confirmation }))
    }
    const requirement = readRequirement(await sendLarge())
    expect((await alice.transactions()).filter(({ status }) => status === 'PENDING')).toHaveLength(1)
    await confirm(world, alice, requirement)
    expect(await sendLarge(requirement.id)).toMatchObject({ status: 'PENDING' })
  })

  test('without a recipient returns to its sender, with a mail', async () => {
    const { transaction_id: id } = await send(15)
    const { from, ms } = await loadHold(id)
    const { findParty } = world.app.product.wallets
    const transfersWithoutBruno = createProcessAt(from + ms, {
      findParty: async (db, userId) => (userId === BigInt(bruno.id) ? undefined : findParty(db, userId)),
    })
    await transfersWithoutBruno.endDue()
    expect(await loadStatus(id)).toMatchObject({ state: 'released', release_reason: 'expired' })
    expect((await alice.transactions())[0]).toMatchObject({ id, status: 'FAILED', release_reason: 'expired' })
    expect(await loadDollars()).toEqual(['100.00', '0.00'])
    await vi.waitUntil(async () => (await loadMails(world, alice, "Your transfer didn't go through")).length === 1)
  })
})

/** Opens a user's event stream, and collects its events. */
async function openStream(person: TestPerson) {
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${person.token}` }
  const response = await fetch(`${world.url}/api${events.path}`, { headers, signal: abort.signal })
  let text = ''
  const readLoop = (async () => {
    for await (const chunk of response.body!) text += Buffer.from(chunk).toString()
  })().catch(() => {})
  await vi.waitUntil(() => text.length > 0, { timeout: 120_000 })
  return {
    text: () => text,
    async close() {
      abort.abort()
      await readLoop
    },
  }
}

describe('an undoable card-funded send', () => {
  const startPayment = (undo_seconds?: number, paymentSource: 'card' | 'bank' = 'card') =>
    alice.call(directPayment, {
      body: {
        ...{ amount: 5000, currency: 'usd', recipientId: String(bruno.id), paymentSource },
        ...(undo_seconds === undefined ? {} : { undo_seconds }),
      },
      idempotencyKey: randomUUID(),
    })

  test('can be cancelled from the arrival of its money, which stays in the wallet', async () => {
    const { payment_id: paymentId, transaction_id: id, redirectUrl } = await startPayment(60)
    expect(await loadStatus(id)).toMatchObject({
      state: 'awaiting_funding',
      hold: { reason: 'undo', remaining_ms: 60_000 },
    })
    await payCheckout(redirectUrl!)
    await waitForPayment(alice, paymentId, 'completed')
    expect(await loadStatus(id)).toMatchObject({ state: 'held', hold: { reason: 'undo' } })
    const { from, ms } = await loadHold(id)
    expect(ms).toBe(60_000)
    await createProcessAt(from + 0.9 * ms).cancel({ userId: BigInt(alice.id), id })
    expect(await loadDollars()).toEqual(['150.50', '0.00'])
    expect(await bruno.transactions()).toEqual([])
  })

  test('settles at its deadline', async () => {
    const { payment_id: paymentId, transaction_id: id, redirectUrl } = await startPayment(15)
    await payCheckout(redirectUrl!)
    await waitForPayment(alice, paymentId, 'completed')
    const { from, ms } = await loadHold(id)
    const lateProcess = createProcessAt(from + 1.1 * ms)
    await expect(lateProcess.cancel({ userId: BigInt(alice.id), id })).rejects.toMatchObject({ code: 'not_cancelable' })
    expect(await bruno.transactions()).toMatchObject([{ id, status: 'COMPLETED' }])
    expect(await loadDollars()).toEqual(['100.00', '0.00'])
  })

  test('settles on arrival of its money unless its request says otherwise', async () => {
    const { payment_id: paymentId, transaction_id: id, redirectUrl } = await startPayment()
    await payCheckout(redirectUrl!)
    await waitForPayment(alice, paymentId, 'completed')
    expect(await loadStatus(id)).toMatchObject({ state: 'settled' })
  })

  test('by bank is held for the same time once the bank has paid', async () => {
    await linkAccount(world, alice)
    const { payment_id: paymentId, transaction_id: id } = await startPayment(30, 'bank')
    await steer(world, paymentId, 'settle')
    await waitForPayment(alice, paymentId, 'completed')
    expect(await settleTransferNow(id)).toMatchObject({ state: 'settled' })
  })

  test('is another order with other seconds, through either endpoint', async () => {
    const key = randomUUID()
    const body = { purpose: 'send', method: 'card', amount: '50.00', currency: 'USD', recipient_id: bruno.id } as const
    const create = (undo_seconds: number) =>
      settleCall(alice.call(createPayment, { body: { ...body, undo_seconds }, idempotencyKey: key }))
    const first = await create(15)
    expect(await create(15)).toEqual(first)
    expect(await create(30)).toMatchObject({ code: 'idempotency_key_reused' })
    expect(await settleCall(startPayment(1801))).toMatchObject({
      code: 'invalid_request',
      errors: [{ field: 'undo_seconds' }],
    })
  })
})

describe('the undo window', () => {
  const loadWindow = () => alice.call(undoWindow, {})
  const chooseWindow = (body: unknown) => settleCall(alice.call(setUndoWindow, { body: body as never }))

  test('is 15 seconds for new payees unless its owner chooses otherwise', async () => {
    expect(await loadWindow()).toEqual({ seconds: 15, applies_to: 'new_payees' })
    expect(await createTestQuote(bruno)).toMatchObject({ undo_seconds: 15 })
    // Held and cancelled sends do not make the payee known.
    await cancel((await send(60)).transaction_id)
    const { transaction_id: heldId } = await send(60)
    expect(await createTestQuote(bruno)).toMatchObject({ undo_seconds: 15 })
    await settleTransferNow(heldId)
    expect(await createTestQuote(bruno), 'paid before').toMatchObject({ undo_seconds: 0 })
    const carol = await world.enroll('carol', 'Germany')
    expect(await createTestQuote(carol)).toMatchObject({ undo_seconds: 15 })
  })

  test('is stated with a fresh quote too, and not without a recipient', async () => {
    const { quote_id: quoteId } = await createTestQuote(bruno)
    await world.database.pool.query(
      `update quote set locked_price = jsonb_set(locked_price, '{expiresAt}', '"2020-01-01T00:00:00.000Z"') where id = $1`,
      [quoteId],
    )
    const body = { ...usd, target_currency: 'EUR', recipient_id: bruno.id, amount: '20.00', quote_id: quoteId } as const
    expect(await settleCall(alice.call(sendMoney, { body, idempotencyKey: randomUUID() }))).toMatchObject({
      code: 'quote_expired',
      quote: { undo_seconds: 15 },
    })
    const exchange = await alice.call(createQuote, {
      body: { ...usd, target_currency: 'USDT', amount: '20.00', side: 'source' },
    })
    expect(exchange).not.toHaveProperty('undo_seconds')
  })

  test('applies to all payees, to none, or with another length', async () => {
    await send()
    expect(await chooseWindow({ seconds: 1800, applies_to: 'everybody' })).toEqual({
      seconds: 1800,
      applies_to: 'everybody',
    })
    expect(await loadWindow()).toEqual({ seconds: 1800, applies_to: 'everybody' })
    expect(await createTestQuote(bruno)).toMatchObject({ undo_seconds: 1800 })
    await chooseWindow({ seconds: 60, applies_to: 'nobody' })
    const carol = await world.enroll('carol', 'Germany')
    expect(await createTestQuote(carol)).toMatchObject({ undo_seconds: 0 })
    await chooseWindow({ seconds: 0, applies_to: 'everybody' })
    expect(await createTestQuote(carol)).toMatchObject({ undo_seconds: 0 })
    expect(await bruno.call(undoWindow, {}), 'of nobody else').toEqual({ seconds: 15, applies_to: 'new_payees' })
  })

  test.each([
    [{ seconds: -1, applies_to: 'everybody' }, 'seconds'],
    [{ seconds: 1801, applies_to: 'everybody' }, 'seconds'],
    [{ seconds: 1.5, applies_to: 'everybody' }, 'seconds'],
    [{ seconds: '15', applies_to: 'everybody' }, 'seconds'],
    [{ applies_to: 'everybody' }, 'seconds'],
    [{ seconds: 15, applies_to: 'friends' }, 'applies_to'],
    [{ seconds: 15 }, 'applies_to'],
    [{ seconds: 15, applies_to: 'everybody', user_id: 1 }, 'user_id'],
  ])('refuses %j', async (body, field) => {
    expect(await chooseWindow(body)).toMatchObject({ code: 'invalid_request', errors: [{ field }] })
    expect(await loadWindow()).toEqual({ seconds: 15, applies_to: 'new_payees' })
  })

  test('is changed at most thirty times a minute', async () => {
    const codes = new Set<unknown>()
    for (let change = 0; change < 62 && !codes.has('rate_limited'); change += 1) {
      const outcome = await chooseWindow({ seconds: 15, applies_to: 'everybody' })
      codes.add('code' in outcome ? outcome.code : 'done')
    }
    expect([...codes]).toEqual(['done', 'rate_limited'])
  })
})

describe('several processes', () => {
  test('settle within moments of the deadline by a worker, and never before it', async () => {
    const worker = await startNode(world, { role: 'worker' })
    try {
      const { transaction_id: id } = await send(2)
      await vi.waitUntil(async () => (await bruno.transactions()).length === 1, { timeout: 120_000, interval: 100 })
      const { rows } = await world.database.pool.query<{ after: number; decided_by: string }>(
        `select extract(epoch from decided_at - held_until)::float8 as after, decided_by from transfer where id = $1`,
        [id],
      )
      expect(rows[0]!.decided_by).toBe('deadline')
      expect(rows[0]!.after).toBeGreaterThanOrEqual(0)
      // The follower runs every half second. The task that runs every minute would take longer on average.
      expect(rows[0]!.after).toBeLessThan(10)
    } finally {
      await worker.close()
    }
  })

  test('accept concurrent cancellations as one, and each reports success', async () => {
    const node = await startNode(world)
    try {
      for (let round = 0; round < 5; round += 1) {
        const { transaction_id: id } = await send(1800)
        const call = { method: 'POST', path: `/transfers/${id}/cancel` }
        const urls = [world.url, node.url, world.url, node.url]
        const answers = await Promise.all(urls.map((url) => callNode(url, alice, call)))
        for (const { status, body } of answers) {
          expect([status, body.state, body.release_reason]).toEqual([200, 'released', 'cancelled'])
        }
        const { rows } = await world.database.pool.query(`select from ledger.posting where reference = $1`, [id])
        expect(rows, 'held once, and given back once').toHaveLength(2)
      }
      expect(await loadDollars()).toEqual(['100.00', '0.00'])
      expect(await bruno.transactions()).toEqual([])
    } finally {
      await node.close()
    }
  })

  test('a concurrent cancellation, settlement and deadline have exactly one effect', async () => {
    const nodes = await Promise.all([
      startNode(world),
      startNode(world, { role: 'worker' }),
      startNode(world, { role: 'worker' }),
    ])
    const urls = [world.url, nodes[0].url]
    try {
      const outcomes = { settled: 0, released: 0 }
      for (let round = 0; round < 10; round += 1) {
        const { transaction_id: id } = await send(1, randomUUID(), '1.00')
        const { from, ms } = await loadHold(id)
        // Waits until about the deadline: before it in the first rounds, after it in later ones.
        await vi.waitUntil(() => world.app.product.now().getTime() >= from + ms - 60 + round * 10, {
          interval: 2,
          timeout: 120_000,
        })
        const path = `/transfers/${id}`
        const actions = round % 2 === 0 ? ['cancel', 'settle'] : ['cancel']
        const answers = await Promise.all(
          urls.flatMap((url) =>
            actions.map((action) => callNode(url, alice, { method: 'POST', path: `${path}/${action}` })),
          ),
        )
        await vi.waitUntil(async () => (await loadStatus(id)).state !== 'held', { timeout: 120_000 })
        const { state } = await loadStatus(id)
        expect(['settled', 'released']).toContain(state)
        outcomes[state as keyof typeof outcomes] += 1
        // Each success that was reported matches the final state.
        for (const { status, body } of answers) if (status === 200) expect(body.state).toBe(state)
        expect((await bruno.transactions()).filter((row) => row.id === id)).toHaveLength(state === 'settled' ? 1 : 0)
      }
      expect(await bruno.transactions()).toHaveLength(outcomes.settled)
      const amountCents = 10_000 - 101 * outcomes.settled
      expect(await loadDollars()).toEqual([
        `${Math.floor(amountCents / 100)}.${String(amountCents % 100).padStart(2, '0')}`,
        '0.00',
      ])
    } finally {
      await Promise.all(nodes.map((node) => node.close()))
    }
  }, 600_000)
})
