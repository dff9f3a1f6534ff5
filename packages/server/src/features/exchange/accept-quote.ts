import type pg from 'pg'
import { refuse } from '../../platform/refuse.ts'
import type { ExchangeContext } from './context.ts'
import { makeQuote } from './liquidity/quote-book.ts'
import type { Price } from './price.ts'
import { readPrice, readPriceRequest } from './quote.ts'
import type { QuoteRow } from './row-types.ts'

export interface AcceptedQuote {
  readonly quoteId: string
  readonly recipientId: bigint | undefined
  readonly price: Price
  readonly expiresAt: Date
  /** A card or bank payment uses the quote, so no other payment can. */
  readonly isPaidFromOutside: boolean
}

/**
 * Returns the user's quote if it is valid. Refuses `not_found`, and `quote_expired` with a new `quote` if it has
 * expired or was replaced; refuses like `makeQuote` if no new one can be made.
 */
export async function acceptQuote(
  ctx: ExchangeContext,
  pool: pg.Pool,
  { userId, quoteId }: { readonly userId: bigint; readonly quoteId: string },
): Promise<AcceptedQuote> {
  const { rows } = await pool.query<
    Pick<QuoteRow, 'locked_price' | 'signature' | 'replaced_by'> & { readonly is_paid_from_outside: boolean }
  >(
    `select locked_price, signature, replaced_by,
        exists (select from payment where quote_id = $1 and status <> 'failed') as is_paid_from_outside
       from quote where id = $1 and user_id = $2`,
    [quoteId, userId],
  )
  const storedQuote = rows[0] ?? refuse('not_found', { reason: 'quote_not_found' })
  const { locked_price } = storedQuote
  const recipientId = locked_price.recipient === null ? undefined : BigInt(locked_price.recipient)
  // Before the signature check: an expired quote is not binding, and the secret that signed it may have been rotated.
  if (storedQuote.replaced_by !== null || new Date(locked_price.expiresAt) <= ctx.now()) {
    const quote = await makeQuote(ctx, pool, { userId, request: readPriceRequest(locked_price), recipientId })
    refuse('quote_expired', { extra: { quote } })
  }
  if (!ctx.signer.isAuthentic(locked_price, storedQuote.signature)) throw new Error(`quote ${quoteId} was altered`)
  return {
    quoteId,
    recipientId,
    price: readPrice(locked_price),
    expiresAt: new Date(locked_price.expiresAt),
    isPaidFromOutside: storedQuote.is_paid_from_outside,
  }
}
