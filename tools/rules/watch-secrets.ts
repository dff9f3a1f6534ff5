// Preloaded in tests that run servers, and in the servers' processes: records secrets that HTTP servers receive and
// send (packages/testkit/src/secrets.ts).

import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { recordBody, recordHeaders, recordSecret, recordText } from '@tern/testkit/secrets'

const largestBody = 1_000_000

/** Content types that are not recorded: event streams, and files of the web build, which have no secrets of a run. */
const secretFreeTypes = /^(text\/event-stream|image|font|text\/css|application\/javascript)/

/** Collects the chunks of a body, up to `largestBody` bytes; records no secrets of a larger one. */
function createGatherer() {
  const parts: Buffer[] = []
  let size = 0
  return {
    add(part: unknown) {
      if (typeof part !== 'string' && !(part instanceof Uint8Array)) return
      size += part.length
      if (size <= largestBody) parts.push(Buffer.from(part as string))
    },
    // Binary content is decoded as text too, but contains no named secrets.
    record: () => void (size <= largestBody && recordText(Buffer.concat(parts).toString('utf8'))),
  }
}

function watchRequest(request: IncomingMessage): void {
  recordHeaders(request.headers)
  recordBody(request.url)
  const body = createGatherer()
  const push = request.push.bind(request)
  request.push = (part: unknown, encoding?: BufferEncoding) => {
    if (part === null) body.record()
    else body.add(part)
    return push(part, encoding)
  }
}

function watchResponse(response: ServerResponse): void {
  const body = createGatherer()
  const isRecorded = () => !secretFreeTypes.test(String(response.getHeader('content-type') ?? ''))
  const { writeHead, write, end } = response
  response.writeHead = function (this: ServerResponse, ...responseArguments: unknown[]) {
    const headers = responseArguments.at(-1)
    if (typeof headers === 'object' && headers !== null) recordHeaders(headers as OutgoingHttpHeaders)
    recordHeaders(response.getHeaders())
    return Reflect.apply(writeHead, this, responseArguments)
  } as typeof writeHead
  response.write = function (this: ServerResponse, ...responseArguments: unknown[]) {
    if (isRecorded()) body.add(responseArguments[0])
    return Reflect.apply(write, this, responseArguments)
  } as typeof write
  response.end = function (this: ServerResponse, ...responseArguments: unknown[]) {
    if (isRecorded()) body.add(responseArguments[0])
    body.record()
    return Reflect.apply(end, this, responseArguments)
  } as typeof end
}

// Each test file loads this module again, also in a shared process.
const state = globalThis as { watchesSecrets?: boolean }

if (process.env.TERN_TEST_LOGS !== undefined && state.watchesSecrets !== true) {
  state.watchesSecrets = true
  for (const name of ['TERN_SECRET', 'SANDBOX_SECRET']) recordSecret('token', process.env[name] ?? '')
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    watchRequest(request)
    watchResponse(response)
  })
}
