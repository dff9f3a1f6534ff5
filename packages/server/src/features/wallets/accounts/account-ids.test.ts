import { holdAccount, walletAccount } from '@tern/ledger/chart'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestPerson } from '@tern/testkit/app'
import { connect, transact } from '../../../platform/database/db.ts'
import { createWallets, findWallet, type Wallets } from '../wallets.ts'

// Pool of one connection: a read outside an open transaction would wait forever.
let world: TestApp
let pool: pg.Pool
let wallets: Wallets
let alice: TestPerson
let bruno: TestPerson

beforeAll(async () => {
  world = await startTestApp()
  pool = connect(world.database.url, 1)
})
afterAll(async () => {
  await pool.end()
  await world.close()
})
beforeEach(async () => {
  wallets = createWallets(world.app.product.identity)
  alice = await world.enroll('alice', 'United States')
  bruno = await world.enroll('bruno', 'Germany')
})

const rollbackError = new Error('undone')

test('parties, accounts and earlier payments are read through an open transaction', async () => {
  const before = new Date(Date.now() + 60_000)
  const read = await transact(pool, async (tx) => {
    const [sender, recipient] = await Promise.all([
      wallets.findParty(tx, BigInt(alice.id)),
      wallets.findParty(tx, BigInt(bruno.id)),
    ])
    const account = await wallets.accountId(tx, walletAccount(sender!.wallet.id, 'USD'))
    const hasPaid = await wallets.hasPaid(tx, { senderId: BigInt(alice.id), recipientId: BigInt(bruno.id), before })
    return { sender, recipient, account, hasPaid }
  })
  expect(read).toMatchObject({
    sender: { verified: true },
    recipient: { wallet: { baseCurrency: 'EUR' } },
    hasPaid: false,
  })
  expect(read.account).toBe(await wallets.accountId(pool, walletAccount(read.sender!.wallet.id, 'USD')))
})

test('an account that a transaction opened is not remembered if it is undone', async () => {
  const { id } = (await findWallet(pool, BigInt(alice.id)))!
  const account = holdAccount(id, 'BTC')
  let openedId: bigint | undefined
  const transaction = transact(pool, async (tx) => {
    openedId = await wallets.accountId(tx, account)
    throw rollbackError
  })
  await expect(transaction).rejects.toBe(rollbackError)
  expect(openedId).toBeTypeOf('bigint')
  const accountSql = 'select id from ledger.account where name = $1'
  expect((await pool.query(accountSql, [account.name])).rows).toEqual([])
  const repeatedId = await wallets.accountId(pool, account)
  expect((await pool.query(accountSql, [account.name])).rows).toEqual([{ id: repeatedId }])
  expect(await wallets.accountId(pool, account)).toBe(repeatedId)
})

test('a party is not remembered as an undone transaction saw them', async () => {
  const id = BigInt(bruno.id)
  const transaction = transact(pool, async (tx) => {
    await tx.query(`update wallet set base_currency = 'GBP' where user_id = $1`, [id])
    expect((await wallets.findParty(tx, id))?.wallet.baseCurrency).toBe('GBP')
    throw rollbackError
  })
  await expect(transaction).rejects.toBe(rollbackError)
  expect((await wallets.findParty(pool, id))?.wallet.baseCurrency).toBe('EUR')
})

test('a payment that arrived in an undone transaction is not remembered', async () => {
  const pair = {
    senderId: BigInt(alice.id),
    recipientId: BigInt(bruno.id),
    before: new Date(Date.now() + 60_000),
  }
  const transaction = transact(pool, async (tx) => {
    await tx.query(
      `insert into transaction (user_id, id, posting_id, kind, status, created_at, sender_id, recipient_id, wallet_id,
          description, source_amount, source_currency, target_amount, target_currency, fee_amount, fee_currency)
        values ($1, gen_random_uuid(), gen_random_uuid(), 'SEND', 'COMPLETED', now(), $1, $2, gen_random_uuid(), '', 1, 'USD', 1,
          'USD', 0, 'USD')`,
      [pair.senderId, pair.recipientId],
    )
    expect(await wallets.hasPaid(tx, pair)).toBe(true)
    throw rollbackError
  })
  await expect(transaction).rejects.toBe(rollbackError)
  expect(wallets.findPaidAt(pair)).toBeUndefined()
  expect(await wallets.hasPaid(pool, pair)).toBe(false)
})
