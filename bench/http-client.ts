// The client process: reads its order from standard input, sends, and prints results.

import { randomUUID } from 'node:crypto'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import type { Order } from './http.ts'
import { measure } from './load.ts'

const order = JSON.parse(await text(process.stdin)) as Order
const agent = new http.Agent({ keepAlive: true, maxSockets: order.callers })
const target = new URL('/api/payment/transfer', order.url)

function send(): Promise<void> {
  const first = Math.floor(Math.random() * order.people.length)
  const second = (first + 1 + Math.floor(Math.random() * (order.people.length - 1))) % order.people.length
  const [sender, recipient] = [order.people[first], order.people[second]]
  const body = JSON.stringify({ recipient_id: recipient?.id, amount: '1.00', source_currency: 'USD' })
  const headers = {
    authorization: `Bearer ${sender?.token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'idempotency-key': randomUUID(),
  }
  return new Promise((resolve, reject) => {
    const request = http.request(target, { method: 'POST', agent, headers }, (response) => {
      text(response).then(
        (answer) =>
          response.statusCode === 200 || response.statusCode === 201 ? resolve() : reject(new Error(answer)),
        reject,
      )
    })
    request.on('error', reject)
    request.end(body)
  })
}

const measured = await measure(order.callers, order.seconds * 1000, send, 2_000)
process.stdout.write(JSON.stringify(measured))
agent.destroy()
