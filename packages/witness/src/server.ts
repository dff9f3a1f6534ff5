// HTTP server of a witness (c2sp.org/tlog-witness): add-checkpoint, and the latest checkpoint of each log.

import http from 'node:http'
import { decodeUtf8, encodeUtf8, toHex } from '@tern/transparency/bytes'
import { formatCheckpoint } from '@tern/transparency/checkpoint'
import { FormatError } from '@tern/transparency/format-error'
import { hashBytes } from '@tern/transparency/merkle'
import type { SigningKey, VerifierKey } from '@tern/transparency/note-keys'
import { formatSignatureLine, isSignedBy } from '@tern/transparency/signed-note'
import { parseWitnessRequest } from '@tern/transparency/witness-request'
import { decide } from './add-checkpoint.ts'
import { readState, type WitnessState, writeState } from './state-file.ts'

export interface Witness {
  readonly folder: string
  readonly key: SigningKey
  readonly logs: readonly VerifierKey[]
  state: WitnessState
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly type?: string
}

const longestBody = 256 * 1024
const plainText = 'text/plain; charset=utf-8'

/** Opens a witness; its folder must be locked for this process. */
export const openWitness = ({ folder, key, logs }: Omit<Witness, 'state'>): Witness => ({
  folder,
  key,
  logs,
  state: readState(folder, key),
})

/** Creates a server that is not yet listening. It emits an error if the state could not be stored. */
export function createWitnessServer(witness: Witness): http.Server {
  const server = http.createServer({ requestTimeout: 15_000, headersTimeout: 10_000 }, (request, response) => {
    handle(witness, request, response, server.listening).catch((error: unknown) => server.emit('error', error))
  })
  server.maxConnections = 256
  return server
}

async function handle(
  witness: Witness,
  request: http.IncomingMessage,
  response: http.ServerResponse,
  isListening: boolean,
): Promise<void> {
  const body = await readBody(request)
  if (body === undefined) {
    response.destroy()
    return
  }
  const { status, body: answer, type = plainText } = decideAnswer(witness, request, body)
  // A witness that stops keeps no connection.
  if (!isListening) response.setHeader('connection', 'close')
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(answer)
}

/** Reads a body; undefined if it is too long or the client went away. */
async function readBody(request: http.IncomingMessage): Promise<Uint8Array | undefined> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length
      if (length > longestBody) return undefined
      parts.push(part)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(parts)
}

function decideAnswer(witness: Witness, { url = '', method }: http.IncomingMessage, body: Uint8Array): Answer {
  const [path = ''] = url.split('?')
  if (path === '/add-checkpoint')
    return method === 'POST' ? addCheckpoint(witness, body) : { status: 405, body: 'use POST\n' }
  const [, originHash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path) ?? []
  if (originHash === undefined || method !== 'GET') return { status: 404, body: 'not found\n' }
  const latest = [...witness.state.values()].find(({ origin }) => toHex(hashBytes(encodeUtf8(origin))) === originHash)
  return latest === undefined
    ? { status: 404, body: 'no checkpoint of this log was cosigned\n' }
    : { status: 200, body: formatCheckpoint(latest) }
}

/** Decides and stores without a pause in between, so that no other request sees the same latest checkpoint. */
function addCheckpoint(witness: Witness, body: Uint8Array): Answer {
  let request
  try {
    request = parseWitnessRequest(decodeUtf8(body))
  } catch (error) {
    if (error instanceof FormatError) return { status: 400, body: `${error.message}\n` }
    throw error
  }
  const { folder, key, logs, state } = witness
  const { origin } = request.checkpoint
  const decision = decide(request, { logs, key, latest: state.get(origin), time: Math.floor(Date.now() / 1000) })
  if (decision.status === 409) return { status: 409, body: `${decision.size}\n`, type: 'text/x.tlog.size' }
  if (decision.status !== 200) return { status: decision.status, body: `${decision.reason}\n` }
  const next = new Map(state).set(origin, decision.cosigned)
  writeState(folder, next)
  witness.state = next
  const own = decision.cosigned.signatures.filter((signature) => isSignedBy(signature, key))
  return { status: 200, body: own.map((signature) => `${formatSignatureLine(signature)}\n`).join('') }
}
