import { cryptoCodes, type CurrencyCode, type FiatCode, isFiatCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { type Account, bridgeAccount, bridgeStablecoinAccount, holdAccount, walletAccount } from '@tern/ledger/chart'
import { openAccounts } from '@tern/ledger/ledger'
import type { Wallet as WalletView } from '@tern/contract/wallets'
import type pg from 'pg'
import { type KeyedRequest, keepRefusal } from '../../platform/http/idempotency.ts'
import { newId, wireId } from '../../platform/ids.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { Refusal } from '../../platform/refuse.ts'
import { createAccountIds } from './accounts/account-ids.ts'
import { closeWallet, reopenWallet } from './accounts/closing.ts'
import { createParties } from './parties.ts'
import { createPayees } from './payees.ts'
import { readWalletParts } from './restricted/restricted-money.ts'
import { createRowView, findReplay, findTransaction } from './transactions.ts'

export { arrivalSql } from './payees.ts'
export { readMaturityHours, readRestricted, type RestrictedMoney } from './restricted/restricted-money.ts'
export type { LookUp } from './lookup-limit.ts'
export { findTransactions, selectTransactions, type StoredTransaction } from './transactions.ts'

/** A wallet's owner and base currency. */
export interface Wallet {
  readonly id: string
  readonly userId: bigint
  readonly name: string
  readonly baseCurrency: FiatCode
}

/** A party to a movement: public profile and wallet. */
export interface Party {
  readonly userId: bigint
  readonly username: string
  readonly name: string | null
  /** The verified name in its own script, if they gave one. */
  readonly localName?: string | null
  /** Whether they may send and receive: never while their account is about to be deleted. */
  readonly verified: boolean
  /** Country of verified residence, as the verification form names it; null before verification. */
  readonly country: string | null
  /** Whether their account is about to be deleted, unless they log in. */
  readonly isLeaving: boolean
  readonly wallet: Wallet
}

export type PartyOf = (userId: bigint) => Promise<Party | undefined>

/** Whether a wallet can receive and spend a currency: its base and every cryptocurrency. */
export const holdsCurrency = (wallet: Wallet, currency: CurrencyCode): boolean =>
  !isFiatCode(currency) || wallet.baseCurrency === currency

/** Base-currency wallets also hold the four currencies offered for protection. */
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
  readonly people: Parameters<typeof createParties>[0]['people']
}

/** All wallets over `pool`, dated by `now`. */
export function createWallets({ pool, now, people }: Options) {
  /** Opens a new user's wallet, in US dollars until verification sets another currency. */
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

  /** Sets the base currency, unless the present one has been used: a used balance stays. */
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

  /** The wallets of those users who exist. */
  async function walletsOf(userIds: readonly bigint[]): Promise<Map<bigint, Wallet>> {
    const { rows } = await pool.query<WalletRow>({
      name: 'wallets_of_users',
      text: 'select id, user_id, name, base_currency from wallet where user_id = any($1)',
      values: [userIds],
    })
    return new Map(rows.map((row) => [row.user_id, walletFrom(row)]))
  }

  /** The user's wallet, if the user exists. */
  const walletOf = async (userId: bigint): Promise<Wallet | undefined> => (await walletsOf([userId])).get(userId)

  /** Gives a wallet another name. */
  async function rename(wallet: Wallet, name: string): Promise<Wallet> {
    await pool.query('update wallet set name = $2 where id = $1', [wallet.id, name])
    return { ...wallet, name }
  }

  return {
    open,
    close: closeWallet,
    reopen: reopenWallet,
    setBaseCurrency,
    walletOf,
    rename,
    /** The wallet with all balances. */
    viewOf: (wallet: Wallet) => viewOf(pool, wallet),
    /** The wallet as its owner sees it, with restricted parts. */
    readOwn: async (wallet: Wallet): Promise<WalletView> => ({
      ...(await viewOf(pool, wallet)),
      restricted: await readWalletParts(pool, wallet.id, heldCurrencies(wallet.baseCurrency), now()),
    }),
    /** A party to a movement, or undefined; no query for a wrong check digit. */
    partyOf: createParties({ people, walletsOf }),
    ...createPayees(pool),
    /**
     * An earlier request's transaction by posting id. Repeats its refusal, and refuses `idempotency_key_reused` for a
     * different request.
     */
    replayOf: (userId: bigint, postingId: string, hash: Buffer) => findReplay(pool, userId, postingId, hash),
    /** Stores a refusal under the request's key. Returns only if posted meanwhile; otherwise refuses as first decided. */
    keepRefusal: (request: KeyedRequest, refusal: Refusal) => keepRefusal(pool, request, refusal),
    /** One of the user's own transactions. */
    transactionOf: (userId: bigint, id: string) => findTransaction(pool, userId, id),
    viewOfRow: createRowView(pool),
    /** The ledger id of an account, opened on first use. */
    accountId: createAccountIds(pool),
  }
}

export type Wallets = ReturnType<typeof createWallets>

async function viewOf(pool: pg.Pool, wallet: Wallet): Promise<Omit<WalletView, 'restricted'>> {
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

/** A currency's two desk accounts: its own side and its stablecoin side. */
export const deskAccounts = (currency: CurrencyCode): { own: Account; stablecoin: Account } => ({
  own: bridgeAccount(currency),
  stablecoin: bridgeStablecoinAccount(currency),
})
