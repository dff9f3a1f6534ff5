// Faulty proxies between product and provider.

import { createHmac, randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { decideCallFate, decideEventFate } from '../faults.ts'

export interface FaultyProxy {
  readonly url: string
  /** Number of occurrences by fault or response. */
  readonly counts: Map<string, number>
  /** Enables or disables faults; initially disabled. */
  setFaultsEnabled(isEnabled: boolean): unknown
  /** Waits for pending deliveries. */
  drain(): Promise<void>
  close(): Promise<void>
}

interface Message {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

async function readMessage(request: http.IncomingMessage): Promise<Message> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: request.headers,
    body: Buffer.concat(parts),
  }
}

async function listen(
  answer: (message: Message, response: http.ServerResponse) => Promise<void>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const server = http.createServer((request, response) => {
    readMessage(request)
      .then((message) => answer(message, response))
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function forward(
  to: string,
  { method, path, headers, body }: Message,
): Promise<{ status: number; text: string }> {
  const forwardedHeaders = ['authorization', 'content-type', 'idempotency-key', 'sandbox-signature'] as const
  const response = await fetch(new URL(path, to), {
    method,
    headers: Object.fromEntries(
      forwardedHeaders.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])),
    ),
    ...(body.length === 0 ? {} : { body }),
  })
  return { status: response.status, text: await response.text() }
}

export const incrementCount = <T>(counts: Map<T, number>, key: T) => counts.set(key, (counts.get(key) ?? 0) + 1)

const parseAmount = (text: string): string | undefined => /"amount_minor":"(\d+)"/.exec(text)?.[1]

/** Returns whether a call is about money; other calls (clock, rates, mail) get no faults. */
const isMoneyPath = (path: string) => /^\/api\/(checkout|charges|bank|payouts|cards|report)/.test(path)

interface ProxyOptions {
  readonly seed: string
  readonly killProduct: () => void
}

interface ProviderProxyOptions extends ProxyOptions {
  readonly to: string
}

interface EventProxyOptions extends ProxyOptions {
  /** Destinations of the events, in rotation. */
  readonly to: readonly string[]
  readonly secret: string
}

/** Proxies the product's calls to the provider, with faults that depend on amount and call count. */
export async function createProviderProxy({ seed, to, killProduct }: ProviderProxyOptions): Promise<FaultyProxy> {
  const counts = new Map<string, number>()
  const callCounts = new Map<string, number>()
  const amountsBySubject = new Map<string, string>()
  let isFaultFree = true

  /** Returns the amount in a message, or else that of an earlier call about the same object, or else the path. */
  function findAmount({ path, body }: Message): string {
    const subject = path.split('/').find((part) => /^[a-z]+_.{10,}/.test(part)) ?? ''
    return parseAmount(body.toString('utf8')) ?? amountsBySubject.get(subject) ?? path
  }

  const server = await listen(async (message, response) => {
    const amount = findAmount(message)
    const count = callCounts.get(amount) ?? 0
    callCounts.set(amount, count + 1)
    const fault = isFaultFree || !isMoneyPath(message.path) ? 'succeeds' : decideCallFate(seed, amount, count)
    if (isMoneyPath(message.path)) incrementCount(counts, fault)
    if (fault === 'fails') return void response.writeHead(500).end('{}')
    if (fault === 'kills_before') killProduct()
    if (fault === 'kills_before') return void response.destroy()
    const { status, text } = await forward(to, message)
    for (const [subject] of text.matchAll(/\b[a-z]+_[A-Za-z0-9_-]{20,}/g)) amountsBySubject.set(subject, amount)
    if (fault === 'kills_after') killProduct()
    if (fault === 'kills_after' || fault === 'loses_answer') return void response.destroy()
    // Sends no response, so the product times out.
    if (fault === 'hangs') return
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  return {
    url: server.url,
    counts,
    setFaultsEnabled: (isEnabled) => (isFaultFree = !isEnabled),
    drain: () => Promise.resolve(),
    close: server.close,
  }
}

const retryPauseMs = 200
const maxAttempts = 100

/** Returns a copy of an event with a new id and signature. */
function asNewEvent(message: Message, secret: string): Message {
  const event = JSON.parse(message.body.toString('utf8')) as object
  const body = JSON.stringify({ ...event, id: `evt_${randomUUID()}` })
  const seconds = String(Math.floor(Date.now() / 1000)) // not money: a time
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  const headers = { ...message.headers, 'sandbox-signature': `t=${seconds},v1=${signature}` }
  return { ...message, headers, body: Buffer.from(body) }
}

/** Proxies the provider's events: accepts them, then delivers them late, repeatedly, out of order, or never. */
export async function createEventProxy({ seed, to, secret, killProduct }: EventProxyOptions): Promise<FaultyProxy> {
  const counts = new Map<string, number>()
  const pending = new Set<Promise<void>>()
  let isFaultFree = true
  let deliveries = 0

  async function deliver(message: Message, retries: boolean): Promise<void> {
    for (let attempt = 1; attempt <= (retries ? maxAttempts : 1); attempt += 1) {
      deliveries += 1
      const destination = to[deliveries % to.length] ?? ''
      try {
        const { status } = await forward(destination, { ...message, path: new URL(destination).pathname })
        incrementCount(counts, `answered ${status}`)
        if (status < 500) return
      } catch {
        incrementCount(counts, 'not_delivered')
      }
      await delay(retryPauseMs)
    }
  }

  function scheduleDelivery(message: Message): void {
    const text = message.body.toString('utf8')
    const type = /"type":"([^"]+)"/.exec(text)?.[1] ?? ''
    const fault = isFaultFree
      ? { times: 1, delaysMs: [0], retries: true, kills: false }
      : decideEventFate(seed, type, parseAmount(text) ?? text)
    incrementCount(
      counts,
      fault.times === 0 ? 'dropped' : fault.times === 1 ? 'delivered_once' : 'delivered_repeatedly',
    )
    for (const [index, delayMs] of fault.delaysMs.entries()) {
      const isNewEvent = index % 2 === 1
      if (isNewEvent) incrementCount(counts, 'resent_as_new_event')
      const delivery = delay(delayMs)
        .then(() => {
          const delivered = deliver(isNewEvent ? asNewEvent(message, secret) : message, fault.retries)
          if (fault.kills && !isFaultFree) setTimeout(killProduct, 2)
          return delivered
        })
        .finally(() => pending.delete(delivery))
      pending.add(delivery)
    }
  }

  const server = await listen((message, response) => {
    scheduleDelivery(message)
    response.writeHead(204).end()
    return Promise.resolve()
  })
  return {
    url: server.url,
    counts,
    setFaultsEnabled: (isEnabled) => (isFaultFree = !isEnabled),
    async drain() {
      while (pending.size > 0) await Promise.all(pending)
    },
    close: server.close,
  }
}
