import type { Reply } from '@tern/contract/protocol/endpoint'
import { idsOfReference } from '@tern/contract/protocol/transaction-reference'
import { judge } from '@tern/contract/prices/judge'
import type { PriceFacts, priceProof, Verdict } from '@tern/contract/prices/proof'
import { recompute, type Recomputed } from '@tern/contract/prices/recompute'
import type { PriceEvidence } from '@tern/contract/transactions'
import type pg from 'pg'
import type { Db } from '../../platform/database/db.ts'
import { isUuid } from '../../platform/ids.ts'
import { createSignedIds } from '../../platform/keys/signed-ids.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Secret } from '../../platform/seal.ts'
import { evidenceView, type Exchange, type Terms } from '../exchange/exchange.ts'
import { countMonths, nextCountOn, readFeeIndex } from './fee-index.ts'
import { isPricedSql, priceFacts, type PricedRow, selectPriced } from './price-facts.ts'

interface Options {
  readonly pool: pg.Pool
  readonly exchange: Pick<Exchange, 'wasSigned'>
  readonly publicUrl: string
  readonly secret: Secret
  readonly isSandbox: boolean
  readonly now: () => Date
}

/** A price that was worked out again. */
export interface Proof {
  readonly facts: PriceFacts
  /** Undefined where something it would be worked out from is missing. */
  readonly price: Recomputed | undefined
  readonly verdict: Verdict
}

const pageSize = 200

/** The first and last id that a reference or an id stands for; undefined for other texts. */
const idsOf = (text: string): readonly [string, string] | undefined => {
  const id = text.trim().toLowerCase()
  return isUuid(id) ? [id, id] : idsOfReference(text)
}

async function prove(db: Db, exchange: Options['exchange'], row: PricedRow): Promise<Proof> {
  const facts = await priceFacts(db, row, exchange)
  const price = recompute(facts)
  return { facts, price, verdict: judge(facts, price) }
}

async function rowOfQuote(db: Db, quoteId: string): Promise<PricedRow | undefined> {
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

async function ownRow(db: Db, userId: bigint, text: string): Promise<PricedRow | undefined> {
  const ids = idsOf(text)
  if (!ids) return undefined
  const { rows } = await db.query<PricedRow>(
    `${selectPriced} where ${isPricedSql} and t.user_id = $1 and t.id between $2 and $3`,
    [userId, ...ids],
  )
  return rows[0]
}

/** All completed conversions since a moment, a page at a time. */
async function* conversions(db: Db, since: Date | undefined): AsyncGenerator<PricedRow> {
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

/** Prices worked out again, for whoever paid them, and what all people paid. */
export function createPrices({ pool, exchange, publicUrl, secret, isSandbox, now }: Options) {
  // Codes name quotes: from a quote its payment is found, and its payer.
  const codes = createSignedIds(secret, 'tern price proof')
  const proofUrl = (quoteId: string) => `${publicUrl}/recompute/${codes.dataOf(quoteId)}`

  const proofOf = (row: PricedRow) => prove(pool, exchange, row)

  return {
    /**
     * The proof of a code, or of a reference of this user's own payment. Refuses `not_found` alike for what is not there and
     * what is somebody else's: references tell when a payment was made, so they are no secret.
     */
    async prove(text: string, userId: bigint | undefined): Promise<Reply<typeof priceProof>> {
      const quoteId = codes.read(text)
      const row =
        quoteId === undefined
          ? userId !== undefined && (await ownRow(pool, userId, text))
          : await rowOfQuote(pool, quoteId)
      const { facts, verdict } = await proofOf(row || refuse('not_found'))
      return { facts, verdict }
    },

    /** Where the price of one of this user's payments comes from; null where they did not pay, or without a quote. */
    async evidenceOf(userId: bigint, transactionId: string): Promise<PriceEvidence | null> {
      const { rows } = await pool.query<{ id: string; locked_price: Terms }>(
        `select q.id, q.locked_price from transaction t join quote q on q.id = t.quote_id
           left join payment m on m.id = t.payment_id
          where (m.minimum_target_minor is null or t.status = 'COMPLETED') and t.user_id = $1 and t.id = $2 and ${isPricedSql}`,
        [userId, transactionId],
      )
      const [quote] = rows
      return quote ? { ...evidenceView(quote.locked_price), proof_url: proofUrl(quote.id) } : null
    },

    /** The proofs of a reference or transaction id, whoever paid: for operators. It may read the whole list. */
    async proveForOperator(text: string): Promise<Proof[]> {
      const ids = idsOf(text)
      if (!ids) return []
      const { rows } = await pool.query<PricedRow>(`${selectPriced} where ${isPricedSql} and t.id between $1 and $2`, [
        ...ids,
      ])
      return Promise.all(rows.map(proofOf))
    },

    /** The proofs of all completed conversions since a moment, one payer after the other. */
    async *proveAll(since: Date | undefined): AsyncGenerator<Proof> {
      for await (const row of conversions(pool, since)) yield await proofOf(row)
    },

    /** Counts what people paid in the months that are over. */
    countMonths: () => countMonths(pool, now()),
    /** What people paid in a month, or in the latest one. Refuses `not_found` for a month that was not counted. */
    index: async (month: string | undefined) => ({
      ...(await readFeeIndex(pool, month)),
      next_count_on: nextCountOn(now()),
      is_sandbox: isSandbox,
    }),
  }
}

export type Prices = ReturnType<typeof createPrices>
