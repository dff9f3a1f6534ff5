// Accounts and movements for ledger tests, and a check of the ledger's invariants.

import assert from 'node:assert'
import { createHash, randomUUID } from 'node:crypto'
import type { CurrencyCode } from '@tern/money/currency'
import type pg from 'pg'
import {
  type Account,
  bankAccount,
  bridgeAccount,
  bridgeStablecoinAccount,
  cardAccount,
  feeAccount,
  holdAccount,
  type MoveCode,
  roundingAccount,
  walletAccount,
} from '../src/chart.ts'
import { openAccounts, postWithin } from '../src/ledger.ts'
import { batchExpression, encodeBatch, type Leg, type Movement } from '../src/movement.ts'
import { createPoster, type PosterMetrics, type PosterOptions } from '../src/group-commit/poster.ts'

export interface Bank {
  /** Ids of system accounts. */
  readonly card: bigint
  readonly bank: bigint
  readonly fee: bigint
  readonly bridge: bigint
  readonly bridgeTether: bigint
  readonly euroBridge: bigint
  readonly euroTether: bigint
  readonly rounding: bigint
  open(account: Account): Promise<bigint>
  /** Opens a wallet account in `currency` (default USD) with this balance in minor units; returns its id. */
  wallet(balance?: bigint, currency?: CurrencyCode): Promise<bigint>
  /** Opens a USD wallet account with its hold account. */
  walletWithHold(balance: bigint): Promise<{ wallet: bigint; hold: bigint }>
  /** Returns an account's balance in minor units, including its stripes. */
  balance(account: bigint): Promise<bigint>
}

export async function openBank(pool: pg.Pool): Promise<Bank> {
  const open = async (account: Account): Promise<bigint> => {
    const [id] = await openAccounts(pool, [account])
    assert(id !== undefined)
    return id
  }
  const cards = { USD: await open(cardAccount('USD')), EUR: await open(cardAccount('EUR')) }
  async function fund(to: bigint, balance: bigint, currency: CurrencyCode): Promise<void> {
    const from = currency === 'EUR' ? cards.EUR : cards.USD
    if (balance > 0n) await postWithin(pool, movement([{ from, to, amount: balance, code: 'deposit' }]))
  }
  async function walletWithHold(balance: bigint) {
    const id = randomUUID()
    const wallet = await open(walletAccount(id, 'USD'))
    const hold = await open(holdAccount(id, 'USD'))
    await fund(wallet, balance, 'USD')
    return { wallet, hold }
  }
  return {
    card: cards.USD,
    bank: await open(bankAccount('USD')),
    fee: await open(feeAccount('USD')),
    bridge: await open(bridgeAccount('USD')),
    bridgeTether: await open(bridgeStablecoinAccount('USD')),
    euroBridge: await open(bridgeAccount('EUR')),
    euroTether: await open(bridgeStablecoinAccount('EUR')),
    rounding: await open(roundingAccount('USDT')),
    open,
    async wallet(balance = 0n, currency: CurrencyCode = 'USD') {
      const account = await open(walletAccount(randomUUID(), currency))
      await fund(account, balance, currency)
      return account
    },
    walletWithHold,
    async balance(account) {
      const { rows } = await pool.query(
        'select sum(balance) as balance from ledger.account where id = $1 or stripe_of = $1',
        [account],
      )
      return BigInt(rows[0].balance)
    },
  }
}

/** Builds a movement, with a new id by default. */
export function movement(legs: readonly Leg[], overrides: Partial<Movement> = {}): Movement {
  const id = overrides.id ?? randomUUID()
  return {
    id,
    requestHash: createHash('sha256').update(id).digest(),
    kind: 'test',
    reference: randomUUID(),
    at: new Date('2026-03-01T10:00:00Z'),
    legs,
    ...overrides,
  }
}

export const leg = (from: bigint, to: bigint, amount: bigint, code: MoveCode = 'send'): Leg => ({
  from,
  to,
  amount,
  code,
})

/** Creates a poster whose query only posts. */
export const createBarePoster = (
  databaseUrl: string,
  metrics?: PosterMetrics,
  overrides: Partial<PosterOptions<Movement>> = {},
) =>
  createPoster<Movement>({
    databaseUrl,
    movementOf: (movement) => movement,
    encode: (movements, { stripes, waits }) => ({
      name: waits ? 'post' : 'post_at_once',
      text: `select ledger.post(${batchExpression}, waits => ${waits}) as statuses`,
      values: encodeBatch(movements, [], stripes),
    }),
    ...(metrics && { metrics }),
    ...overrides,
  })

/** Returns violations of the ledger's invariants; empty if it is sound. */
export async function findUnsound(pool: pg.Pool): Promise<unknown[]> {
  const { rows } = await pool.query(`
    select 'sum of currency' as rule, currency as subject from ledger.account group by currency having sum(balance) <> 0
    union all
    select 'balance differs from entries', a.name from ledger.account a
      left join (select account_id, sum(amount) as sum, count(*) as count, min(version) as first, max(version) as last
                   from ledger.entry group by account_id) e on e.account_id = a.id
     where a.balance <> coalesce(e.sum, 0) or a.version <> coalesce(e.count, 0)
        or coalesce(e.first, 1) <> 1 or coalesce(e.last, 0) <> a.version
    union all
    select 'running balance', e.account_id::text from (
      select account_id, balance, sum(amount) over (partition by account_id order by version) as running from ledger.entry
    ) e where e.balance <> e.running
    union all
    select 'below the floor', name from ledger.account where balance < floor
    union all
    select 'posting without entries', p.id::text from ledger.posting p
     where p.refusal is null and not exists (select from ledger.entry e where e.posting_id = p.id)
    union all
    select 'unbalanced posting', e.posting_id::text from ledger.entry e join ledger.account a on a.id = e.account_id
     group by e.posting_id, a.currency having sum(e.amount) <> 0
    union all
    select 'entry without posting', e.posting_id::text from ledger.entry e
     where not exists (select from ledger.posting p where p.id = e.posting_id)`)
  return rows
}
