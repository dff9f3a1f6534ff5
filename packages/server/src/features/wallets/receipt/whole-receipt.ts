import type { Issuer, PriceEvidence, Receipt } from '@tern/contract/transactions'
import { parseDecimal, toDecimal } from '@tern/money/money'
import type pg from 'pg'
import type { Queryable } from '../../../platform/database/db.ts'
import type { Wallets } from '../wallets.ts'
import type { PaperSize } from './pdf-paper.ts'
import { readReceipt } from './read-receipt.ts'

export interface ReceiptContext {
  readonly pool: pg.Pool
  readonly now: () => Date
  readonly issuer: Issuer
  readonly wallets: Pick<Wallets, 'walletOf'>
  /** Where the price of one of a user's own transactions comes from. */
  readonly priceEvidenceOf: (userId: bigint, transactionId: string) => Promise<PriceEvidence | null>
}

/** Base currencies of the countries that print on Letter. */
const letterCurrencies: ReadonlySet<string> = new Set(['USD', 'CAD'])

/** Part in the source currency that the wallet paid, of a send by wallet and card; null for any other transaction. */
async function readWalletPart(db: Queryable, { transaction }: Pick<Receipt, 'transaction'>): Promise<string | null> {
  const { payment_id: paymentId, payment_source: source, source_currency: currency } = transaction
  if (source !== 'wallet_partial' || paymentId === null) return null
  const { rows } = await db.query<{ wallet_part_minor: bigint; currency: string }>(
    `select wallet_part_minor, currency from payment where id = $1 and method = 'wallet_partial'`,
    [paymentId],
  )
  const [payment] = rows
  if (payment?.currency !== currency) return null
  return toDecimal({ currency: parseDecimal(currency, '0').currency, minor: payment.wallet_part_minor })
}

/** The receipt of one of the user's own transactions; undefined where they have none with this id. */
export async function wholeReceipt(
  { pool, now, issuer, priceEvidenceOf }: ReceiptContext,
  userId: bigint,
  id: string,
): Promise<Receipt | undefined> {
  const [receipt, price] = await Promise.all([readReceipt(pool, userId, id), priceEvidenceOf(userId, id)])
  if (!receipt) return undefined
  const { transaction, delivered_at: delivered } = receipt
  const issued = transaction.status === 'PENDING' ? now().toISOString() : (delivered ?? transaction.timestamp)
  return { ...receipt, price, issuer, issued_at: issued, wallet_part: await readWalletPart(pool, receipt) }
}

/** The paper that the owner of a receipt prints on, by the country that their wallet was opened for. */
export async function paperOf({ wallets }: ReceiptContext, userId: bigint): Promise<PaperSize> {
  const wallet = await wallets.walletOf(userId)
  return wallet && letterCurrencies.has(wallet.baseCurrency) ? 'LETTER' : 'A4'
}
