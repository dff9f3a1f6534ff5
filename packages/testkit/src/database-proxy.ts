// For tests: a proxy between a program and its database, which can disconnect or stop passing data.

import net from 'node:net'
import { replaceHost } from './database.ts'

/** Starts a proxy to the database at `databaseUrl`. */
export async function startDatabaseProxy(databaseUrl: string) {
  const target = new URL(replaceHost(databaseUrl))
  const sockets = new Set<net.Socket>()
  let isSilent = false
  const server = net.createServer((socket) => {
    const upstream = net.connect(Number(target.port || 5432), target.hostname)
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => isSilent || to.write(bytes))
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as net.AddressInfo
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    /** Address of the database through the proxy. */
    url: url.href,
    /** While silent, the proxy accepts connections and keeps them open, but passes no data. */
    setSilent: (isEnabled: boolean) => void (isSilent = isEnabled),
    /** Closes all connections and refuses new ones. */
    disconnect(): void {
      server.close()
      for (const socket of sockets) socket.destroy()
      sockets.clear()
    },
    /** Accepts connections again after `disconnect`. */
    reconnect: () => listen(port),
  }
}
