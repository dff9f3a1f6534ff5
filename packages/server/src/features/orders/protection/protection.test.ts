import { notifications } from '@tern/contract/notifications/notifications'
import {
  createProtectionRule,
  editProtectionRule,
  type NewProtectionRule,
  protectionRules,
  removeProtectionRule,
} from '@tern/contract/orders/protection-rules'
import { sendMoney } from '@tern/contract/transfers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  loadBalance,
  exchangeInto,
  nextKey,
  openMarket,
  type TestMarket,
  type TestWorker,
} from '@tern/testkit/orders/orders'
import type { TestPerson } from '@tern/testkit/app'
import { openTestApp } from '@tern/testkit/open-test-app'
import { confirm, loadFailedChecks, nextMail, settleCall, readRequirement } from '@tern/testkit/banking'
import { raiseLimits } from '@tern/testkit/people'
import { transact } from '../../../platform/database/db.ts'
import { lockName } from '../../../platform/database/locks.ts'

let market: TestMarket
let lucas: TestPerson
let payer: TestPerson
let workers: TestWorker[]

const dayMs = 86_400_000

const world = await openTestApp()
await raiseLimits(world.database.pool)
beforeEach(async () => {
  lucas = await world.enroll('lucas', 'Germany')
  payer = await world.enroll('atelier', 'Germany')
  await world.fund(payer, 1_000_000)
  market = await openMarket(world)
  // Sets the market's clock ahead of the world's, so that calls to the API are in its past.
  market.advance(60_000)
  // 1 EUR = 1.08 USD.
  await market.set({ USDT: '1', USDC: '1', EUR: '1.08' })
  workers = [market.first, market.worker(), market.worker()]
})
afterEach(async () => {
  for (const { errors } of workers) expect(errors).toEqual([])
  await market.close()
  expect(await loadFailedChecks(world)).toEqual([])
})

const create = (body: NewProtectionRule, person = lucas, key = nextKey()) =>
  person.call(createProtectionRule, { body, idempotencyKey: key })
const incomingRule = { kind: 'convert_incoming', currency: 'USDT', threshold: '1000.00' } as const
const shareRule = { kind: 'keep_share', currency: 'USDC', share_percent: 30 } as const
const loadRules = async (person = lucas) => (await person.call(protectionRules, {})).rules
/** Sends a payment to Lucas, with a confirmation if required. */
async function payFromFriend(amount: string): Promise<void> {
  const idempotencyKey = nextKey()
  const body = { recipient_id: lucas.id, source_currency: 'EUR', amount } as const
  const send = (confirmation?: string) => payer.call(sendMoney, { body, idempotencyKey, confirmation })
  const outcome = await settleCall(send())
  if (!('code' in outcome)) return
  const requirement = readRequirement(outcome)
  await confirm(world, payer, requirement)
  await send(requirement.id)
}
const deposit = (amountCents: number) => world.fund(lucas, amountCents)
const loadNotices = async (person = lucas) => {
  const { needs_action: neededActions, notifications: otherNotices } = await person.call(notifications, {})
  return [...neededActions, ...otherNotices].filter(({ code }) => code.startsWith('protection'))
}
const runWorkers = () => Promise.all(workers.map((worker) => worker.run()))
/** Incoming payments are processed once no older transaction is open on the server, including those of other tests. */
const longTimeout = { timeout: 150_000 }
vi.setConfig({ testTimeout: 240_000 })
const waitForActions = (count: number) =>
  expect
    .poll(async () => {
      await runWorkers()
      const { rowCount } = await world.database.pool.query(
        `select from protection_action a join protection_rule r on r.id = a.rule_id
          where r.user_id = $1 and a.state <> 'waiting'`,
        [lucas.id],
      )
      return rowCount
    }, longTimeout)
    .toBe(count)

describe('incoming money', () => {
  test('above the threshold is exchanged once by three workers, fee included', async () => {
    await create(incomingRule)
    await payFromFriend('2400.00')
    await waitForActions(1)
    await runWorkers()
    expect(await loadBalance(lucas, 'EUR')).toEqual(['1000.00', '0.00'])
    expect(await loadBalance(lucas, 'USDT'), '1386.14 EUR at 1.08, fee 13.86').toEqual(['1497.031200', '0.000000'])
    const [rule] = await loadRules()
    expect(rule).toMatchObject({
      ...{ kind: 'convert_incoming', on: true, threshold: '1000.00', currency: 'USDT', base_currency: 'EUR' },
      ...{ share_percent: null, acts_from: null, waiting: null },
      last_action: {
        ...{ source_currency: 'EUR', source_amount: '1386.14', target_amount: '1497.031200', fee: '13.86' },
        incoming: { amount: '2400.00', name: expect.stringContaining('atelier') },
      },
    })
    expect(await loadNotices()).toMatchObject([
      { code: 'protection_acted', params: { amount: '1386.14', target_amount: '1497.031200' } },
    ])
    expect(await nextMail(world, lucas, 'A protection rule exchanged money')).toContain('1,497.0312 USDT')
  })

  test('of concurrent payments triggers the rule once each, and leaves the threshold', async () => {
    await create(incomingRule)
    await Promise.all(Array.from({ length: 12 }, () => deposit(30_000)))
    await waitForActions(12)
    const [euros] = await loadBalance(lucas, 'EUR')
    expect(euros).toBe('1000.00')
    const { rows } = await world.database.pool.query<{ done: string; exchanges: string }>(
      `select count(*) filter (where a.state = 'done')::text as done,
          (select count(*)::text from transaction t where t.user_id = $1 and t.kind = 'EXCHANGE') as exchanges
         from protection_action a join protection_rule r on r.id = a.rule_id where r.user_id = $1`,
      [lucas.id],
    )
    expect(rows[0]?.done).toBe(rows[0]?.exchanges)
  })

  test('is not exchanged below the threshold, while the rule is off, or if it arrived before', async () => {
    await deposit(300_000)
    const { id } = await create(incomingRule)
    await deposit(100)
    await waitForActions(1)
    expect(await loadBalance(lucas, 'EUR'), 'the next payment brings it above').toEqual(['1000.00', '0.00'])
    await lucas.call(editProtectionRule, { params: { id }, body: { ...readTerms(incomingRule), on: false } })
    await deposit(50_000)
    await lucas.call(editProtectionRule, { params: { id }, body: { ...readTerms(incomingRule), threshold: '2000.00' } })
    await deposit(40_000)
    await waitForActions(2)
    expect(await loadBalance(lucas, 'EUR'), 'not above').toEqual(['1900.00', '0.00'])
    await lucas.call(removeProtectionRule, { params: { id } })
    await lucas.call(removeProtectionRule, { params: { id } })
    expect(await loadRules()).toEqual([])
  })

  test('is not exchanged beyond a limit; the owner is notified once, and it is not retried', async () => {
    await create(incomingRule)
    const setExchangeLimit = (max: string) =>
      world.database.pool.query(
        `update limit_policy set max_usd_minor = ${max} where verification_state = 'verified' and method = 'exchange'`,
      )
    const exchangePolicies = await world.database.pool.query(`select * from limit_policy where method = 'exchange'`)
    const setOutgoingLimit = (max: string) =>
      world.database.pool.query(
        `update limit_policy set max_usd_minor = ${max} where verification_state = 'verified' and direction = 'out'`,
      )
    await deposit(120_000)
    await (exchangePolicies.rowCount === 0 ? setOutgoingLimit('100') : setExchangeLimit('100'))
    try {
      await waitForActions(1)
      for (let round = 0; round < 3; round += 1) await runWorkers()
    } finally {
      await raiseLimits(world.database.pool)
    }
    expect(await loadBalance(lucas, 'EUR')).toEqual(['1200.00', '0.00'])
    expect(await loadRules()).toMatchObject([
      { waiting: { reason: 'limit_exceeded', reason_text: 'It would exceed one of your limits.' }, last_action: null },
    ])
    expect(await loadNotices()).toMatchObject([{ code: 'protection_waits', params: { reason: 'limit_exceeded' } }])
    await nextMail(world, lucas, "A protection rule couldn't exchange money")
    await runWorkers()
    expect(await loadBalance(lucas, 'EUR'), 'it does not loop').toEqual(['1200.00', '0.00'])
    await deposit(100)
    await waitForActions(2)
    expect(await loadRules(), 'the next payment is another occasion').toMatchObject([{ waiting: null }])
    expect(await loadBalance(lucas, 'EUR')).toEqual(['1000.00', '0.00'])
  })

  test('waits while rates are stale', async () => {
    await create(incomingRule)
    await deposit(150_000)
    market.advance(11 * 60_000)
    await expect
      .poll(async () => {
        await runWorkers()
        return (
          await world.database.pool.query(
            `select tries from protection_action a join protection_rule r on r.id = a.rule_id where r.user_id = $1`,
            [lucas.id],
          )
        ).rows
      })
      .toMatchObject([{ tries: 1 }])
    expect(await loadBalance(lucas, 'EUR')).toEqual(['1500.00', '0.00'])
    expect(await loadNotices()).toEqual([])
    market.advance(60_000)
    await market.set({})
    await waitForActions(1)
    expect(await loadBalance(lucas, 'EUR')).toEqual(['1000.00', '0.00'])
  })

  test('of two payments leads to one exchange when both would convert the same excess', async () => {
    await create(incomingRule)
    await deposit(150_000)
    await deposit(30_000)
    // Without rates, the actions of both payments wait.
    market.advance(11 * 60_000)
    await expect
      .poll(async () => {
        await market.first.run()
        const { rows } = await world.database.pool.query(
          `select tries from protection_action a join protection_rule r on r.id = a.rule_id where r.user_id = $1`,
          [lucas.id],
        )
        return rows
      }, longTimeout)
      .toEqual([{ tries: 1 }, { tries: 1 }])
    market.advance(60_000)
    await market.set({})
    const { pool } = world.database
    let pendingRun: Promise<void> | undefined
    // Both actions have a price and wait for the user's lock, under which they are checked one after the other.
    await transact(pool, async (tx) => {
      await lockName(tx, `protection of ${String(lucas.id)}`)
      pendingRun = market.first.run()
      const blockedSql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await pool.query(blockedSql)).rowCount).toBe(2)
    })
    await pendingRun
    await waitForActions(2)
    expect(await loadBalance(lucas, 'EUR')).toEqual(['1000.00', '0.00'])
    expect(await loadNotices()).toMatchObject([{ code: 'protection_acted', params: { amount: '792.08' } }])
  })
})

/** Returns the terms of a rule as an edit takes them, without the kind. */
function readTerms<T extends { kind: string }>(rule: T): Omit<T, 'kind'> {
  const { kind, ...rest } = rule
  expect(kind).toBeDefined()
  return rest
}

describe('a share', () => {
  beforeEach(async () => {
    await deposit(100_000)
  })

  test('is restored when too small, once a day by three workers', async () => {
    const createdRule = await create(shareRule)
    expect(createdRule).toMatchObject({
      share_percent: 30,
      tolerance_percent: 2,
      share_now_percent: '0.00',
      threshold: null,
    })
    await runWorkers()
    await runWorkers()
    expect(await loadBalance(lucas, 'USDC'), '300 EUR at 1.08').toEqual(['324.000000', '0.000000'])
    expect(await loadBalance(lucas, 'EUR')).toEqual(['697.00', '0.00'])
    const [rule] = await loadRules()
    expect(rule?.last_action).toMatchObject({ source_amount: '300.00', fee: '3.00', incoming: null })
    expect(Date.parse(rule?.acts_from ?? '') % dayMs).toBe(0)
    // At twice the value the share is above its tolerance, but the rule waits until the next day.
    await market.set({ USDC: '2' })
    await runWorkers()
    expect(await loadBalance(lucas, 'USDC')).toEqual(['324.000000', '0.000000'])
    market.advance(dayMs)
    await market.set({})
    await runWorkers()
    const [usdc] = await loadBalance(lucas, 'USDC')
    // 648 of 1,400.76 dollars are 46.26 %, which is 227.772 dollars too much.
    expect(usdc, '113.886 of them, and 1 % as the fee').toBe('208.975140')
    expect(await loadNotices()).toHaveLength(2)
  })

  test('is not restored within two percentage points', async () => {
    await exchangeInto(lucas, 'EUR', 'USDC', '300')
    const createdRule = await create({ ...shareRule, on: false })
    await runWorkers()
    const percent = BigInt(String(createdRule.share_now_percent).split('.')[0] ?? '')
    const nearRule = { ...readTerms(shareRule), share_percent: Number(percent) + 1 }
    await lucas.call(editProtectionRule, { params: { id: createdRule.id }, body: nearRule })
    await runWorkers()
    expect(await loadBalance(lucas, 'USDC')).toEqual(['300.000000', '0.000000'])
    const [rule] = await loadRules()
    expect(rule).toMatchObject({ on: true, last_action: null, waiting: null })
    market.advance(3_600_000)
    await market.set({})
    await lucas.call(editProtectionRule, {
      params: { id: createdRule.id },
      body: { ...readTerms(shareRule), share_percent: 60 },
    })
    await runWorkers()
    expect((await loadBalance(lucas, 'USDC'))[0]).not.toBe('300.000000')
  })

  test('is not checked while rates are stale', async () => {
    await create(shareRule)
    market.advance(11 * 60_000)
    await runWorkers()
    expect(await loadBalance(lucas, 'USDC')).toEqual(['0.000000', '0.000000'])
    await market.set({})
    await runWorkers()
    expect(await loadBalance(lucas, 'USDC')).toEqual(['324.000000', '0.000000'])
  })
})

test.each([
  ['no share', { kind: 'keep_share', currency: 'USDC' }, 'share_percent'],
  ['a whole share', { ...shareRule, share_percent: 100 }, 'share_percent'],
  ['a share of what comes in', { ...incomingRule, share_percent: 3 }, 'share_percent'],
  ['a threshold of a share', { ...shareRule, threshold: '1' }, 'threshold'],
  ['no threshold', { kind: 'convert_incoming', currency: 'USDT' }, 'threshold'],
  ['too many decimals', { ...incomingRule, threshold: '1.001' }, 'threshold'],
  ['the own currency', { ...incomingRule, currency: 'EUR' }, 'currency'],
  ['a currency that is not held', { ...incomingRule, currency: 'GBP' }, 'currency'],
] as const)('a rule is refused: %s', async (_, body, field) => {
  expect(await settleCall(create(body as NewProtectionRule))).toMatchObject({ errors: [{ field }] })
})

test('rules are private, created once per key, and limited to 20', async () => {
  const key = nextKey()
  const [firstRule, secondRule] = [await create(incomingRule, lucas, key), await create(incomingRule, lucas, key)]
  expect(firstRule).toEqual(secondRule)
  expect(await settleCall(create(shareRule, lucas, key))).toMatchObject({ code: 'idempotency_key_reused' })
  const stranger = await world.enroll('stranger', null)
  expect(await settleCall(create(incomingRule, stranger))).toMatchObject({ code: 'verification_required' })
  expect(
    await settleCall(payer.call(editProtectionRule, { params: { id: firstRule.id }, body: readTerms(incomingRule) })),
  ).toMatchObject({ code: 'not_found' })
  await payer.call(removeProtectionRule, { params: { id: firstRule.id } })
  expect(await loadRules()).toHaveLength(1)
  const createOutcomes = await Promise.all(Array.from({ length: 20 }, () => settleCall(create(incomingRule))))
  expect(
    createOutcomes.filter((outcome) => 'code' in outcome && outcome.code === 'too_many_protection_rules'),
  ).toHaveLength(1)
})
