import type { Reply } from '@tern/contract/protocol/endpoint'
import { parseReference } from '@tern/contract/protocol/transaction-reference'
import { verifyPrice } from '@tern/contract/prices/verify-price'
import type { PriceFacts, priceProof, Verdict } from '@tern/contract/prices/proof'
import { recompute, type RecomputedPrice } from '@tern/contract/prices/recompute'
import type { PriceEvidence } from '@tern/contract/transactions'
import type pg from 'pg'
import type { Db, WorkInput } from '../../platform/database/db.ts'
import { isUuid } from '../../platform/ids.ts'
import { createSignedIds, type SignedIds } from '../../platform/keys/signed-ids.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Secret } from '../../platform/seal.ts'
import { evidenceView, type Exchange } from '../exchange/exchange.ts'
import { countMonths, nextCountDate, readFeeIndex } from './fee-index.ts'
import { isPricedSql, priceFacts, type PricedRow, selectPriced } from './price-facts.ts'
import type { QuoteRow } from '../exchange/row-types.ts'

interface PricesContext {
  readonly exchange: Pick<Exchange, 'wasSigned'>
  readonly publicUrl: string
  /** Issues and reads signed quote ids, since a quote leads to its payment and payer. */
  readonly codes: SignedIds
  readonly isSandbox: boolean
  readonly now: () => Date
}

export interface Proof {
  readonly facts: PriceFacts
  /** Undefined when an input of the computation is missing. */
  readonly price: RecomputedPrice | undefined
  readonly verdict: Verdict
}

const pageSize = 200

/** Returns the first and last id that match a reference or an id; undefined for other texts. */
const parseIds = (text: string): readonly [string, string] | undefined => {
  const id = text.trim().toLowerCase()
  return isUuid(id) ? [id, id] : parseReference(text)
}

async function buildProof({ exchange }: PricesContext, db: Db, row: PricedRow): Promise<Proof> {
  const facts = await priceFacts(db, row, exchange)
  const price = recompute(facts)
  return { facts, price, verdict: verifyPrice(facts, price) }
}

async function findQuoteRow(db: Db, quoteId: string): Promise<PricedRow | undefined> {
  const { rows } = await db.query<PricedRow>(
    `${selectPriced}
      where ${isPricedSql} and (t.user_id, t.id) in (
        select used.user_id, p.reference from quote used
          join ledger.token k on k.id = used.id
          join ledger.posting p on p.id = k.posting_id
         where used.id = $1)`,
    [quoteId],
  )
  return rows[0]
}

async function findOwnRow(
  db: Db,
  { userId, text }: { readonly userId: bigint; readonly text: string },
): Promise<PricedRow | undefined> {
  const ids = parseIds(text)
  if (!ids) return undefined
  const { rows } = await db.query<PricedRow>(
    `${selectPriced} where ${isPricedSql} and t.user_id = $1 and t.id between $2 and $3`,
    [userId, ...ids],
  )
  return rows[0]
}

/** Reads all completed conversions since a time, page by page. */
async function* readConversions(db: Db, since: Date | undefined): AsyncGenerator<PricedRow> {
  let last: readonly [bigint, string] = [0n, '00000000-0000-0000-0000-000000000000']
  for (;;) {
    const { rows } = await db.query<PricedRow>(
      `${selectPriced}
        where ${isPricedSql} and t.status = 'COMPLETED' and t.source_currency <> t.target_currency
          and (t.user_id, t.id) > ($1::bigint, $2::uuid) and t.created_at >= $3
        order by t.user_id, t.id limit ${pageSize}`,
      [...last, since ?? new Date(0)],
    )
    yield* rows
    const end = rows.at(-1)
    if (!end) return
    last = [end.user_id, end.id]
  }
}

interface ProofRequest {
  /** Signed id of a quote, or reference of the user's own payment. */
  readonly text: string
  readonly userId: bigint | undefined
}

/**
 * Returns the proof for a quote's signed id, or for a reference of the user's own payment. Refuses `not_found` alike
 * for unknown payments and those of others, because references can be guessed from the time of a payment.
 */
async function proveForUser(
  ctx: PricesContext,
  db: Db,
  { text, userId }: ProofRequest,
): Promise<Reply<typeof priceProof>> {
  const quoteId = ctx.codes.read(text)
  const row =
    quoteId === undefined
      ? userId !== undefined && (await findOwnRow(db, { userId, text }))
      : await findQuoteRow(db, quoteId)
  const { facts, verdict } = await buildProof(ctx, db, row || refuse('not_found'))
  return { facts, verdict }
}

/** Returns the evidence for the price of a user's payment; null for payments of others, or without a final quote. */
async function readEvidence(
  { publicUrl, codes }: PricesContext,
  db: Db,
  { userId, transactionId }: { readonly userId: bigint; readonly transactionId: string },
): Promise<PriceEvidence | null> {
  const { rows } = await db.query<Pick<QuoteRow, 'id' | 'locked_price'>>(
    `select q.id, q.locked_price from transaction t join quote q on q.id = t.quote_id
       left join payment m on m.id = t.payment_id
      where (m.minimum_target_minor is null or t.status = 'COMPLETED') and t.user_id = $1 and t.id = $2 and ${isPricedSql}`,
    [userId, transactionId],
  )
  const [quote] = rows
  if (!quote) return null
  return { ...evidenceView(quote.locked_price), proof_url: `${publicUrl}/recompute/${codes.issue(quote.id)}` }
}

/** Returns the proofs of a reference or transaction id of any payer, for operators. May scan the whole table. */
async function proveForOperator(ctx: PricesContext, db: Db, text: string): Promise<Proof[]> {
  const ids = parseIds(text)
  if (!ids) return []
  const { rows } = await db.query<PricedRow>(`${selectPriced} where ${isPricedSql} and t.id between $1 and $2`, [
    ...ids,
  ])
  return Promise.all(rows.map((row) => buildProof(ctx, db, row)))
}

/** Returns the proofs of all completed conversions since a time, payer by payer. */
async function* proveEach(ctx: PricesContext, db: Db, since: Date | undefined): AsyncGenerator<Proof> {
  for await (const row of readConversions(db, since)) yield await buildProof(ctx, db, row)
}

/** Returns the index of a month, or of the latest one. Refuses `not_found` for a month without counted payments. */
const readIndex = async ({ now, isSandbox }: PricesContext, db: Db, month: string | undefined) => ({
  ...(await readFeeIndex(db, month)),
  next_count_on: nextCountDate(now()),
  is_sandbox: isSandbox,
})

interface Deps extends Omit<PricesContext, 'codes'> {
  readonly pool: pg.Pool
  readonly secret: Secret
}

/** Recomputed prices of payments, and the monthly fee index. */
export function createPrices({ pool, secret, ...parts }: Deps) {
  const ctx: PricesContext = { ...parts, codes: createSignedIds(secret, 'tern price proof') }
  return {
    prove: (db: Db, query: ProofRequest) => proveForUser(ctx, db, query),
    readEvidence: (db: Db, input: WorkInput<typeof readEvidence>) => readEvidence(ctx, db, input),
    proveForOperator: (text: string) => proveForOperator(ctx, pool, text),
    proveAll: (since: Date | undefined) => proveEach(ctx, pool, since),
    countMonths: () => countMonths(pool, ctx.now()),
    index: (db: Db, month: string | undefined) => readIndex(ctx, db, month),
  }
}

export type Prices = ReturnType<typeof createPrices>
