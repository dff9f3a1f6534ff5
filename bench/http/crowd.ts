// Verified, signed-in and funded people with known payees, who use the product over HTTP. They are copies of two people
// registered through the API; registering ten thousand would take minutes.

import { walletAccount } from '@tern/ledger/chart'
import { openAccounts } from '@tern/ledger/ledger'
import type pg from 'pg'
import { issueAccessToken } from '../../packages/server/src/features/identity/sessions/tokens/access-token.ts'
import { transact } from '../../packages/server/src/platform/database/db.ts'
import { newId } from '../../packages/server/src/platform/ids.ts'
import { newUserNumber } from '../../packages/server/src/features/identity/users/user-number.ts'
import type { TestApp } from '@tern/testkit/app'
import { moveAll } from '../movements/move-all.ts'
import { type BenchCurrency, buildDeposit, openDesk, type Person, sendBetween } from '../movements/traffic.ts'
import type { Sender } from './orders.ts'

const countries: Readonly<Record<BenchCurrency, string>> = { USD: 'United States', EUR: 'Germany' }
const dayMs = 86_400_000

/** Person with the payees they have paid before, in their own currency and in the other. */
export interface Member extends Person {
  readonly sessionId: string
  readonly payees: Readonly<Record<SendKind, readonly Person[]>>
}

export type SendKind = 'plain' | 'cross'

export type ModelIds = Readonly<Record<BenchCurrency, number>>

/** Enrolls one person per currency; crowds are copies of them. */
export async function enrollModels(app: TestApp): Promise<ModelIds> {
  const dollars = await app.enroll('model', countries.USD)
  const euros = await app.enroll('model', countries.EUR)
  return { USD: dollars.id, EUR: euros.id }
}

interface UserCopy extends Person {
  readonly sessionId: string
}

/**
 * Creates `size` people, half of them in each currency. Each has paid up to `maxPayees` in each currency 40 days ago.
 */
export async function createCrowd(
  { app: { product } }: TestApp,
  models: ModelIds,
  { size, maxPayees }: { size: number; maxPayees: number },
): Promise<Member[]> {
  const { pool, mover } = product
  const desk = await openDesk(pool)
  const numbers = createUserNumbers(size)
  const dollarPeople = await copyModel(pool, { model: models.USD, currency: 'USD', numbers: numbers.slice(size / 2) })
  const euroPeople = await copyModel(pool, { model: models.EUR, currency: 'EUR', numbers: numbers.slice(0, size / 2) })
  const members = [
    ...assignPayees(dollarPeople, { sameCurrency: dollarPeople, otherCurrency: euroPeople, maxPayees }),
    ...assignPayees(euroPeople, { sameCurrency: euroPeople, otherCurrency: dollarPeople, maxPayees }),
  ]
  const now = product.now().getTime()
  await moveAll(mover, members, (person) => buildDeposit(person, desk, new Date(now - 41 * dayMs)))
  const pairs = members.flatMap((sender) =>
    [...sender.payees.plain, ...sender.payees.cross].map((recipient) => ({ sender, recipient })),
  )
  const at = new Date(now - 40 * dayMs)
  await moveAll(mover, pairs, ({ sender, recipient }) => sendBetween(sender, recipient, { desk, at }))
  await pool.query('vacuum analyze')
  return members
}

interface PayeeOptions {
  readonly sameCurrency: readonly UserCopy[]
  readonly otherCurrency: readonly UserCopy[]
  readonly maxPayees: number
}

/** Assigns payees to each person: those at the next positions, wrapping around, in each currency. */
function assignPayees(people: readonly UserCopy[], { sameCurrency, otherCurrency, maxPayees }: PayeeOptions): Member[] {
  const members: Member[] = []
  for (const [position, { userId, walletId, account, currency, sessionId }] of people.entries()) {
    const payees = {
      plain: takeNext(sameCurrency, position, maxPayees),
      cross: takeNext(otherCurrency, position, maxPayees),
    }
    members.push({ userId, walletId, account, currency, sessionId, payees })
  }
  return members
}

/** Returns up to `length` items after `position`, wrapping around; excludes the item at `position`. */
function takeNext<T>(items: readonly T[], position: number, length: number): T[] {
  const count = Math.min(length, items.length - 1)
  return Array.from({ length: count }, (_, step) => items[(position + step + 1) % items.length]).filter(
    (item) => item !== undefined,
  )
}

function createUserNumbers(count: number): bigint[] {
  const numbers = new Set<bigint>()
  while (numbers.size < count) numbers.add(newUserNumber())
  return [...numbers]
}

interface CopyOptions {
  readonly model: number
  readonly currency: BenchCurrency
  /** User ids, one per copy. */
  readonly numbers: readonly bigint[]
}

/** Copies a verified person, each copy with a session and an empty wallet. */
async function copyModel(pool: pg.Pool, { model, currency, numbers }: CopyOptions): Promise<UserCopy[]> {
  const now = new Date()
  const plans = numbers.map((userId) => ({ userId, walletId: newId(now), sessionId: newId(now) }))
  const columnValues = [
    plans.map(({ userId }) => userId),
    plans.map(({ walletId }) => walletId),
    plans.map(({ sessionId }) => sessionId),
  ]
  for (const statement of copyStatements) await pool.query(statement, [model, ...columnValues])
  const accounts = plans.flatMap(({ walletId }) => [walletAccount(walletId, currency), walletAccount(walletId, 'USDT')])
  const ids = await transact(pool, (tx) => openAccounts(tx, accounts))
  return plans.map(({ userId, walletId, sessionId }, position) => {
    const account = ids[2 * position]
    if (account === undefined) throw new Error('an account was not opened')
    return { userId, walletId, sessionId, currency, account }
  })
}

/** Copies one row of a table for each new person, changing some columns. */
const copyRowSql = (table: string, ownerColumn: string, columns: string): string =>
  `insert into ${table} select (jsonb_populate_record(model, jsonb_build_object(${columns}))).*
     from ${table} model, unnest($2::bigint[], $3::uuid[], $4::uuid[]) as n (user_id, wallet_id, session_id)
    where model.${ownerColumn} = $1`

const copyStatements = [
  copyRowSql(
    'app_user',
    'id',
    `'id', n.user_id, 'email', n.user_id || '@example.com', 'username', 'copy' || n.user_id`,
  ),
  copyRowSql('kyc_submission', 'user_id', `'id', gen_random_uuid(), 'user_id', n.user_id`),
  copyRowSql('wallet', 'user_id', `'id', n.wallet_id, 'user_id', n.user_id`),
  copyRowSql(
    'session',
    'user_id',
    `'id', n.session_id, 'user_id', n.user_id, 'created_at', model.created_at - interval '2 days'`,
  ),
]

/** Returns members as senders for the client process, with new access tokens, which last five minutes. */
export async function prepareSenders(
  { app: { product } }: TestApp,
  members: readonly Member[],
  kind: SendKind,
): Promise<Sender[]> {
  const { ctx, pool } = product.identity
  return Promise.all(
    members.map(async ({ userId, sessionId, currency, payees }) => ({
      token: await issueAccessToken(ctx, pool, { userId, sessionId }),
      currency,
      payees: payees[kind].map((payee) => Number(payee.userId)),
    })),
  )
}
