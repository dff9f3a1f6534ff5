// Persistent HTTP/1.1 connection for one request at a time, with as little overhead as a measuring client should have.

import { once } from 'node:events'
import net from 'node:net'

/** Request as sent, without the headers that depend on the connection. */
export interface WireRequest {
  readonly method: 'POST' | 'PUT'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Connection {
  /** Resolves with the body of a response below 300; rejects any other. */
  call(request: WireRequest): Promise<string>
  close(): void
}

interface PendingResponse {
  resolve(body: string): void
  reject(error: Error): void
}

const headEnd = '\r\n\r\n'

function encode({ method, path, headers, body }: WireRequest, host: string): string {
  let headText = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  for (const [name, value] of Object.entries(headers)) headText += `${name}: ${value}\r\n`
  return `${headText}\r\n${body}`
}

export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port, host } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  socket.setNoDelay(true)
  await once(socket, 'connect')
  let received: Buffer = Buffer.alloc(0)
  let pendingResponse: PendingResponse | undefined

  function fail(error: Error): void {
    pendingResponse?.reject(error)
    pendingResponse = undefined
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('the server closed the connection')))
  socket.on('data', (bytes) => {
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes])
    const headLength = received.indexOf(headEnd)
    if (headLength === -1) return
    const headText = received.toString('latin1', 0, headLength)
    const bodyLength = Number(/\r\ncontent-length: (\d+)/i.exec(headText)?.[1] ?? 0)
    const bodyAt = headLength + headEnd.length
    if (received.length < bodyAt + bodyLength) return
    const body = received.toString('utf8', bodyAt, bodyAt + bodyLength)
    received = Buffer.alloc(0)
    const status = Number(headText.slice(9, 12))
    if (status >= 300) return fail(new Error(`${status} ${body}`))
    pendingResponse?.resolve(body)
    pendingResponse = undefined
  })
  return {
    call: (request) =>
      new Promise((resolve, reject) => {
        pendingResponse = { resolve, reject }
        socket.write(encode(request, host))
      }),
    close: () => void socket.destroy(),
  }
}
