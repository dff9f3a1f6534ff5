// A failover between the commit of a batch in a turn and the wait for the disk.

import net from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, replaceHost } from '@tern/testkit/database'
import { type Bank, createBarePoster, leg, movement, openBank } from '../../test/bank.ts'
import type { Poster } from './poster.ts'

const turnsNeeded = 3
const noticeMs = 200

/**
 * Starts a proxy that leads to `first`. Armed, it passes on the answer to the next batch and then loses all
 * connections; new ones lead to `second`, as after a failover to a standby that did not get the batch.
 */
async function startSwitch(first: string, second: string) {
  const [firstUrl, secondUrl] = [new URL(replaceHost(first)), new URL(replaceHost(second))]
  const sockets = new Set<net.Socket>()
  let isArmed = false
  let target = firstUrl
  const server = net.createServer((socket) => {
    const upstream = net.connect(Number(target.port || 5432), target.hostname)
    // The two databases differ by name only.
    const rename = (bytes: Buffer) =>
      target === firstUrl || !bytes.includes(firstUrl.pathname.slice(1)) ? bytes : renameDatabase(bytes)
    for (const each of [socket, upstream]) {
      sockets.add(each)
      each.on('error', () => {})
    }
    socket.on('data', (bytes) => upstream.write(rename(bytes)))
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.destroy())
    upstream.on('data', (bytes) => {
      const isAnswer = isArmed && bytes.includes('posted')
      if (!isAnswer) return void socket.write(bytes)
      isArmed = false
      target = secondUrl
      for (const other of sockets) if (other !== socket && other !== upstream) other.destroy()
      // By then the poster knows that the others are lost.
      setTimeout(() => socket.end(bytes), noticeMs)
    })
  })

  function renameDatabase(bytes: Buffer): Buffer {
    const [from, to] = [firstUrl.pathname.slice(1), secondUrl.pathname.slice(1)]
    const renamed = Buffer.from(bytes.toString('latin1').replace(from, to), 'latin1')
    // The length of the start message.
    renamed.writeInt32BE(renamed.length, 0)
    return renamed
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(firstUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as net.AddressInfo).port)
  return {
    url: url.href,
    arm: () => void (isArmed = true),
    hasSwitched: () => target === secondUrl,
    close(): void {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

async function openWallets(bank: Bank) {
  return { from: await bank.wallet(1_000n), to: await bank.wallet() }
}

test('a batch that the next primary does not have is posted there before it is acknowledged', async () => {
  const [first, second] = [await createTestDatabase(), await createTestDatabase()]
  const banks = [await openBank(first.pool), await openBank(second.pool)] as const
  const wallets = [await openWallets(banks[0]), await openWallets(banks[1])] as const
  expect(wallets[0]).toEqual(wallets[1])
  const { from, to } = wallets[0]
  const failover = await startSwitch(first.url, second.url)
  const others: Poster<ReturnType<typeof movement>>[] = Array.from({ length: turnsNeeded }, () =>
    createBarePoster(first.url),
  )
  const poster = createBarePoster(failover.url)
  onTestFinished(async () => {
    await Promise.all([...others, poster].map((each) => each.close()))
    failover.close()
    await first.drop()
    await second.drop()
  })
  const post = () => movement([leg(from, to, 1n)])
  // More than a second apart, so that every poster has counted the others and takes turns.
  for (const pauseMs of [1_100, 0]) {
    await Promise.all([...others, poster].map((each) => each.post(post())))
    await delay(pauseMs)
  }
  await poster.post(post())
  failover.arm()
  const outcome = await poster.post(post())
  expect(failover.hasSwitched()).toBe(true)
  expect(outcome).toEqual({ status: 'posted' })
  // Nothing else was ever posted to the second database.
  expect(await banks[1].balance(to)).toBe(1n)
})
