import type { CurrencyCode } from '@tern/money/currency'
import { type Money, money } from '@tern/money/money'
import type { Ratio } from '@tern/money/ratio'
import { holdAccount, walletAccount } from '@tern/ledger/chart'
import type { Db, Tx } from '../../platform/database/db.ts'
import { refuse } from '../../platform/refuse.ts'
import type { NewTransaction } from '../wallets/move.ts'
import type { Wallet, Wallets } from '../wallets/wallets.ts'
import type { OrderTerms } from './order-terms.ts'
import type { ExchangeOrderRow } from './row-types.ts'

export const toSourceAmount = (row: Pick<ExchangeOrderRow, 'source_currency' | 'source_minor'>): Money =>
  money(row.source_currency, row.source_minor)

export const toReservedAmount = (
  row: Pick<ExchangeOrderRow, 'source_currency' | 'source_minor' | 'fee_minor'>,
): Money => money(row.source_currency, row.source_minor + row.fee_minor)

export const toPriceRequest = (row: Pick<ExchangeOrderRow, 'source_currency' | 'target_currency' | 'source_minor'>) =>
  ({
    amount: toSourceAmount(row),
    side: 'source',
    sourceCurrency: row.source_currency,
    targetCurrency: row.target_currency,
    useStablecoin: true,
  }) as const

export const termColumns = (amount: Money, terms: OrderTerms) => ({
  source_minor: amount.minor,
  fee_minor: terms.fee.minor,
  fee_basis_points: terms.feeBasisPoints,
  rate: terms.rate,
  worst_rate: terms.worstRate,
  minimum_minor: terms.minimum.minor,
  trigger_numerator: terms.trigger.numerator,
  trigger_denominator: terms.trigger.denominator,
})

/** Builds the pending transaction with which an order appears in the account holder's activity. */
export const pendingRow = (
  kind: ExchangeOrderRow['kind'],
  wallet: Wallet,
  { source, target, fee, rate }: { source: Money; target: Money; fee: Money; rate: Ratio },
): NewTransaction => ({
  userId: wallet.userId,
  kind: 'EXCHANGE',
  status: 'PENDING',
  senderId: wallet.userId,
  recipientId: wallet.userId,
  walletId: wallet.id,
  fromWalletId: wallet.id,
  toWalletId: wallet.id,
  description: buildDescription({ kind, source_currency: source.currency, target_currency: target.currency }),
  source,
  target,
  rate,
  fee,
  paymentSource: 'wallet',
})

export const buildDescription = ({
  kind,
  source_currency: from,
  target_currency: to,
}: Pick<ExchangeOrderRow, 'kind' | 'source_currency' | 'target_currency'>) =>
  ({ code: `${kind}_order`, params: { from, to } }) as const

interface RowPrice {
  readonly source: Money
  readonly target: Money
  readonly stablecoin: bigint | null
  readonly rate: Ratio
  readonly fee: Money
  readonly quoteId: string | null
}

/** Stores new terms, or the price of the fill, in the order's pending transaction. */
export async function priceTransaction(
  tx: Tx,
  { row, price }: { readonly row: ExchangeOrderRow; readonly price: RowPrice },
): Promise<void> {
  const { id, user_id: userId, transaction_id: transactionId } = row
  const { source, target, stablecoin, rate, fee, quoteId } = price
  const { rows } = await tx.query<{ is_priced: boolean }>(
    'select price_pending_order($1, $2, $3, $4, $5, $6, $7, $8, $9) as is_priced',
    [
      userId,
      transactionId,
      source.minor,
      target.minor,
      stablecoin,
      rate.numerator,
      rate.denominator,
      fee.minor,
      quoteId,
    ],
  )
  if (rows[0]?.is_priced !== true) throw new Error(`order ${id} has no pending transaction`)
}

/** Ledger ids of the accounts between which an order's money is held and released. */
export interface OrderAccounts {
  readonly wallet: bigint
  readonly hold: bigint
}

/** Returns the wallet and hold accounts for a wallet's currency. */
export const readOrderAccounts = async (
  { wallets }: { readonly wallets: Pick<Wallets, 'accountId'> },
  db: Db,
  { walletId, currency }: { readonly walletId: string; readonly currency: CurrencyCode },
): Promise<OrderAccounts> => ({
  wallet: await wallets.accountId(db, walletAccount(walletId, currency)),
  hold: await wallets.accountId(db, holdAccount(walletId, currency)),
})

export interface OwnOrder {
  readonly userId: bigint
  readonly id: string
}

/** Returns the user's order. Refuses `not_found`. */
export async function findOwnOrder(db: Db, { userId, id }: OwnOrder): Promise<ExchangeOrderRow> {
  const { rows } = await db.query<ExchangeOrderRow>('select * from exchange_order where id = $1 and user_id = $2', [
    id,
    userId,
  ])
  return rows[0] ?? refuse('not_found')
}

/** Locks and returns the user's order. Refuses `not_found`. */
export async function lockOwnOrder(tx: Tx, { userId, id }: OwnOrder): Promise<ExchangeOrderRow> {
  const { rows } = await tx.query<ExchangeOrderRow>(
    'select * from exchange_order where id = $1 and user_id = $2 for update',
    [id, userId],
  )
  return rows[0] ?? refuse('not_found')
}
