// Orders that the worker completes later: exchange orders, scheduled sends, and requests that their payer pays.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { placeOrder } from '@tern/contract/orders/orders'
import { payLink, quoteForLink } from '@tern/contract/requests/payment-links'
import { createRequest } from '@tern/contract/requests/requests'
import { Refused } from '@tern/contract/protocol/client'
import { createSchedule } from '@tern/contract/schedules/schedules'
import type pg from 'pg'
import { isDatabaseUnavailable } from '../../packages/server/src/platform/database/database-errors.ts'
import { type Actor, ignoreRefusal } from '../harness/actor.ts'

const pauseMs = 2000
const maxSchedules = 20
// Fewer than a person may create in an hour.
const maxRequests = 50
const dayMs = 86_400_000
const scheduleMs = 150_000

/** Confirms what `error` requires, as its person would by password and code; returns the confirmation's id. */
async function confirm(pool: pg.Pool, error: unknown): Promise<string> {
  if (!(error instanceof Refused) || error.code !== 'step_up_required') throw error
  const { id } = (error.problem as unknown as { confirmation: { id: string } }).confirmation
  await pool.query('update step_up_confirmation set confirmed_at = created_at where id = $1', [id])
  return id
}

export type LaterOrders = ReturnType<typeof startLaterOrders>

/** Places orders of all three kinds until stopped. `now` is the time of the product. */
export function startLaterOrders(pool: pg.Pool, payer: Actor, payee: Actor, now: Date) {
  const acknowledged = { orders: new Set<string>(), schedules: new Set<string>(), requests: new Set<string>() }
  let isStopped = false
  let requests = 0
  const nextDay = new Date(now.getTime() + 2 * dayMs).toISOString().slice(0, 10)
  const dueAt = new Date(`${nextDay}T09:00:00Z`)

  async function placeExchange(): Promise<void> {
    const body = {
      kind: 'limit',
      source_currency: 'USD',
      target_currency: 'USDT',
      rate_currency: 'USD',
      amount: '1.00',
      rate: '0.5',
    } as const
    acknowledged.orders.add((await payer.call(placeOrder, { body, idempotencyKey: randomUUID() })).id)
  }

  async function schedule(): Promise<void> {
    if (acknowledged.schedules.size >= maxSchedules) return
    const body = {
      recipient_id: payee.person.id,
      source_currency: 'USD',
      target_currency: 'USD',
      side: 'source',
      amount: '1.00',
      recurrence: 'once',
      next_on: nextDay,
      time_zone: 'UTC',
    } as const
    const idempotencyKey = randomUUID()
    const create = (confirmation?: string) => payer.call(createSchedule, { body, idempotencyKey, confirmation })
    try {
      const { id } = await create().catch(async (error: unknown) => create(await confirm(pool, error)))
      acknowledged.schedules.add(id)
    } catch (error) {
      // Without a database there is no confirmation.
      if (!isDatabaseUnavailable(error)) ignoreRefusal(error)
    }
  }

  async function requestAndPay(): Promise<void> {
    requests += 1
    if (requests > maxRequests) return
    const request = { amount: '0.05', payer_id: payer.person.id }
    const { id, data } = await payee.call(createRequest, { body: request, idempotencyKey: randomUUID() })
    const params = { data }
    const { quote_id } = await payer.call(quoteForLink, { params, body: { source_currency: 'USD' } })
    try {
      await payer.call(payLink, { params, body: { quote_id }, idempotencyKey: randomUUID() })
      acknowledged.requests.add(id)
    } catch (error) {
      // A quote expires during a long outage; the request then stays unpaid.
      ignoreRefusal(error)
    }
  }

  const run = async (place: () => Promise<void>) => {
    while (!isStopped) {
      await place()
      await delay(pauseMs)
    }
  }
  const running = Promise.all([run(placeExchange), run(schedule), run(requestAndPay)])
  // `end` reports it.
  running.catch(() => {})
  return {
    acknowledged,
    /** Time of the scheduled sends. */
    dueAt,
    async end(): Promise<void> {
      isStopped = true
      await running
    },
  }
}

/** Waits until the worker, which looks every minute, has sent what is due; a fault is found by `findUncompleted`. */
export async function awaitSchedules(pool: pg.Pool, { acknowledged }: LaterOrders): Promise<void> {
  const text = `select count(*)::int as count from schedule_occurrence where state = 'sent'`
  for (const end = Date.now() + scheduleMs; Date.now() < end; await delay(pauseMs)) {
    const { rows } = await pool.query<{ count: number }>(text)
    if ((rows[0]?.count ?? 0) >= acknowledged.schedules.size) return
  }
}

/** Returns a sentence for each acknowledged order that was not completed exactly once. */
export async function findUncompleted(pool: pg.Pool, { acknowledged }: LaterOrders): Promise<string[]> {
  const count = async (text: string) =>
    new Map((await pool.query<{ id: string; count: number }>(text)).rows.map((row) => [row.id, row.count]))
  const completed = {
    orders: await count(
      `select o.id, count(*)::int as count from exchange_order o join transaction t on t.id = o.transaction_id
        where o.state = 'filled' and t.status = 'COMPLETED' group by o.id`,
    ),
    schedules: await count(
      `select o.schedule_id as id, count(*)::int as count from schedule_occurrence o
         join transaction t on t.id = o.transaction_id and t.kind = 'SEND'
        where o.state = 'sent' group by o.schedule_id`,
    ),
    requests: await count(
      `select r.id, count(*)::int as count from payment_request r join request_payment p on p.request_id = r.id
        where r.status = 'paid' and p.status = 'settled' group by r.id`,
    ),
  }
  return (['orders', 'schedules', 'requests'] as const).flatMap((kind) =>
    [...acknowledged[kind]]
      .filter((id) => completed[kind].get(id) !== 1)
      .map((id) => `${kind}: ${id} was acknowledged and completed ${completed[kind].get(id) ?? 0} times`),
  )
}
