// Measured movements: users with funded dollar and euro wallets who send each other money.

import { randomBytes } from 'node:crypto'
import {
  type Account,
  bridgeAccount,
  bridgeStablecoinAccount,
  cardAccount,
  feeAccount,
  walletAccount,
} from '@tern/ledger/chart'
import { openAccounts } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import type pg from 'pg'
import { money } from '@tern/money/money'
import { transact } from '../packages/server/src/platform/database/db.ts'
import { newId } from '../packages/server/src/platform/ids.ts'
import { usageOf } from '../packages/server/src/features/limits/limits.ts'
import { createMover, type MoveRequest, type TransactionRow } from '../packages/server/src/features/wallets/move.ts'

export interface Person {
  readonly userId: bigint
  readonly walletId: string
  readonly account: bigint
}

interface Desk {
  readonly dollars: bigint
  readonly fees: bigint
  readonly dollarTether: bigint
  readonly euroTether: bigint
  readonly euros: bigint
}

export interface Town {
  readonly dollarPeople: readonly Person[]
  readonly euroPeople: readonly Person[]
  readonly desk: Desk
}

const peoplePerCurrency = 5_000
const openingBalance = 1_000_000_000n
const fundingBatch = 500

/** Opens and funds wallets and desk accounts, through the product's own functions. */
export async function createTown(pool: pg.Pool, databaseUrl: string): Promise<Town> {
  const dollarPeople = await settlePeople(pool, databaseUrl, 'USD', 1_000_000_000n)
  const euroPeople = await settlePeople(pool, databaseUrl, 'EUR', 2_000_000_000n)
  const shared = [
    bridgeAccount('USD'),
    feeAccount('USD'),
    bridgeStablecoinAccount('USD'),
    bridgeStablecoinAccount('EUR'),
    bridgeAccount('EUR'),
  ]
  const [dollars, fees, dollarTether, euroTether, euros] = await transact(pool, (tx) => openAccounts(tx, shared))
  if (!dollars || !fees || !dollarTether || !euroTether || !euros) throw new Error('the desk could not be opened')
  await pool.query('vacuum analyze')
  return { dollarPeople, euroPeople, desk: { dollars, fees, dollarTether, euroTether, euros } }
}

async function settlePeople(
  pool: pg.Pool,
  databaseUrl: string,
  currency: 'USD' | 'EUR',
  firstUserId: bigint,
): Promise<Person[]> {
  const now = new Date()
  const plans = Array.from({ length: peoplePerCurrency }, (_, index) => ({
    userId: firstUserId + BigInt(index),
    walletId: newId(now),
  }))
  await pool.query(
    `insert into app_user (id, email, username, kyc_status, created_at)
     select id, id || '@example.com', 'user' || id, 'verified', $2 from unnest($1::bigint[]) as id`,
    [plans.map(({ userId }) => userId), now],
  )
  const accounts: Account[] = plans.map(({ walletId }) => walletAccount(walletId, currency))
  const [card, ...ids] = await transact(pool, (tx) => openAccounts(tx, [cardAccount(currency), ...accounts]))
  const people = plans.map(({ userId, walletId }, index): Person => ({ userId, walletId, account: ids[index] ?? 0n }))
  const mover = createMover({ databaseUrl })
  for (let start = 0; start < people.length; start += fundingBatch) {
    await Promise.all(
      people.slice(start, start + fundingBatch).map((person) => mover.move(deposit(person, card ?? 0n, currency, now))),
    )
  }
  await mover.close()
  return people
}

function deposit({ userId, walletId, account }: Person, card: bigint, currency: 'USD' | 'EUR', now: Date): MoveRequest {
  const amount = money(currency, openingBalance)
  return {
    movement: {
      ...identity(now),
      kind: 'deposit',
      legs: [{ from: card, to: account, amount: amount.minor, code: 'deposit' }],
    },
    rows: [
      {
        userId,
        walletId,
        toWalletId: walletId,
        kind: 'DEPOSIT',
        status: 'COMPLETED',
        description: { code: 'card_deposit' },
        source: amount,
        target: amount,
        fee: money(currency, 0n),
        paymentSource: 'card',
        paymentId: newId(now),
        recipientId: userId,
      },
    ],
  }
}

let made = 0
const run = randomBytes(4).toString('hex')

// Shaped like the product's but cheap: the callers are not measured.
function identity(at: Date) {
  made += 1
  const number = made.toString(16).padStart(8, '0')
  const moment = at.getTime().toString(16).padStart(12, '0')
  const id = (kind: number) => `${moment.slice(0, 8)}-${moment.slice(8)}-7${kind}00-8000-${run.slice(0, 4)}${number}`
  return { id: id(1), reference: id(2), requestHash: Buffer.from(number), at }
}

/** A same-currency send: one leg, two transaction rows, the sender's daily usage. */
export function plainSend(town: Town): MoveRequest {
  const [sender, recipient] = pair(town.dollarPeople, town.dollarPeople)
  const amount = money('USD', 100n)
  const legs: Leg[] = [{ from: sender.account, to: recipient.account, amount: amount.minor, code: 'send' }]
  return send(sender, recipient, legs, { source: amount, target: amount, fee: money('USD', 0n) })
}

/** A dollar-to-euro send: four legs, eight entries, six of them on accounts shared by all such sends. */
export function crossSend(town: Town): MoveRequest {
  const [sender, recipient] = pair(town.dollarPeople, town.euroPeople)
  const { desk } = town
  const legs: Leg[] = [
    { from: sender.account, to: desk.dollars, amount: 100n, code: 'exchange' },
    { from: sender.account, to: desk.fees, amount: 1n, code: 'fee' },
    { from: desk.dollarTether, to: desk.euroTether, amount: 1_000_000n, code: 'exchange' },
    { from: desk.euros, to: recipient.account, amount: 93n, code: 'exchange' },
  ]
  return send(sender, recipient, legs, {
    source: money('USD', 100n),
    target: money('EUR', 93n),
    fee: money('USD', 1n),
    stablecoinAmount: 1_000_000n,
    rate: { numerator: 93n, denominator: 100n },
  })
}

type Prices = Pick<TransactionRow, 'source' | 'target' | 'fee' | 'stablecoinAmount' | 'rate'>

function send(sender: Person, recipient: Person, legs: Leg[], prices: Prices): MoveRequest {
  const now = new Date()
  const shared = {
    ...prices,
    status: 'COMPLETED' as const,
    senderId: sender.userId,
    recipientId: recipient.userId,
    fromWalletId: sender.walletId,
    toWalletId: recipient.walletId,
    description: 'Lunch, thank you!',
  }
  return {
    movement: { ...identity(now), kind: 'send', legs },
    rows: [
      { ...shared, userId: sender.userId, walletId: sender.walletId, kind: 'SEND', paymentSource: 'wallet' },
      { ...shared, userId: recipient.userId, walletId: recipient.walletId, kind: 'RECEIVE' },
    ],
    usage: usageOf(sender.userId, 'transfer', 100n, now),
  }
}

function pair(senders: readonly Person[], recipients: readonly Person[]): [Person, Person] {
  for (;;) {
    const sender = senders[Math.floor(Math.random() * senders.length)]
    const recipient = recipients[Math.floor(Math.random() * recipients.length)]
    if (sender && recipient && sender !== recipient) return [sender, recipient]
  }
}
