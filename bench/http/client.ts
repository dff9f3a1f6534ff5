// Client process: reads its order from standard input, sends requests, and prints when the measured time begins and
// ends, then the results.

import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { measure, quantile } from '../load.ts'
import { type Connection, openConnection, type WireRequest } from './connection.ts'
import type { ClientLine, Order, RandomSends, Sender } from './orders.ts'

const order = JSON.parse(await text(process.stdin)) as Order
const print = (line: ClientLine) => void process.stdout.write(`${JSON.stringify(line)}\n`)

function openConnections(count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => openConnection(order.url)))
}

const pickRandom = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)]

function buildSend({ token, currency, payees }: Sender): WireRequest {
  return {
    method: 'POST',
    path: '/api/payment/transfer',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: `{"recipient_id":${pickRandom(payees)},"amount":"1.00","source_currency":"${currency}"}`,
  }
}

const processorMs = (cpuBefore: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(cpuBefore)
  return (user + system) / 1000
}

/** Sends at random over `callers` connections for the given time. */
async function sendAtRandom({ callers, seconds, warmUpSeconds, senders }: RandomSends): Promise<void> {
  const connections = await openConnections(callers)
  let cpuBefore = process.cpuUsage()
  let clientMs = 0
  const onBegin = () => {
    cpuBefore = process.cpuUsage()
    print({ at: 'begin' })
  }
  const onEnd = () => {
    clientMs = processorMs(cpuBefore)
    print({ at: 'end' })
  }
  const measured = await measure(
    { callers, durationMs: seconds * 1000, warmUpMs: warmUpSeconds * 1000, onBegin, onEnd },
    async (caller) => {
      const sender = pickRandom(senders)
      if (sender) await connections[caller]?.call(buildSend(sender))
    },
  )
  print({ clientMeasured: { ...measured, clientMs: clientMs / measured.responseCount } })
  for (const connection of connections) connection.close()
}

/** Sends prepared requests in sequence over one connection. */
async function callSequentially(requests: readonly WireRequest[]): Promise<void> {
  const [connection] = await openConnections(1)
  print({ at: 'begin' })
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const latenciesMs: number[] = []
  for (const request of requests) {
    const sentAt = performance.now()
    await connection?.call(request)
    latenciesMs.push(performance.now() - sentAt)
  }
  const seconds = (performance.now() - startedAt) / 1000
  print({ at: 'end' })
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const responseCount = requests.length
  const speed = { perSecond: responseCount / seconds, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
  print({ clientMeasured: { ...speed, responseCount, clientMs: processorMs(cpuBefore) / responseCount } })
  connection?.close()
}

await (order.kind === 'random sends' ? sendAtRandom(order) : callSequentially(order.requests))
