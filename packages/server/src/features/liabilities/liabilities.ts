// Liabilities: everything that is owed to account holders, in a Merkle-sum tree for each day whose root is in the
// transparency log. Account holders prove with it that their balance was counted (docs/transparency.md).

import type { BalanceProofReply } from '@tern/contract/liabilities'
import { money, toDecimal } from '@tern/money/money'
import { isCurrencyCode } from '@tern/money/currency'
import type pg from 'pg'
import type { Db } from '../../platform/database/db.ts'
import { addDays, findDayStart, readOpening } from '../statements/statements.ts'
import type { Transparency } from '../transparency/transparency.ts'
import { findWallet } from '../wallets/wallets.ts'
import { closeDays } from './close-days.ts'
import { type ClosedDay, findLastDay, formatProof, proveBalances } from './prove-balances.ts'

interface Context {
  readonly now: () => Date
  readonly transparency: Transparency
}

export function createLiabilities(ctx: Context) {
  return {
    /** Builds the trees of days that have ended, and puts their roots into the log. */
    closeDays: (pool: pg.Pool) => closeDays(ctx, pool),
    proveOwn: (db: Db, userId: bigint) => proveOwn(ctx, db, userId),
  }
}

export type Liabilities = ReturnType<typeof createLiabilities>

/**
 * Proves a user's balances in the newest tree. `missing`: the ledger owes the user money that the tree does not count.
 * The balances are the ledger's, never the tree's.
 */
async function proveOwn(ctx: Context, db: Db, userId: bigint): Promise<BalanceProofReply> {
  const closedDay = await findLastDay(db)
  const holder = userId.toString()
  const nothing = { day: null, holder, balances: [], file: null }
  if (!closedDay) return { state: 'not_yet', ...nothing }
  const { day } = closedDay
  const balances = await readBalances(db, userId, closedDay)
  const proof = await proveBalances(db, { closedDay, userId })
  if (!proof) return { state: balances.length === 0 ? 'nothing_owed' : 'missing', day, holder, balances, file: null }
  const file = await formatProof(ctx, db, { closedDay, proof })
  return file === undefined ? { state: 'not_yet', ...nothing } : { state: 'proved', day, holder, balances, file }
}

/** Reads a user's balances at the end of a day, available and on hold together. */
async function readBalances(
  db: Db,
  userId: bigint,
  { day }: Pick<ClosedDay, 'day'>,
): Promise<BalanceProofReply['balances']> {
  const wallet = await findWallet(db, userId)
  if (!wallet) return []
  const parts = await readOpening(db, { wallet, at: findDayStart(addDays(day, 1), 'UTC') })
  const sums = new Map<string, bigint>()
  for (const { currency, balance } of parts) sums.set(currency, (sums.get(currency) ?? 0n) + balance)
  return [...sums]
    .filter(([, minor]) => minor !== 0n)
    .flatMap(([currency, minor]) =>
      isCurrencyCode(currency) ? [{ currency, amount: toDecimal(money(currency, minor)) }] : [],
    )
}
