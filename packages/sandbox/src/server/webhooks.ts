import { createHmac } from 'node:crypto'
import { ApiError, newId } from './api.ts'
import type { Store } from './store.ts'
import type { DeliveryPlan } from './webhook-faults.ts'

export interface WebhookEvent {
  type: string
  /** By the sandbox clock. */
  createdAt: Date
  data: Readonly<Record<string, unknown>>
}

export interface WebhookOptions {
  url: string
  secret: string
  /** Delays in milliseconds after the first, second … failure; the last one repeats. */
  retryDelaysMs?: readonly number[]
  timeoutMs?: number
  /** Returns the plan for the deliveries of a new event; by default one delivery at once. */
  plan?: () => DeliveryPlan
}

/** Delivery of an event; a duplicated event has two. */
export interface Delivery {
  number: number
  event_id: string
  type: string
  /** Creation time of the event, by the sandbox clock. */
  created_at: string
  state: 'delivered' | 'waiting' | 'dropped'
  attempts: number
  last_answer: string | null
}

interface PendingDelivery {
  number: number
  body: string
  attempts: number
}

const defaultRetryDelaysMs = [1000, 2000, 5000, 10_000, 20_000, 40_000, 60_000]
const defaultTimeoutMs = 10_000
const maxConcurrent = 8
const longestPauseMs = 60_000
const immediatePlan: DeliveryPlan = { isDropped: false, delaysMs: [0] }

const specialPlans: Readonly<Record<'lost' | 'twice', DeliveryPlan>> = {
  lost: { isDropped: true, delaysMs: [0] },
  twice: { isDropped: false, delaysMs: [0, 50] },
}

const selectDelivery = `select number, body ->> 'id' as event_id, body ->> 'type' as type,
    body ->> 'created_at' as created_at, attempts, last_answer,
    case when dropped = 1 then 'dropped' when delivered = 1 then 'delivered' else 'waiting' end as state
  from webhook`

/** Returns the signature of `body` and the time `at`, which lets the receiver refuse replayed events. */
export function signatureHeader(body: string, secret: string, at: Date): string {
  const seconds = Math.floor(at.getTime() / 1000)
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${signature}`
}

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message || cause.name : 'no answer'
}

/** Persistent queue that sends events, with growing delays between attempts, until the receiver replies with 2xx. */
export class Webhooks {
  readonly #store: Store
  readonly #options: Required<WebhookOptions>
  readonly #stopping = new AbortController()
  readonly #underWay = new Map<number, Promise<void>>()
  /** Deliveries to be resent once the current attempt has ended. */
  readonly #again = new Set<number>()
  #timer: NodeJS.Timeout | undefined

  constructor(store: Store, options: WebhookOptions) {
    this.#store = store
    this.#options = {
      retryDelaysMs: defaultRetryDelaysMs,
      timeoutMs: defaultTimeoutMs,
      plan: () => immediatePlan,
      ...options,
    }
  }

  /**
   * Queues an event. Call in the transaction of the event, followed by `scheduleNow`. `fault` replaces the configured
   * faults.
   */
  enqueue({ type, createdAt, data }: WebhookEvent, fault?: 'lost' | 'twice'): void {
    const id = newId('evt')
    const body = JSON.stringify({ id, type, created_at: createdAt.toISOString(), data })
    const { isDropped, delaysMs } = fault ? specialPlans[fault] : this.#options.plan()
    delaysMs.forEach((delayMs, index) => {
      this.#store.run(
        'insert into webhook (id, body, due_at_ms, dropped) values (?, ?, ?, ?)',
        index === 0 ? id : `${id}.${index + 1}`,
        body,
        Date.now() + delayMs,
        isDropped ? 1 : 0,
      )
    })
  }

  /** Sends due events, several at a time, and schedules the next ones. */
  scheduleNow(): void {
    if (this.#stopping.signal.aborted) return
    clearTimeout(this.#timer)
    // Read once, so that every event is either due or scheduled.
    const now = Date.now()
    const dueDeliveries = this.#store.all<PendingDelivery>(
      `select number, body, attempts from webhook where delivered = 0 and dropped = 0 and due_at_ms <= ?
       order by number limit ?`,
      now,
      maxConcurrent + this.#underWay.size,
    )
    for (const webhook of dueDeliveries) {
      if (this.#underWay.has(webhook.number) || this.#underWay.size >= maxConcurrent) continue
      const delivery = this.#deliver(webhook).finally(() => {
        this.#underWay.delete(webhook.number)
        this.scheduleNow()
      })
      this.#underWay.set(webhook.number, delivery)
    }
    this.#planNext(now)
  }

  summary(): { delivered: number; waiting: number; lastProblem: string | null } {
    const [counts] = this.#store.all<{ delivered: number; waiting: number }>(
      `select count(*) filter (where delivered = 1) as delivered, count(*) filter (where delivered = 0 and dropped = 0) as waiting
       from webhook`,
    )
    const [problem] = this.#store.all<{ last_answer: string }>(
      `select last_answer from webhook where delivered = 0 and dropped = 0 and last_answer is not null
       order by number desc limit 1`,
    )
    return {
      delivered: counts?.delivered ?? 0,
      waiting: counts?.waiting ?? 0,
      lastProblem: problem?.last_answer ?? null,
    }
  }

  /** Returns at most `limit` deliveries, newest first. */
  list(limit: number): Delivery[] {
    return this.#store.all<Delivery>(`${selectDelivery} order by number desc limit ?`, limit)
  }

  /** Resends a delivery at once, even if dropped or delivered. Throws ApiError 404 if unknown. */
  resend(number: string): Delivery {
    this.#store.run('update webhook set delivered = 0, dropped = 0, due_at_ms = ? where number = ?', Date.now(), number)
    const [delivery] = this.#store.all<Delivery>(`${selectDelivery} where number = ?`, number)
    if (!delivery) throw new ApiError(404, 'not_found', 'There is no such delivery.')
    if (this.#underWay.has(delivery.number)) this.#again.add(delivery.number)
    this.scheduleNow()
    return delivery
  }

  /** Aborts the running attempts; their deliveries stay in the queue. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await Promise.all(this.#underWay.values())
  }

  async #deliver({ number, body, attempts }: PendingDelivery): Promise<void> {
    const { retryDelaysMs } = this.#options
    const { isAccepted, answer } = await this.#post(body)
    if (!isAccepted && this.#stopping.signal.aborted) return
    const isRepeated = this.#again.delete(number)
    const pauseMs = isRepeated ? 0 : (retryDelaysMs[Math.min(attempts, retryDelaysMs.length - 1)] ?? longestPauseMs)
    this.#store.run(
      'update webhook set attempts = attempts + 1, last_answer = ?, delivered = ?, due_at_ms = ? where number = ?',
      answer,
      isAccepted && !isRepeated ? 1 : 0,
      Date.now() + pauseMs,
      number,
    )
  }

  async #post(body: string): Promise<{ isAccepted: boolean; answer: string }> {
    const { url, secret, timeoutMs } = this.#options
    try {
      // Signed with real time, whatever the sandbox clock shows.
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sandbox-signature': signatureHeader(body, secret, new Date()) },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeoutMs)]),
      })
      await response.body?.cancel()
      return { isAccepted: response.ok, answer: `HTTP ${response.status}` }
    } catch (error) {
      return { isAccepted: false, answer: describe(error) }
    }
  }

  /** Schedules the next later event. Running attempts call `scheduleNow` themselves when they end. */
  #planNext(now: number): void {
    const [next] = this.#store.all<{ due_at_ms: number }>(
      'select due_at_ms from webhook where delivered = 0 and dropped = 0 and due_at_ms > ? order by due_at_ms limit 1',
      now,
    )
    if (!next) return
    const pauseMs = Math.min(Math.max(next.due_at_ms - now, 1), longestPauseMs)
    this.#timer = setTimeout(() => this.scheduleNow(), pauseMs)
  }
}
