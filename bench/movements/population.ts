// Ten thousand people with funded dollar and euro wallets, for movements without HTTP.

import { walletAccount } from '@tern/ledger/chart'
import { openAccounts } from '@tern/ledger/ledger'
import type pg from 'pg'
import { transact } from '../../packages/server/src/platform/database/db.ts'
import { newId } from '../../packages/server/src/platform/ids.ts'
import { createMover, type MoveRequest } from '../../packages/server/src/features/wallets/move.ts'
import { moveAll } from './move-all.ts'
import { type BenchCurrency, buildDeposit, type Desk, openDesk, type Person, sendBetween } from './traffic.ts'

export interface BenchPopulation {
  readonly dollarPeople: readonly Person[]
  readonly euroPeople: readonly Person[]
  readonly desk: Desk
}

const peoplePerCurrency = 5_000

/** Opens the shared accounts, and people's wallet accounts, which deposits fund. */
export async function createPopulation(pool: pg.Pool, databaseUrl: string): Promise<BenchPopulation> {
  const desk = await openDesk(pool)
  const dollarPeople = await settlePeople(pool, 'USD', 1_000_000_000n)
  const euroPeople = await settlePeople(pool, 'EUR', 2_000_000_000n)
  const mover = createMover({ databaseUrl })
  const now = new Date()
  await moveAll(mover, [...dollarPeople, ...euroPeople], (person) => buildDeposit(person, desk, now))
  await mover.close()
  await pool.query('vacuum analyze')
  return { dollarPeople, euroPeople, desk }
}

async function settlePeople(pool: pg.Pool, currency: BenchCurrency, firstUserId: bigint): Promise<Person[]> {
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
  const accounts = plans.map(({ walletId }) => walletAccount(walletId, currency))
  const ids = await transact(pool, (tx) => openAccounts(tx, accounts))
  return plans.map(({ userId, walletId }, index) => ({ userId, walletId, account: ids[index] ?? 0n, currency }))
}

/** Returns a send within a currency between two random people. */
export const buildPlainSend = (population: BenchPopulation): MoveRequest =>
  buildSend(population, population.dollarPeople, population.dollarPeople)

/** Returns a dollar-to-euro send between two random people. */
export const buildCrossSend = (population: BenchPopulation): MoveRequest =>
  buildSend(population, population.dollarPeople, population.euroPeople)

function buildSend({ desk }: BenchPopulation, senders: readonly Person[], recipients: readonly Person[]): MoveRequest {
  for (;;) {
    const sender = senders[Math.floor(Math.random() * senders.length)]
    const recipient = recipients[Math.floor(Math.random() * recipients.length)]
    if (sender && recipient && sender !== recipient) return sendBetween(sender, recipient, { desk, at: new Date() })
  }
}
