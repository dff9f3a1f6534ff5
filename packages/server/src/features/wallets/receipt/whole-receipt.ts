import type { Issuer, PriceEvidence, Receipt, Transaction } from '@tern/contract/transactions'
import { toDecimal } from '@tern/money/money'
import type { Db } from '../../../platform/database/db.ts'
import { findWallet } from '../accounts/wallet-rows.ts'
import type { PaperSize } from '../../../platform/paper/pdf-paper.ts'
import { readReceipt } from './read-receipt.ts'

interface Prices {
  /** Reads the evidence for the price of a user's own transaction. */
  readEvidence(db: Db, own: { readonly userId: bigint; readonly transactionId: string }): Promise<PriceEvidence | null>
}

export interface ReceiptContext {
  readonly now: () => Date
  readonly issuer: Issuer
  readonly prices: Prices
}

/** Base currencies of the countries that use Letter paper. */
const letterCurrencies: ReadonlySet<string> = new Set(['USD', 'CAD'])

type Funding = Pick<Receipt, 'wallet_part' | 'instrument'>

interface FundingRow {
  readonly method: string
  readonly currency: string
  readonly wallet_part_minor: bigint
  readonly name: string | null
  readonly last4: string | null
}

/**
 * Reads the wallet's part of the user's own payment, in the source currency, and the saved card or linked account that
 * paid the rest. Both are null without a card or bank payment, and for its payee.
 */
async function readFunding(
  db: Db,
  { userId, transaction }: { readonly userId: bigint; readonly transaction: Transaction },
): Promise<Funding> {
  const { payment_id: paymentId, transaction_type: type, source_currency: currency } = transaction
  const isPaid = type === 'SEND' || type === 'DEPOSIT'
  if (!isPaid || paymentId === null) return { wallet_part: null, instrument: null }
  const { rows } = await db.query<FundingRow>(
    `select p.method, p.currency, p.wallet_part_minor,
            coalesce(c.brand, b.bank_name) as name, coalesce(c.last4, b.last4) as last4
       from payment p
       left join saved_card c on c.id = p.saved_card_id
       left join bank_account b on b.id = p.bank_account_id
      where p.id = $1 and p.user_id = $2`,
    [paymentId, userId],
  )
  const [payment] = rows
  if (!payment) return { wallet_part: null, instrument: null }
  const { method, wallet_part_minor: minor, name, last4 } = payment
  const hasPart = method === 'wallet_partial' && payment.currency === currency
  return {
    wallet_part: hasPart ? toDecimal({ currency, minor }) : null,
    instrument: name === null || last4 === null ? null : { name, last4 },
  }
}

/** Reads the receipt of one of the user's own transactions with price evidence, issuer and funding, if it exists. */
export async function readWholeReceipt(
  { now, issuer, prices }: ReceiptContext,
  db: Db,
  { userId, id }: { readonly userId: bigint; readonly id: string },
): Promise<Receipt | undefined> {
  const [receipt, price] = await Promise.all([
    readReceipt(db, { userId, id }),
    prices.readEvidence(db, { userId, transactionId: id }),
  ])
  if (!receipt) return undefined
  const { transaction, delivered_at: deliveredAt } = receipt
  const issuedAt = transaction.status === 'PENDING' ? now().toISOString() : (deliveredAt ?? transaction.timestamp)
  return { ...receipt, price, issuer, issued_at: issuedAt, ...(await readFunding(db, { userId, transaction })) }
}

/** Paper size of the user's receipts, by the base currency of the wallet. */
export async function readPaperSize(db: Db, userId: bigint): Promise<PaperSize> {
  const wallet = await findWallet(db, userId)
  return wallet && letterCurrencies.has(wallet.baseCurrency) ? 'LETTER' : 'A4'
}
