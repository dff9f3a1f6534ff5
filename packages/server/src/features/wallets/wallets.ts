import { cryptoCodes, type CurrencyCode, type FiatCode, isFiatCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { type Account, bridgeAccount, bridgeStablecoinAccount, holdAccount, walletAccount } from '@tern/ledger/chart'
import { openAccounts } from '@tern/ledger/ledger'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet as WalletView } from '@tern/contract/wallets'
import type pg from 'pg'
import { type KeyedRequest, keepRefusal } from '../../platform/http/idempotency.ts'
import { newId, wireId } from '../../platform/ids.ts'
import { transact, type Tx } from '../../platform/database/db.ts'
import type { Refusal } from '../../platform/refuse.ts'
import type { TransactionRow } from './move.ts'
import { createParties, type UserDirectory } from './parties.ts'
import { createPayees, type Payees } from './payees.ts'
import { findReplay, viewOfRow } from './transactions.ts'

export type { LookUp } from './lookup-limit.ts'

/** Whose wallet it is and in which currency it is kept. */
export interface Wallet {
  readonly id: string
  readonly userId: bigint
  readonly name: string
  readonly baseCurrency: FiatCode
}

/** Somebody money moves from or to: who they are, as others see them, and their wallet. */
export interface Party {
  readonly userId: bigint
  readonly username: string
  readonly name: string | null
  readonly verified: boolean
  readonly wallet: Wallet
}

export type PartyOf = (userId: bigint) => Promise<Party | undefined>

export interface Wallets extends Payees {
  /** Opens the wallet of a new user, in US dollars until verification names another currency. */
  open(tx: Tx, userId: bigint): Promise<void>
  /** Makes `currency` the wallet's base. Does nothing once the present base has been used: a used balance stays. */
  setBaseCurrency(tx: Tx, userId: bigint, currency: FiatCode): Promise<void>
  /** The user's wallet, or undefined when there is no such user. */
  walletOf(userId: bigint): Promise<Wallet | undefined>
  /** The wallet with all its balances as its owner sees them. */
  viewOf(wallet: Wallet): Promise<WalletView>
  /**
   * Somebody as a party to a movement, or undefined when there is nobody of this number. One with a wrong check digit is
   * nobody's, without a look at the database.
   */
  partyOf: PartyOf
  /**
   * The transaction an earlier request with this posting id made, if it made one. Refuses as it was refused before, and
   * `idempotency_key_reused` when it asked for something else.
   */
  replayOf(userId: bigint, postingId: string, hash: Buffer): Promise<Transaction | undefined>
  /**
   * Keeps a refusal with the key of its request. Returns only when the movement was posted meanwhile; otherwise refuses, as
   * was decided first.
   */
  keepRefusal(request: KeyedRequest, refusal: Refusal): Promise<void>
  /** What the owner of a row that was just written sees of it. */
  viewOfRow(row: TransactionRow, id: string, at: Date, counterparty?: Party): Transaction
  /** The ledger's number of an account, opened on first use. */
  accountId(account: Account): Promise<bigint>
}

/** Whether a wallet receives and spends this currency: its base and every cryptocurrency. */
export const holdsCurrency = (wallet: Wallet, currency: CurrencyCode): boolean =>
  !isFiatCode(currency) || wallet.baseCurrency === currency

/** A base-currency wallet also holds these: the four currencies the product offers for protection. */
const heldCurrencies = (base: FiatCode): readonly CurrencyCode[] => [base, ...cryptoCodes]

interface WalletRow {
  id: string
  user_id: bigint
  name: string
  base_currency: string
}

function walletFrom(row: WalletRow): Wallet {
  if (!isFiatCode(row.base_currency)) throw new Error(`wallet ${row.id} has no base currency`)
  return { id: row.id, userId: row.user_id, name: row.name, baseCurrency: row.base_currency }
}

interface Options {
  readonly pool: pg.Pool
  readonly now: () => Date
  readonly people: UserDirectory
}

/** The wallets of all users over `pool`, dated by `now`. */
export function createWallets({ pool, now, people }: Options): Wallets {
  // Account numbers never change, so what was looked up once is known for good.
  const accountIds = new Map<string, bigint>()

  async function open(tx: Tx, userId: bigint): Promise<void> {
    const id = newId(now())
    await tx.query('insert into wallet (id, user_id, name, base_currency, created_at) values ($1, $2, $3, $4, $5)', [
      id,
      userId,
      'Main wallet',
      'USD',
      now(),
    ])
    await openAccounts(tx, [walletAccount(id, 'USD'), walletAccount(id, 'USDT')])
  }

  async function setBaseCurrency(tx: Tx, userId: bigint, currency: FiatCode): Promise<void> {
    const { rows } = await tx.query<WalletRow>('select * from wallet where user_id = $1 for update', [userId])
    const wallet = rows[0] && walletFrom(rows[0])
    if (!wallet || wallet.baseCurrency === currency) return
    const used = await tx.query('select 1 from ledger.account where name = any($1) and version > 0', [
      [walletAccount(wallet.id, wallet.baseCurrency).name, holdAccount(wallet.id, wallet.baseCurrency).name],
    ])
    if (used.rowCount) return
    await tx.query('update wallet set base_currency = $2 where id = $1', [wallet.id, currency])
    await openAccounts(tx, [walletAccount(wallet.id, currency)])
  }

  async function walletOf(userId: bigint): Promise<Wallet | undefined> {
    const { rows } = await pool.query<WalletRow>(
      'select id, user_id, name, base_currency from wallet where user_id = $1',
      [userId],
    )
    return rows[0] && walletFrom(rows[0])
  }

  async function accountId(account: Account): Promise<bigint> {
    const known = accountIds.get(account.name)
    if (known !== undefined) return known
    const [id] = await transact(pool, (tx) => openAccounts(tx, [account]))
    if (id === undefined) throw new Error(`account ${account.name} could not be opened`)
    accountIds.set(account.name, id)
    return id
  }

  return {
    open,
    setBaseCurrency,
    walletOf,
    viewOf: (wallet) => viewOf(pool, wallet),
    partyOf: createParties({ people, walletOf }),
    ...createPayees(pool),
    replayOf: (userId, postingId, hash) => findReplay(pool, userId, postingId, hash),
    keepRefusal: (request, refusal) => keepRefusal(pool, request, refusal),
    viewOfRow: (row, id, at, counterparty) => viewOfRow(row, id, at, counterparty),
    accountId,
  }
}

async function viewOf(pool: pg.Pool, wallet: Wallet): Promise<WalletView> {
  const currencies = heldCurrencies(wallet.baseCurrency)
  const names = currencies.flatMap((code) => [walletAccount(wallet.id, code).name, holdAccount(wallet.id, code).name])
  const { rows } = await pool.query<{ name: string; balance: bigint }>(
    'select name, balance from ledger.account where name = any($1)',
    [names],
  )
  const balances = new Map(rows.map((row) => [row.name, row.balance]))
  const available = (code: CurrencyCode) => decimal(code, balances.get(walletAccount(wallet.id, code).name))
  const held = (code: CurrencyCode) => decimal(code, balances.get(holdAccount(wallet.id, code).name))
  const pending = await pool.query<{ sum: bigint }>(
    `select coalesce(sum(target_amount), 0) as sum from transaction
      where user_id = $1 and status = 'PENDING' and kind in ('RECEIVE', 'DEPOSIT') and target_currency = $2`,
    [wallet.userId, wallet.baseCurrency],
  )
  return {
    id: wallet.id,
    name: wallet.name,
    user_id: wireId(wallet.userId),
    base_currency: wallet.baseCurrency,
    currency: wallet.baseCurrency,
    fiat_balance: available(wallet.baseCurrency),
    stablecoin_balance: available('USDT'),
    pending: decimal(wallet.baseCurrency, pending.rows[0]?.sum),
    assets: currencies.map((currency) => ({ currency, available: available(currency), held: held(currency) })),
  }
}

const decimal = (currency: CurrencyCode, minor: bigint | undefined): string => toDecimal(money(currency, minor ?? 0n))

/** The two desk accounts through which a currency is exchanged: its own side and its stablecoin side. */
export const deskAccounts = (currency: CurrencyCode): { own: Account; stablecoin: Account } => ({
  own: bridgeAccount(currency),
  stablecoin: bridgeStablecoinAccount(currency),
})
