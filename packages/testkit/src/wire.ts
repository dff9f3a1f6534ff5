// Connection between a program and its database, for tests: it can be cut, or go silent while connected.

import net from 'node:net'
import { withHost } from './database.ts'

/** Starts a proxy to the database at `databaseUrl`. */
export async function startWire(databaseUrl: string) {
  const target = new URL(withHost(databaseUrl))
  const sockets = new Set<net.Socket>()
  let isSilent = false
  const server = net.createServer((socket) => {
    const onward = net.connect(Number(target.port || 5432), target.hostname)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one)
      one.on('data', (bytes) => isSilent || other.write(bytes))
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as net.AddressInfo
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    /** Address of the database through this proxy. */
    url: url.href,
    /** While silent, connections are accepted and kept, but no data passes. */
    silence: (silent: boolean) => void (isSilent = silent),
    /** Closes all connections and accepts no new ones. */
    cut(): void {
      server.close()
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    /** Accepts connections again after a cut. */
    mend: () => listen(port),
  }
}
