// Messages between the application process and the client process.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type ProcessorClock, timePerOperation } from '../costs/processor-time.ts'
import type { LoadMeasurement } from '../load.ts'
import type { WireRequest } from './connection.ts'

/** Signed-in person with the payees they have paid before. */
export interface Sender {
  readonly token: string
  readonly currency: string
  readonly payees: readonly number[]
}

/** Order to send as random people, over one connection per caller. */
export interface RandomSends {
  readonly kind: 'random sends'
  readonly callers: number
  readonly seconds: number
  readonly warmUpSeconds: number
  readonly senders: readonly Sender[]
}

/** Order to send prepared requests in sequence, over one connection. */
interface SequentialRequests {
  readonly kind: 'in turn'
  readonly requests: readonly WireRequest[]
}

export type Order = { readonly url: string } & (RandomSends | SequentialRequests)

interface ClientMeasured extends LoadMeasurement {
  /** Client processor time per response, in milliseconds. */
  readonly clientMs: number
}

export type ClientLine = { readonly at: 'begin' | 'end' } | { readonly clientMeasured: ClientMeasured }

/** Throughput, latency and processor time; times are in milliseconds per response. */
export interface SendMeasurement extends ClientMeasured {
  readonly appCpuMs: number
  readonly databaseMs: number | undefined
}

const client = fileURLToPath(new URL('client.ts', import.meta.url))

/** Runs an order in a client process; reads `clock` at the beginning and end of the measured time. */
export async function runClient(order: Order, clock: ProcessorClock): Promise<SendMeasurement> {
  const child = spawn(process.execPath, [client], { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  child.stdin.end(JSON.stringify(order))
  let before = clock.read()
  let after = before
  let clientMeasured: ClientMeasured | undefined
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as ClientLine
    if ('clientMeasured' in line) clientMeasured = line.clientMeasured
    else if (line.at === 'begin') before = clock.read()
    else after = clock.read()
  }
  const [code] = await closed
  if (clientMeasured === undefined) throw new Error(`the client of the benchmark ended with ${String(code)}`)
  const { app, database } = timePerOperation(await before, await after, clientMeasured.responseCount)
  return { ...clientMeasured, appCpuMs: app, databaseMs: database }
}
