// Measured movements: sends between funded people, within a currency or across, and the deposits that fund them.

import { randomBytes } from 'node:crypto'
import { bridgeAccount, bridgeStablecoinAccount, cardAccount, feeAccount } from '@tern/ledger/chart'
import { openAccounts } from '@tern/ledger/ledger'
import type { Leg } from '@tern/ledger/movement'
import { money } from '@tern/money/money'
import type pg from 'pg'
import { transact } from '../../packages/server/src/platform/database/db.ts'
import { newId } from '../../packages/server/src/platform/ids.ts'
import { buildUsage } from '../../packages/server/src/features/limits/limits.ts'
import type { MoveRequest, NewTransaction } from '../../packages/server/src/features/wallets/move.ts'

export const benchCurrencies = ['USD', 'EUR'] as const
export type BenchCurrency = (typeof benchCurrencies)[number]

/** Owner of a funded wallet in one currency. */
export interface Person {
  readonly userId: bigint
  readonly walletId: string
  readonly account: bigint
  readonly currency: BenchCurrency
}

/** Accounts shared by all movements in one currency. */
interface SharedAccounts {
  readonly card: bigint
  readonly bridge: bigint
  readonly stablecoin: bigint
  readonly fees: bigint
}

export type Desk = Readonly<Record<BenchCurrency, SharedAccounts>>

/** Opens the shared accounts of both currencies. */
export async function openDesk(pool: pg.Pool): Promise<Desk> {
  return { USD: await openSharedAccounts(pool, 'USD'), EUR: await openSharedAccounts(pool, 'EUR') }
}

async function openSharedAccounts(pool: pg.Pool, currency: BenchCurrency): Promise<SharedAccounts> {
  const accounts = [
    cardAccount(currency),
    bridgeAccount(currency),
    bridgeStablecoinAccount(currency),
    feeAccount(currency),
  ]
  const [card, bridge, stablecoin, fees] = await transact(pool, (tx) => openAccounts(tx, accounts))
  if (!card || !bridge || !stablecoin || !fees) throw new Error('the desk could not be opened')
  return { card, bridge, stablecoin, fees }
}

let identityCount = 0
const runPrefix = randomBytes(4).toString('hex')

// In the form of the product's ids but cheap to create, since the callers are not measured.
function createIdentity(at: Date) {
  identityCount += 1
  const sequenceHex = identityCount.toString(16).padStart(8, '0')
  const timestampHex = at.getTime().toString(16).padStart(12, '0')
  const id = (kind: number) =>
    `${timestampHex.slice(0, 8)}-${timestampHex.slice(8)}-7${kind}00-8000-${runPrefix.slice(0, 4)}${sequenceHex}`
  return { id: id(1), reference: id(2), requestHash: Buffer.from(sequenceHex), at }
}

const openingBalance = 1_000_000_000n

/** Returns a card deposit that funds the person. */
export function buildDeposit({ userId, walletId, account, currency }: Person, desk: Desk, at: Date): MoveRequest {
  const amount = money(currency, openingBalance)
  return {
    movement: {
      ...createIdentity(at),
      kind: 'deposit',
      legs: [{ from: desk[currency].card, to: account, amount: amount.minor, code: 'deposit' }],
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
        paymentId: newId(at),
        recipientId: userId,
      },
    ],
  }
}

interface SendOptions {
  readonly desk: Desk
  readonly at: Date
}

/** Returns a send: one leg within a currency, four across currencies, mostly on accounts shared by all sends. */
export function sendBetween(sender: Person, recipient: Person, { desk, at }: SendOptions): MoveRequest {
  const { legs, ...prices } =
    sender.currency === recipient.currency
      ? priceWithinCurrency(sender, recipient)
      : priceAcrossCurrencies(sender, recipient, desk)
  const sharedFields = {
    ...prices,
    status: 'COMPLETED' as const,
    senderId: sender.userId,
    recipientId: recipient.userId,
    fromWalletId: sender.walletId,
    toWalletId: recipient.walletId,
    description: 'Lunch, thank you!',
  }
  return {
    movement: { ...createIdentity(at), kind: 'send', legs },
    rows: [
      { ...sharedFields, userId: sender.userId, walletId: sender.walletId, kind: 'SEND', paymentSource: 'wallet' },
      { ...sharedFields, userId: recipient.userId, walletId: recipient.walletId, kind: 'RECEIVE' },
    ],
    usage: buildUsage(sender.userId, 'transfer', 100n, at),
  }
}

type PricedSend = Pick<NewTransaction, 'source' | 'target' | 'fee' | 'stablecoinAmount' | 'rate'> & { legs: Leg[] }

const sendMinor = 100n

function priceWithinCurrency(sender: Person, recipient: Person): PricedSend {
  const amount = money(sender.currency, sendMinor)
  const legs: Leg[] = [{ from: sender.account, to: recipient.account, amount: sendMinor, code: 'send' }]
  return { legs, source: amount, target: amount, fee: money(sender.currency, 0n) }
}

/** Result of converting 100 minor units, by target currency. */
const convertedMinor: Readonly<Record<BenchCurrency, bigint>> = { USD: 107n, EUR: 93n }
const stablecoinMinor = 1_000_000n

function priceAcrossCurrencies(sender: Person, recipient: Person, desk: Desk): PricedSend {
  const { bridge, fees, stablecoin } = desk[sender.currency]
  const targetDesk = desk[recipient.currency]
  const targetMinor = convertedMinor[recipient.currency]
  return {
    legs: [
      { from: sender.account, to: bridge, amount: sendMinor, code: 'exchange' },
      { from: sender.account, to: fees, amount: 1n, code: 'fee' },
      { from: stablecoin, to: targetDesk.stablecoin, amount: stablecoinMinor, code: 'exchange' },
      { from: targetDesk.bridge, to: recipient.account, amount: targetMinor, code: 'exchange' },
    ],
    source: money(sender.currency, sendMinor),
    target: money(recipient.currency, targetMinor),
    fee: money(sender.currency, 1n),
    stablecoinAmount: stablecoinMinor,
    rate: { numerator: targetMinor, denominator: sendMinor },
  }
}
