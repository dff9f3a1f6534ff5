// The whole stack: sends over HTTP to an application in a process of its own, each with its session and its own key.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cardAccount, walletAccount } from '@tern/ledger/chart'
import { money } from '@tern/money/money'
import { pino } from 'pino'
import { type Config, readConfig } from '../packages/server/src/config.ts'
import { transact } from '../packages/server/src/db.ts'
import { choosePort } from '../packages/server/src/embedded-postgres.ts'
import { createMover } from '../packages/server/src/features/wallets/move.ts'
import { newId, wireId } from '../packages/server/src/ids.ts'
import { createMetrics } from '../packages/server/src/metrics.ts'
import { createProduct, type Product } from '../packages/server/src/product.ts'
import { ageSends } from '../tools/aging.ts'
import { startTestSandbox, type TestSandbox } from '../tools/test-sandbox.ts'

const senders = 64
const openingBalance = 1_000_000_000_00n
const startTimeoutMs = 60_000

export interface WholeStack {
  /** One cross-currency send by the next of the senders, answered with 200. */
  send(): Promise<void>
  stop(): Promise<void>
}

interface Sender {
  readonly token: string
  readonly recipientId: number
}

/** Starts the application over the database at `databaseUrl` and enrols funded senders in dollars and receivers in euros. */
export async function startWholeStack(databaseUrl: string): Promise<WholeStack> {
  const sandbox = await startTestSandbox()
  const port = await choosePort()
  const environment = {
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    DATA_DIR: fs.mkdtempSync(path.join(os.tmpdir(), 'tern-bench-app-')),
    SANDBOX_URL: sandbox.url,
    SANDBOX_SECRET: sandbox.secret,
    TERN_SECRET: randomBytes(32).toString('base64url'),
    LOG_LEVEL: 'fatal',
  }
  const config = readConfig(environment)
  const enrolled = await enrol(config, databaseUrl)
  const app = await startApp(config, environment)
  const agent = new http.Agent({ keepAlive: true, maxSockets: senders })
  let next = 0
  return {
    send() {
      next = (next + 1) % enrolled.length
      const sender = enrolled[next]
      if (!sender) throw new Error('nobody was enrolled')
      return post(agent, port, sender)
    },
    async stop() {
      agent.destroy()
      await stopAll(app, sandbox)
      fs.rmSync(environment.DATA_DIR, { recursive: true, force: true })
    },
  }
}

async function startApp(config: Config, environment: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const main = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url))
  const app = spawn(process.execPath, [main, 'app', '--without-demo'], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const deadline = performance.now() + startTimeoutMs
  for (;;) {
    const ready = await fetch(`${config.publicUrl}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
    if (ready) return app
    if (performance.now() > deadline || app.exitCode !== null) throw new Error('the application did not start')
    await delay(100)
  }
}

async function stopAll(app: ChildProcess, sandbox: TestSandbox): Promise<void> {
  const ended = new Promise((resolve) => app.once('exit', resolve))
  app.kill('SIGTERM')
  await ended
  await sandbox.stop()
}

/** People come in by the product's own functions, so that their sessions and wallets are like everybody's. */
async function enrol(config: Config, databaseUrl: string): Promise<Sender[]> {
  const product = await createProduct({
    config,
    databaseUrl,
    metrics: createMetrics(),
    log: pino({ level: 'fatal' }),
  })
  const mover = createMover({ databaseUrl })
  try {
    await product.exchange.refreshRates()
    const enrolled: Sender[] = []
    for (let count = 0; count < senders; count += 1) {
      const sender = await openAccount(product, 'USD')
      const receiver = await openAccount(product, 'EUR')
      await fund(product, mover, sender.userId)
      await acquaint(product, sender, receiver)
      enrolled.push({ token: sender.token, recipientId: Number(receiver.userId) })
    }
    return enrolled
  } finally {
    await mover.close()
    await product.close()
  }
}

interface Account {
  readonly userId: bigint
  readonly token: string
}

async function openAccount(product: Product, currency: 'USD' | 'EUR'): Promise<Account> {
  const { identity, wallets, pool } = product
  const username = `bench-${randomUUID().slice(0, 12)}`
  const signedIn = await identity.register(
    { email: `${username}@example.com`, password: randomUUID(), username },
    { userAgent: 'bench', address: '127.0.0.1' },
  )
  const userId = BigInt(signedIn.user.id)
  await transact(pool, async (tx) => {
    await wallets.setBaseCurrency(tx, userId, currency)
    await identity.setKycStatus(tx, userId, 'verified')
  })
  return { userId, token: signedIn.accessToken }
}

/** The sender has paid the receiver before: money to a new payee has to be confirmed once it adds up. */
async function acquaint({ transfers, pool }: Product, sender: Account, receiver: Account): Promise<void> {
  const { userId } = sender
  const caller = { userId, sessionId: randomUUID(), verified: true }
  const request = { recipient_id: wireId(receiver.userId), amount: '1.00', source_currency: 'USD' } as const
  await transfers.sendMoney(caller, request, randomUUID())
  await ageSends(pool, { senderId: userId })
}

async function fund({ wallets }: Product, mover: ReturnType<typeof createMover>, userId: bigint): Promise<void> {
  const wallet = await wallets.walletOf(userId)
  if (!wallet) throw new Error('a sender has no wallet')
  const at = new Date()
  const amount = money('USD', openingBalance)
  await mover.move({
    movement: {
      id: newId(at),
      requestHash: randomBytes(32),
      kind: 'deposit',
      reference: newId(at),
      at,
      legs: [
        {
          from: await wallets.accountId(cardAccount('USD')),
          to: await wallets.accountId(walletAccount(wallet.id, 'USD')),
          amount: openingBalance,
          code: 'deposit',
        },
      ],
    },
    rows: [
      {
        userId,
        kind: 'DEPOSIT',
        status: 'COMPLETED',
        recipientId: userId,
        walletId: wallet.id,
        toWalletId: wallet.id,
        description: 'Card deposit',
        source: amount,
        target: amount,
        fee: money('USD', 0n),
        paymentSource: 'card',
        paymentId: newId(at),
      },
    ],
  })
}

function post(agent: http.Agent, port: number, { token, recipientId }: Sender): Promise<void> {
  const body = JSON.stringify({ recipient_id: recipientId, amount: '25.00', source_currency: 'USD' })
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        agent,
        port,
        host: 'localhost',
        method: 'POST',
        path: '/api/payment/transfer',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          authorization: `Bearer ${token}`,
          'idempotency-key': randomUUID(),
        },
      },
      (response) => {
        response.resume()
        response.once('end', () => {
          if (response.statusCode === 200) resolve()
          else reject(new Error(`a send of the benchmark was answered with ${String(response.statusCode)}`))
        })
      },
    )
    request.once('error', reject)
    request.end(body)
  })
}
