import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { MarketMode } from './market/course.ts'
import { startSandbox } from './sandbox.ts'

export const testSecret = 'a secret only tests know'

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Body as JSON; empty if it is not JSON. */
  json: Record<string, unknown>
}

export interface CallOptions {
  body?: unknown
  raw?: string
  headers?: Record<string, string>
  secret?: string | null
}

export interface TestSandbox {
  url: string
  dataDir: string
  /** Sends the correct secret by default, and no secret for null. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  stop(): Promise<void>
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tern-sandbox-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function parse(text: string): Answer['json'] {
  try {
    return JSON.parse(text) as Answer['json']
  } catch {
    return {}
  }
}

/** Starts a sandbox on a free port, which stops at the end of the test. Prices are constant by default. */
export async function startTestSandbox(
  options: { dataDir?: string; webhookUrl?: string; retryDelaysMs?: number[]; market?: MarketMode } = {},
): Promise<TestSandbox> {
  const dataDir = options.dataDir ?? temporaryFolder()
  const sandbox = await startSandbox({
    port: 0,
    secret: testSecret,
    webhookUrl: options.webhookUrl ?? 'http://localhost:9/nobody',
    retryDelaysMs: options.retryDelaysMs ?? [20, 40],
    market: options.market ?? 'still',
    dataDir,
  })
  let stopPromise: Promise<void> | undefined
  const stop = (): Promise<void> => (stopPromise ??= sandbox.stop())
  onTestFinished(stop)
  return {
    url: sandbox.url,
    dataDir,
    stop,
    async call(method, path, { body, raw, headers = {}, secret = testSecret } = {}) {
      const content = raw ?? (body === undefined ? null : JSON.stringify(body))
      const response = await fetch(new URL(path, sandbox.url), {
        method,
        redirect: 'manual',
        body: content,
        headers: {
          ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
          ...(content === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: parse(text) }
    },
  }
}

export interface ReceivedWebhook {
  body: string
  headers: IncomingHttpHeaders
  at: number
}

export interface Receiver {
  url: string
  received: ReceivedWebhook[]
  waitForEvents(count: number): Promise<void>
}

/**
 * Starts a webhook receiver that replies to the n-th delivery with the n-th status, or else with 200, once `answerGate`
 * resolves.
 */
export async function startReceiver(
  statuses: readonly number[] = [],
  answerGate: Promise<void> = Promise.resolve(),
): Promise<Receiver> {
  const received: ReceivedWebhook[] = []
  let waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const status = statuses[received.length] ?? 200
      // A client that follows the redirect gets the next status.
      void answerGate.then(() => response.writeHead(status, { location: '/moved' }).end())
      received.push({ body, headers: request.headers, at: Date.now() })
      for (const check of waiting) check()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    waitForEvents: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (received.length < count) return
          waiting = waiting.filter((waitingCheck) => waitingCheck !== check)
          resolve()
        }
        waiting.push(check)
        check()
      }),
  }
}

/** Returns a free port below the ephemeral ports and outside the range of the product's tests. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 20_000)
    const portProbe = createServer().listen(port, 'localhost')
    const isFree = await once(portProbe, 'listening').then(
      () => true,
      () => false,
    )
    if (isFree) await new Promise((resolve) => portProbe.close(resolve))
    if (isFree) return port
  }
}

export const goodSession = {
  amount_minor: '10000',
  currency: 'USD',
  reference: 'payment-1',
  description: 'Money for your Tern wallet',
  return_url: 'http://localhost:3000/deposit?step=done',
}

export const goodCard = { card_number: '4242 4242 4242 4242', expiry: '12/39', cvc: '123' }
export const decliningCard = { ...goodCard, card_number: '4000 0000 0000 0002' }

export async function openSession(sandbox: TestSandbox, changes: object = {}, key = 'key-1'): Promise<string> {
  const { json } = await sandbox.call('POST', '/api/checkout/sessions', {
    body: { ...goodSession, ...changes },
    headers: { 'idempotency-key': key },
  })
  return String(json['session_id'])
}

/** Returns the names of the fields in an error response. */
export function listInvalidFields({ json }: Answer): string[] {
  const { fields = [] } = (json['error'] ?? {}) as { fields?: { field: string; message: string }[] }
  return fields.map(({ field }) => field)
}
