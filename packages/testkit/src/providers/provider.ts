// For tests of adapters: a sandbox, and servers whose responses the test chooses.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSandboxEvents } from '@tern/providers/events/sandbox'
import type { ProviderEvent } from '@tern/providers/events/port'
import { onTestFinished } from 'vitest'
import { startTestSandbox } from '../sandbox.ts'

/** Secret that the sandbox and the adapters of a test share. */
export const providerSecret = 'a secret only tests know'

export interface Delivery {
  body: string
  headers: IncomingHttpHeaders
}

/** Starts a server on a free port until the end of the test; returns its address. */
export async function startServer(
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

/** Starts a server that gives this response to each request. */
export const serveReply = (status: number, body: string): Promise<string> =>
  startServer((_body, _headers, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body),
  )

/** Starts a sandbox for the test; returns its first event as posted, and all events as the adapter parses them. */
export async function startProvider({ timeoutMs }: { timeoutMs?: number } = {}) {
  const { promise: delivered, resolve: deliver } = Promise.withResolvers<Delivery>()
  const events: ProviderEvent[] = []
  const webhookUrl = await startServer((body, headers, response) => {
    deliver({ body, headers })
    events.push(createSandboxEvents({ url: '', secret: providerSecret }).verify(body, headers, new Date()))
    response.end()
  })
  const sandbox = await startTestSandbox(webhookUrl, undefined, undefined, providerSecret)
  onTestFinished(() => sandbox.stop())
  const connection = { url: sandbox.url, secret: providerSecret, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
  return { connection, delivered, events }
}
