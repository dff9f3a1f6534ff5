// Client process of the second user: reads one address at a steady rate, regardless of response times, until standard
// input ends. Prints start, duration and status of each call.

import http from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'

export interface WatchedCall {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly durationMs: number
  readonly status: number
}

interface Target {
  readonly url: string
  readonly token: string
}

const everyMs = 25
const agent = new http.Agent({ keepAlive: true })

function fetchOnce({ url, token }: Target): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = http.get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    call.on('error', reject)
  })
}

async function timeCall(target: Target): Promise<WatchedCall> {
  const at = Date.now()
  const startedAt = performance.now()
  const status = await fetchOnce(target)
  return { at, durationMs: performance.now() - startedAt, status }
}

const inputLines = createInterface({ input: process.stdin })
let isStopped = false
inputLines.on('close', () => (isStopped = true))
const target = await new Promise<Target>((resolve) =>
  inputLines.once('line', (line) => resolve(JSON.parse(line) as Target)),
)
const calls: Promise<WatchedCall>[] = []
while (!isStopped) {
  calls.push(timeCall(target))
  await delay(everyMs)
}
process.stdout.write(JSON.stringify(await Promise.all(calls)))
agent.destroy()
