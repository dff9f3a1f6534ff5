import { useQueryClient } from '@tanstack/react-query'
import { exchangeMoney, type Quote, quoteShape } from '@tern/contract/exchange'
import { Refused } from '@tern/contract/protocol/client'
import type { Transaction } from '@tern/contract/transactions'
import * as z from 'zod/mini'
import { refreshMoney } from '../session/live.ts'
import { callApi } from '../session/session.ts'
import { useMoneyOrder } from '../orders/money-order.ts'
import { tabOrderStore } from '../orders/persisted-order.ts'
import { dated, type DatedQuote, datedQuote } from '../orders/dated-quote.ts'

const orderShape = z.object({ userId: z.int(), ...datedQuote.shape })

/** A price for an exchange that was accepted, and by whom. */
export type ConversionOrder = z.output<typeof orderShape>

interface Conversion {
  /** Above the reason why nothing was exchanged. */
  failed: string
  onDone(transaction: Transaction, quote: Quote): void
  /** The price came too late: here is the present one. Without it, a refused price is a failure like others. */
  onFreshQuote?(fresh: DatedQuote): void
}

/** The exchange of this person that has no answer. */
const conversionStore = (userId: number) =>
  tabOrderStore<ConversionOrder>('convert', (order) => orderShape.safeParse(order).data?.userId === userId)

/** Whether an exchange of this person has no answer yet. */
export const hasOpenConversion = (userId: number): boolean => conversionStore(userId).read() !== undefined

/** The fresh quote in the refusal of one that had expired. */
const freshQuoteOf = (error: unknown): Quote | undefined =>
  error instanceof Refused && error.code === 'quote_expired'
    ? quoteShape.safeParse(error.problem.quote).data
    : undefined

/** Exchanges between balances of one wallet, wherever they are ordered: at most one of them has no answer. */
export function useConversionOrder(userId: number, { failed, onDone, onFreshQuote }: Conversion) {
  const queryClient = useQueryClient()
  return useMoneyOrder<ConversionOrder, { transaction: Transaction }>({
    store: conversionStore(userId),
    bodyOf: ({ quote }) => ({ quote_id: quote.quote_id }),
    call: ({ quote }, { idempotencyKey }) =>
      callApi(exchangeMoney, { body: { quote_id: quote.quote_id }, idempotencyKey }),
    onReply({ transaction }, { quote }) {
      onDone(transaction, quote)
      void refreshMoney(queryClient, userId)
    },
    onFailure(error) {
      // A price that was refused is of no more use; the page asks for the next one.
      void queryClient.invalidateQueries({ queryKey: ['quote'] })
      const fresh = freshQuoteOf(error)
      if (fresh && onFreshQuote) {
        onFreshQuote(dated(fresh, Date.now()))
        return undefined
      }
      return { title: failed, detail: error instanceof Refused ? error.message : '' }
    },
  })
}
