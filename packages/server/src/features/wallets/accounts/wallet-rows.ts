import { cryptoCodes, type CurrencyCode, type FiatCode, isFiatCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { holdAccount, walletAccount } from '@tern/ledger/chart'
import { openAccounts } from '@tern/ledger/ledger'
import type { Wallet as WalletView } from '@tern/contract/wallets'
import type pg from 'pg'
import { newId, wireId } from '../../../platform/ids.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { readWalletParts } from '../restricted/restricted-money.ts'
import type { AccountRow } from '@tern/ledger/row-types'
import type { WalletRow } from '../row-types.ts'

export interface Wallet {
  readonly id: string
  readonly userId: bigint
  readonly name: string
  readonly baseCurrency: FiatCode
}

type StoredWallet = Pick<WalletRow, 'id' | 'user_id' | 'name' | 'base_currency'>

function toWallet(row: StoredWallet): Wallet {
  if (!isFiatCode(row.base_currency)) throw new Error(`wallet ${row.id} has no base currency`)
  return { id: row.id, userId: row.user_id, name: row.name, baseCurrency: row.base_currency }
}

/** True if a wallet can hold a currency: its base currency and every cryptocurrency. */
export const holdsCurrency = (wallet: Wallet, currency: CurrencyCode): boolean =>
  !isFiatCode(currency) || wallet.baseCurrency === currency

const listHeldCurrencies = (base: FiatCode): readonly CurrencyCode[] => [base, ...cryptoCodes]

/** Opens a new user's wallet, in US dollars until verification sets another currency. */
export async function openWallet(
  tx: Tx,
  { userId, at }: { readonly userId: bigint; readonly at: Date },
): Promise<void> {
  const id = newId(at)
  await tx.query('insert into wallet (id, user_id, name, base_currency, created_at) values ($1, $2, $3, $4, $5)', [
    id,
    userId,
    'Main wallet',
    'USD',
    at,
  ])
  await openAccounts(tx, [walletAccount(id, 'USD'), walletAccount(id, 'USDT')])
}

/** Sets the base currency, unless the accounts of the current one have entries. */
export async function setBaseCurrency(
  tx: Tx,
  { userId, currency }: { readonly userId: bigint; readonly currency: FiatCode },
): Promise<void> {
  const { rows } = await tx.query<StoredWallet>('select * from wallet where user_id = $1 for update', [userId])
  const wallet = rows[0] && toWallet(rows[0])
  if (!wallet || wallet.baseCurrency === currency) return
  const usedAccounts = await tx.query('select 1 from ledger.account where name = any($1) and version > 0', [
    [walletAccount(wallet.id, wallet.baseCurrency).name, holdAccount(wallet.id, wallet.baseCurrency).name],
  ])
  if (usedAccounts.rowCount) return
  await tx.query('update wallet set base_currency = $2 where id = $1', [wallet.id, currency])
  await openAccounts(tx, [walletAccount(wallet.id, currency)])
}

export async function renameWallet(
  pool: pg.Pool,
  { wallet, name }: { readonly wallet: Wallet; readonly name: string },
): Promise<Wallet> {
  await pool.query('update wallet set name = $2 where id = $1', [wallet.id, name])
  return { ...wallet, name }
}

export async function findWallets(db: Db, userIds: readonly bigint[]): Promise<Map<bigint, Wallet>> {
  const { rows } = await db.query<StoredWallet>({
    name: 'wallets_of_users',
    text: 'select id, user_id, name, base_currency from wallet where user_id = any($1)',
    values: [userIds],
  })
  return new Map(rows.map((row) => [row.user_id, toWallet(row)]))
}

export const findWallet = async (db: Db, userId: bigint): Promise<Wallet | undefined> =>
  (await findWallets(db, [userId])).get(userId)

/** Reads the available and held balances of a wallet, and pending incoming money in the base currency. */
export async function readWallet(db: Db, wallet: Wallet): Promise<Omit<WalletView, 'restricted'>> {
  const currencies = listHeldCurrencies(wallet.baseCurrency)
  const names = currencies.flatMap((code) => [walletAccount(wallet.id, code).name, holdAccount(wallet.id, code).name])
  const { rows } = await db.query<Pick<AccountRow, 'name' | 'balance'>>(
    'select name, balance from ledger.account where name = any($1)',
    [names],
  )
  const balances = new Map(rows.map((row) => [row.name, row.balance]))
  const available = (code: CurrencyCode) => decimal(code, balances.get(walletAccount(wallet.id, code).name))
  const readHeldBalance = (code: CurrencyCode) => decimal(code, balances.get(holdAccount(wallet.id, code).name))
  const pending = await db.query<{ sum: bigint }>(
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
    assets: currencies.map((currency) => ({
      currency,
      available: available(currency),
      held: readHeldBalance(currency),
    })),
  }
}

const decimal = (currency: CurrencyCode, minor: bigint | undefined): string => toDecimal(money(currency, minor ?? 0n))

/** Like `readWallet`, with the parts that are restricted at this time. */
export async function readOwnWallet(
  db: Db,
  { wallet, at }: { readonly wallet: Wallet; readonly at: Date },
): Promise<WalletView> {
  const view = await readWallet(db, wallet)
  const currencies = listHeldCurrencies(wallet.baseCurrency)
  return { ...view, restricted: await readWalletParts(db, { walletId: wallet.id, currencies, at }) }
}
