import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '@tern/testkit/open-test-database'
import { findUnsound, leg, movement, openBank } from '../test/bank.ts'
import { accountKinds, permittedMoves, walletAccount } from './chart.ts'
import { release, reserve, settle } from './holds.ts'
import { loadBalances, LedgerError, openAccounts, postWithin } from './ledger.ts'
import { batchExpression, encodeBatch, type Movement, type QuotaUse } from './movement.ts'

const database = await openTestDatabase()
const bank = await openBank(database.pool)

async function post(
  movements: Movement[],
  quotas: (QuotaUse | undefined)[] = [],
  usedAmounts: bigint[] = [],
): Promise<string[]> {
  const { rows } = await database.pool.query(`select ledger.post(${batchExpression}, $19) as statuses`, [
    ...encodeBatch(movements, quotas),
    usedAmounts.map(String),
  ])
  return rows[0].statuses
}

const catchProblem = async (callback: () => Promise<unknown>): Promise<string> => {
  try {
    await callback()
  } catch (error) {
    if (error instanceof LedgerError) return error.problem
    return String((error as { code?: string }).code)
  }
  return 'none'
}

describe('a movement', () => {
  let payerAccount: bigint
  let payeeAccount: bigint
  beforeEach(async () => {
    payerAccount = await bank.wallet(1_000n)
    payeeAccount = await bank.wallet()
  })

  test('is posted and changes the balances as it says', async () => {
    expect(
      await post([movement([leg(payerAccount, payeeAccount, 300n), leg(payerAccount, bank.fee, 2n, 'fee')])]),
    ).toEqual(['posted'])
    expect(await bank.balance(payerAccount)).toBe(698n)
    expect(await bank.balance(payeeAccount)).toBe(300n)
    expect(await findUnsound(database.pool)).toEqual([])
  })

  test('moves nothing when repeated, and reports it', async () => {
    const onceMovement = movement([leg(payerAccount, payeeAccount, 300n)])
    expect(await post([onceMovement])).toEqual(['posted'])
    expect(await post([onceMovement])).toEqual(['replayed'])
    expect(await bank.balance(payeeAccount)).toBe(300n)
  })

  test('is refused when its id belongs to another request', async () => {
    const first = movement([leg(payerAccount, payeeAccount, 300n)])
    await post([first])
    const conflictingMovement = {
      ...movement([leg(payerAccount, payeeAccount, 400n)]),
      id: first.id,
      requestHash: Buffer.from('another'),
    }
    expect(await post([conflictingMovement])).toEqual(['key_reused'])
    expect(await bank.balance(payeeAccount)).toBe(300n)
  })

  test('with a token moves money once, in its batch or later', async () => {
    const once = randomUUID()
    const [first, second, third] = [1n, 2n, 3n].map((amount) =>
      movement([leg(payerAccount, payeeAccount, amount)], { once }),
    )
    expect(await post([first!, second!])).toEqual(['posted', 'already_used'])
    expect(await post([third!])).toEqual(['already_used'])
    expect(await post([first!])).toEqual(['replayed'])
    expect(await bank.balance(payeeAccount)).toBe(1n)
  })

  test('that is refused leaves its token valid', async () => {
    const once = randomUUID()
    const excessMovement = movement([leg(payerAccount, payeeAccount, 5_000n)], { once })
    const validMovement = movement([leg(payerAccount, payeeAccount, 500n)], { once })
    expect(await post([excessMovement, validMovement])).toEqual(['insufficient_funds', 'posted'])
  })

  test('is refused for an unknown account', async () => {
    expect(await post([movement([leg(payerAccount, 999_999_999n, 1n)])])).toEqual(['unknown_account'])
    expect(await post([movement([leg(999_999_999n, payeeAccount, 1n)])])).toEqual(['unknown_account'])
  })

  test('is refused between different currencies', async () => {
    const euros = await bank.wallet(0n, 'EUR')
    expect(await post([movement([leg(payerAccount, euros, 1n)])])).toEqual(['currency_mismatch'])
  })

  test('is refused when the chart does not list the move', async () => {
    expect(await post([movement([leg(bank.fee, bank.bridge, 1n)])])).toEqual(['not_permitted'])
    expect(await post([movement([leg(payerAccount, payeeAccount, 1n, 'deposit')])])).toEqual(['not_permitted'])
    expect(await post([movement([leg(payerAccount, payerAccount, 1n)])])).toEqual(['not_permitted'])
  })

  test('is refused when it exceeds the funds by one cent', async () => {
    expect(await post([movement([leg(payerAccount, payeeAccount, 1_001n)])])).toEqual(['insufficient_funds'])
    expect(await post([movement([leg(payerAccount, payeeAccount, 1_000n)])])).toEqual(['posted'])
    expect(await post([movement([leg(payerAccount, payeeAccount, 1n)])])).toEqual(['insufficient_funds'])
    expect(await bank.balance(payerAccount)).toBe(0n)
  })

  test('respects quotas within a batch, which count only what was posted', async () => {
    const buildQuotaUse = (amount: bigint): QuotaUse => ({ position: 1, amount, limit: 100n })
    const statuses = await post(
      [60n, 5_000n, 30n, 11n, 10n, 1n].map((amount) => movement([leg(payerAccount, payeeAccount, amount)])),
      [
        buildQuotaUse(60n),
        buildQuotaUse(5n),
        buildQuotaUse(30n),
        buildQuotaUse(11n),
        buildQuotaUse(10n),
        { position: 1, amount: 1n, limit: undefined },
      ],
      [0n],
    )
    expect(statuses).toEqual(['posted', 'insufficient_funds', 'posted', 'limit_exceeded', 'posted', 'posted'])
  })
})

describe('a batch', () => {
  test('undoes the legs of a refused movement and no others', async () => {
    const [a, b, c] = [await bank.wallet(100n), await bank.wallet(), await bank.wallet()]
    const statuses = await post([
      movement([leg(a, b, 40n)]),
      movement([leg(b, c, 30n), leg(a, c, 60n), leg(a, c, 1n)]),
      movement([leg(b, c, 40n), leg(c, a, 5n)]),
      movement([leg(a, c, 65n), leg(b, c, 1n)]),
      movement([leg(a, c, 65n)]),
    ])
    expect(statuses).toEqual(['posted', 'insufficient_funds', 'posted', 'insufficient_funds', 'posted'])
    expect([await bank.balance(a), await bank.balance(b), await bank.balance(c)]).toEqual([0n, 0n, 100n])
    const { rows } = await database.pool.query(
      'select version, leg, amount, balance from ledger.entry where account_id = $1 order by version',
      [c],
    )
    expect(rows).toEqual([
      { version: 1n, leg: 0, amount: 40n, balance: 40n },
      { version: 2n, leg: 1, amount: -5n, balance: 35n },
      { version: 3n, leg: 0, amount: 65n, balance: 100n },
    ])
    expect(await findUnsound(database.pool)).toEqual([])
  })

  test('lets money that arrives earlier be spent later in it', async () => {
    const [a, b, c] = [await bank.wallet(10n), await bank.wallet(), await bank.wallet()]
    expect(await post([movement([leg(b, c, 10n)]), movement([leg(a, b, 10n)]), movement([leg(b, c, 10n)])])).toEqual([
      'insufficient_funds',
      'posted',
      'posted',
    ])
  })

  test('is exact for amounts of 18 places and beyond 64 bits', async () => {
    const desk = await bank.open({ name: 'bridge:ETH', kind: 'bridge', currency: 'ETH' })
    const wallet = await bank.wallet(0n, 'ETH')
    const amount = 123_456_789_012_345_678_901_234_567n
    expect(await post([movement([leg(desk, wallet, amount, 'exchange')])])).toEqual(['posted'])
    expect(await bank.balance(wallet)).toBe(amount)
    expect(await bank.balance(desk)).toBe(-amount)
  })

  test('sums to zero in every currency for a send from dollars to euros', async () => {
    const [sender, recipient] = [await bank.wallet(10_000n), await bank.wallet(0n, 'EUR')]
    const legs = [
      leg(sender, bank.bridge, 5_000n, 'exchange'),
      leg(sender, bank.fee, 50n, 'fee'),
      leg(bank.bridgeTether, bank.euroTether, 49_999_900n, 'exchange'),
      leg(bank.bridgeTether, bank.rounding, 100n, 'rounding'),
      leg(bank.euroBridge, recipient, 4_650n, 'exchange'),
    ]
    expect(await post([movement(legs)])).toEqual(['posted'])
    expect(await bank.balance(recipient)).toBe(4_650n)
    expect(await findUnsound(database.pool)).toEqual([])
  })

  test('treats non-positive legs and movements without legs as bugs and posts nothing', async () => {
    const [a, b] = [await bank.wallet(100n), await bank.wallet()]
    await expect(post([movement([leg(a, b, 0n)])])).rejects.toMatchObject({ code: 'TL001' })
    await expect(post([movement([leg(a, b, -5n)])])).rejects.toMatchObject({ code: 'TL001' })
    await expect(post([movement([leg(a, b, 5n)]), movement([])])).rejects.toMatchObject({ code: 'TL001' })
    await expect(postWithin(database.pool, movement([leg(a, b, -5n)]))).rejects.toThrow('has a leg of -5')
    expect(await bank.balance(a)).toBe(100n)
  })
})

describe('holds', () => {
  test('reserved money cannot be spent, and is gone from the hold once settled or released', async () => {
    const { wallet, hold } = await bank.walletWithHold(1_000n)
    const otherAccount = await bank.wallet()
    expect(await post([movement([reserve({ wallet, hold, amount: 700n })])])).toEqual(['posted'])
    expect(await post([movement([leg(wallet, otherAccount, 301n)])])).toEqual(['insufficient_funds'])
    const closingLegs = [
      settle({ hold, to: bank.bank, amount: 500n }),
      { from: hold, to: bank.fee, amount: 5n, code: 'fee' } as const,
      release({ hold, wallet, amount: 195n }),
    ]
    expect(await post([movement(closingLegs)])).toEqual(['posted'])
    expect(await bank.balance(hold)).toBe(0n)
    expect(await bank.balance(wallet)).toBe(495n)
  })

  test('at most the reserved amount is released or settled', async () => {
    const { wallet, hold } = await bank.walletWithHold(1_000n)
    await post([movement([reserve({ wallet, hold, amount: 10n })])])
    expect(await post([movement([release({ hold, wallet, amount: 11n })])])).toEqual(['insufficient_funds'])
    expect(await post([movement([settle({ hold, to: bank.bank, amount: 11n })])])).toEqual(['insufficient_funds'])
  })

  test('a hold belongs to its own wallet', async () => {
    const [firstWallet, secondWallet] = [await bank.walletWithHold(100n), await bank.walletWithHold(100n)]
    expect(
      await post([movement([reserve({ wallet: firstWallet.wallet, hold: secondWallet.hold, amount: 1n })])]),
    ).toEqual(['not_permitted'])
    await post([movement([reserve({ ...firstWallet, amount: 50n })])])
    expect(
      await post([movement([release({ hold: firstWallet.hold, wallet: secondWallet.wallet, amount: 1n })])]),
    ).toEqual(['not_permitted'])
  })
})

describe('accounts', () => {
  test('opening is idempotent, keeps the requested order, and may run concurrently', async () => {
    const accounts = Array.from({ length: 20 }, () => walletAccount(randomUUID(), 'USD'))
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        openAccounts(database.pool, index % 2 ? accounts : accounts.toReversed()),
      ),
    )
    const ids = results[1]!
    for (const [index, result] of results.entries()) expect(result).toEqual(index % 2 ? ids : ids.toReversed())
    const balances = await loadBalances(database.pool, [accounts[0]!.name, 'wallet:nobody:USD'])
    expect([...balances]).toEqual([[accounts[0]!.name, { id: ids[0], currency: 'USD', balance: 0n, version: 0n }]])
  })

  test('one name cannot describe two accounts', async () => {
    const account = walletAccount(randomUUID(), 'USD')
    await openAccounts(database.pool, [account])
    await expect(openAccounts(database.pool, [{ ...account, currency: 'EUR' }])).rejects.toThrow(
      'is not a wallet account',
    )
  })

  test('the database permits what the chart permits', async () => {
    const { rows } = await database.pool.query(
      'select from_kind as from, to_kind as to, code, same_owner from ledger.permitted_move',
    )
    const line = (move: { from: string; to: string; code: string }, isSameOwner: boolean) =>
      `${move.from} > ${move.to}: ${move.code}${isSameOwner ? ', same owner' : ''}`
    expect(rows.map((row) => line(row, row.same_owner)).toSorted()).toEqual(
      permittedMoves.map((move) => line(move, move.sameOwner ?? false)).toSorted(),
    )
    const kinds = Object.keys(accountKinds)
    expect(rows.flatMap((row) => [row.from, row.to]).filter((kind) => !kinds.includes(kind))).toEqual([])
  })
})

describe('refused even to the owner of the tables', () => {
  test.each([
    ['change an entry', 'update ledger.entry set amount = amount + 1', 'TL002'],
    ['remove an entry', 'delete from ledger.entry', 'TL002'],
    ['empty the entries', 'truncate ledger.entry', 'TL002'],
    ['change a posting', `update ledger.posting set kind = 'other'`, 'TL002'],
    ['remove a posting', 'delete from ledger.posting', 'TL002'],
    ['empty the postings', 'truncate ledger.posting', 'TL002'],
    ['remove an account', 'delete from ledger.account', 'TL002'],
    ['empty the accounts', 'truncate ledger.account cascade', 'TL002'],
    ['change a balance', 'update ledger.account set balance = balance + 1, version = version + 1', 'TL003'],
    ['change a name', `update ledger.account set name = name || '!'`, 'TL003'],
    [
      'change a balance by overwriting it',
      `insert into ledger.account (name, kind, currency) values ('fee:USD', 'fee', 'USD')
       on conflict (name) do update set balance = 5`,
      'TL003',
    ],
    [
      'open an account with money in it',
      `insert into ledger.account (name, kind, currency, balance, version) values ('fee:X', 'fee', 'X', 5, 1)`,
      'TL002',
    ],
    [
      'open a wallet without a floor',
      `insert into ledger.account (name, kind, currency) values ('wallet:x:USD', 'wallet', 'USD')`,
      '23514',
    ],
    ['write an entry', `insert into ledger.entry values (1, 99, gen_random_uuid(), 0, 5, 5)`, 'TL003'],
    [
      'write a posting',
      `insert into ledger.posting values (gen_random_uuid(), '', '', gen_random_uuid(), null, now())`,
      'TL003',
    ],
    [
      'pretend to be the posting function',
      `set local search_path = ledger; select set_config('ledger.post', 'on', true); update ledger.account set balance = 5`,
      'TL003',
    ],
  ])('%s', async (_, statement, code) => {
    expect(await catchProblem(() => database.pool.query(statement))).toBe(code)
  })

  test('an ordinary role can only post and read', async () => {
    const role = `ledger_test_${randomUUID().slice(0, 8)}`
    const client = await database.pool.connect()
    const [a, b] = [await bank.wallet(100n), await bank.wallet()]
    try {
      await client.query(`create role ${role}; call ledger.grant_use('${role}'); set role ${role}`)
      expect(await postWithin(client, movement([leg(a, b, 5n)]))).toEqual({ status: 'posted' })
      await openAccounts(client, [walletAccount(randomUUID(), 'USD')])
      for (const statement of [
        'update ledger.account set balance = 5',
        'insert into ledger.entry values (1, 99, gen_random_uuid(), 0, 5, 5)',
        'delete from ledger.posting',
        `insert into ledger.permitted_move values ('fee', 'wallet', 'gift')`,
        `call ledger.grant_use('${role}')`,
        'alter table ledger.entry disable trigger all',
      ]) {
        expect(await catchProblem(() => client.query(statement))).toBe('42501')
      }
    } finally {
      await client.query(`reset role; drop owned by ${role}; drop role ${role}`)
      client.release()
    }
  })
})
