import { deriveReference } from '@tern/contract/protocol/transaction-reference'
import type { PriceFacts, ProofFix, ProofValue } from '@tern/contract/prices/proof'
import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type { Db } from '../../platform/database/db.ts'
import type { LeftJoined } from '../../platform/database/rows.ts'
import { derivedId, readIdTime } from '../../platform/ids.ts'
import type { QuoteTerms } from '../exchange/exchange.ts'
import { ledgerFacts } from './ledger-facts.ts'
import type { QuoteRow, RateFixRow } from '../exchange/row-types.ts'
import type { TransactionRow } from '../wallets/row-types.ts'

/** A payer's transaction with its quote, as stored. */
export type PricedRow = Omit<
  TransactionRow,
  | 'kind'
  | 'sender_id'
  | 'wallet_id'
  | 'from_wallet_id'
  | 'description'
  | 'fee_currency'
  | 'payment_source'
  | 'xid'
  | 'changed_at'
  | 'passed_by_room'
> &
  LeftJoined<Pick<QuoteRow, 'locked_price' | 'signature'>> & {
    readonly kind: PriceFacts['kind']
    /** Start of the card or bank payment, at which the quote was accepted; null for other transactions. */
    readonly begun_at: Date | null
    /** Order filled by this transaction. */
    readonly order_id: string | null
    readonly smallest_fee: number
  }

/** SQL condition: transaction `t` has a price, as a send, an exchange or a converted deposit. */
export const isPricedSql = `(t.kind in ('SEND', 'EXCHANGE') or t.kind = 'DEPOSIT' and t.source_currency <> t.target_currency)`

export const selectPriced = `
  select t.user_id, t.id, t.posting_id, t.kind, t.status, t.created_at, t.recipient_id, t.to_wallet_id, t.source_amount,
      t.source_currency, t.target_amount, t.target_currency, t.stablecoin_amount, t.rate_numerator, t.rate_denominator,
      t.fee_amount, t.quote_id, q.locked_price, q.signature, t.payment_id, m.created_at as begun_at, o.id as order_id,
      (select smallest_fee_minor from fee_policy) as smallest_fee
    from transaction t
    left join payment m on m.id = t.payment_id
    left join quote q on q.id = t.quote_id and (m.minimum_target_minor is null or t.status = 'COMPLETED')
    left join exchange_order o on o.transaction_id = t.id`

type StoredFix = Omit<RateFixRow, 'decided_by' | 'decided_at'>

type FixIds = Readonly<Partial<Record<CurrencyCode, readonly string[]>>>

const toFraction = (numerator: bigint | string, denominator: bigint | string) => ({
  numerator: numerator.toString(),
  denominator: denominator.toString(),
})

async function readFixes(db: Db, ids: readonly string[]): Promise<Map<string, ProofFix>> {
  if (ids.length === 0) return new Map()
  const { rows } = await db.query<StoredFix>('select * from rate_fix where id = any($1::uuid[])', [ids])
  return new Map(
    rows.map(({ id, source, base, quote, as_of, received_at, numerator, denominator, state }) => [
      id,
      {
        source,
        base,
        quote,
        rate: toFraction(numerator, denominator),
        as_of: as_of.toISOString(),
        received_at: received_at.toISOString(),
        is_accepted: state === 'accepted',
      },
    ]),
  )
}

/** Returns the dollar value of each currency as fixes; null if a fix is no longer stored. */
function listValues(ids: FixIds, fixes: ReadonlyMap<string, ProofFix>): ProofValue[] | null {
  const values = (Object.entries(ids) as [CurrencyCode, readonly string[]][]).map(([currency, own]) => ({
    currency,
    fixes: own.map((id) => fixes.get(id)),
  }))
  const isWhole = values.every((value) => value.fixes.every((fix) => fix !== undefined))
  return isWhole ? (values as ProofValue[]) : null
}

interface Signer {
  wasSigned(locked_price: QuoteTerms, signature: Buffer): boolean
}

/** Returns whether the product signed these terms, for this payment. */
function areAuthentic(row: PricedRow, terms: QuoteTerms, { wasSigned }: Signer): boolean {
  const recipient = row.kind === 'SEND' ? String(row.recipient_id) : null
  const isSameQuote =
    terms.id === row.quote_id &&
    terms.user === row.user_id.toString() &&
    terms.recipient === recipient &&
    terms.sourceCurrency === row.source_currency &&
    terms.targetCurrency === row.target_currency
  return isSameQuote && row.signature !== null && wasSigned(terms, row.signature)
}

function verifyTerms(row: PricedRow, signer: Signer): PriceFacts['terms'] {
  const { locked_price: terms } = row
  if (!terms) return null
  // The quote's id is signed with the terms, and contains the time of its creation.
  const madeAt = readIdTime(terms.id)
  const begunAt = row.begun_at ?? row.created_at
  // Orders, and payments priced on arrival, get their price long after they began.
  const isPricedLater = (row.order_id !== null || row.begun_at !== null) && madeAt > begunAt
  return {
    route: terms.route,
    side: terms.side,
    is_authentic: areAuthentic(row, terms, signer),
    made_at: madeAt.toISOString(),
    expires_at: terms.expiresAt,
    accepted_at: (isPricedLater ? madeAt : begunAt).toISOString(),
    may_be_late: row.begun_at !== null,
    source_amount: terms.source,
    target_amount: terms.target,
    inflow: terms.inflow,
    outflow: terms.outflow,
    mid_market_rate: toFraction(...(terms.midMarketRate ?? terms.rate)),
    rate: toFraction(...terms.rate),
    rate_as_of: terms.ratesAsOf,
    spread_parts_per_million: terms.spreadPartsPerMillion ?? '0',
    fee_basis_points: terms.feeBasisPoints,
    fee: terms.fee,
    smallest_fee: String(row.smallest_fee),
    cost_parts_per_million: terms.costPartsPerMillion,
  }
}

/** Returns the inputs to recompute a payment's price, and the price as stated by quote, receipt and ledger. */
export async function priceFacts(db: Db, row: PricedRow, signer: Signer): Promise<PriceFacts> {
  const { source_currency: source, target_currency: target, locked_price: terms } = row
  const reference = terms?.reference ?? null
  const ids = [terms?.valueFixIds ?? {}, reference?.fixIds ?? {}].flatMap((each) => Object.values(each).flat())
  const fixes = await readFixes(db, ids)
  const decimal = (currency: CurrencyCode, minor: bigint) => toDecimal(money(currency, minor))
  const { rate_numerator: numerator, rate_denominator: denominator, stablecoin_amount: stablecoin } = row
  return {
    reference: deriveReference(row.id),
    kind: row.kind,
    status: row.status,
    made_at: row.created_at.toISOString(),
    source_currency: source,
    target_currency: target,
    terms: verifyTerms(row, signer),
    values: terms?.valueFixIds ? listValues(terms.valueFixIds, fixes) : null,
    reference_rate: reference && { as_of: reference.asOf, values: listValues(reference.fixIds, fixes) },
    receipt: {
      source_amount: decimal(source, row.source_amount),
      target_amount: decimal(target, row.target_amount),
      stablecoin_amount: stablecoin === null ? null : decimal(bridgeCurrency, stablecoin),
      rate: numerator === null || denominator === null ? null : toFraction(numerator, denominator),
      fee: decimal(source, row.fee_amount),
    },
    ledger: await ledgerFacts(db, {
      reference: row.id,
      postingIds: listPostingIds(row),
      source,
      target,
      payeeWalletId: row.to_wallet_id,
    }),
  }
}

/** Returns possible ids of a transaction's movement: posted at once, or by a hold, an arriving payment or an order. */
const listPostingIds = ({ id, posting_id: own, payment_id: paymentId, order_id: orderId }: PricedRow): string[] => [
  own,
  derivedId('transfer settle', id),
  ...(paymentId === null ? [] : [derivedId('payment', paymentId)]),
  ...(orderId === null ? [] : [derivedId('order fill', orderId)]),
]
