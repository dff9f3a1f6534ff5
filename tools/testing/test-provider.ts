// A sandbox alone, for tests of the adapters that speak to it, and servers that answer as a test wants it.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandboxEvents } from '@tern/providers/events/sandbox'
import type { ProviderEvent } from '@tern/providers/events/port'
import type { SandboxConnection } from '@tern/providers/sandbox-http'
import { startSandbox } from '@tern/sandbox/sandbox'
import { onTestFinished } from 'vitest'

/** What the sandbox of a test shares with the adapters. */
export const providerSecret = 'a secret only tests know'

export interface Delivery {
  body: string
  headers: IncomingHttpHeaders
}

/** A server on a free port for as long as the test runs; gives its address. */
export async function serve(
  answer: (body: string, headers: IncomingHttpHeaders, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => (body += chunk))
    request.on('end', () => answer(body, request.headers, response))
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

/** Somebody who is reached but gives no answer to rely on. */
export const lying = (status: number, body: string): Promise<string> =>
  serve((_body, _headers, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body))

export interface ProviderWorld {
  connection: SandboxConnection
  /** The first event as it was posted. */
  delivered: Promise<Delivery>
  /** Every event so far, as its adapter reads it. */
  events: ProviderEvent[]
}

/** A sandbox for as long as the test runs. */
export async function startProvider({ timeoutMs }: { timeoutMs?: number } = {}): Promise<ProviderWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tern-providers-'))
  const { promise: delivered, resolve: deliver } = Promise.withResolvers<Delivery>()
  const events: ProviderEvent[] = []
  const webhookUrl = await serve((body, headers, response) => {
    deliver({ body, headers })
    events.push(createSandboxEvents({ url: '', secret: providerSecret }).verify(body, headers, new Date()))
    response.end()
  })
  const sandbox = await startSandbox({ port: 0, dataDir, secret: providerSecret, webhookUrl })
  onTestFinished(async () => {
    await sandbox.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const connection = { url: sandbox.url, secret: providerSecret, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
  return { connection, delivered, events }
}
