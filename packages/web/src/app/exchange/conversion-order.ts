import { useQueryClient } from '@tanstack/react-query'
import { exchangeMoney, type Quote, quoteShape } from '@tern/contract/exchange'
import { Refused } from '@tern/contract/protocol/client'
import type { Transaction } from '@tern/contract/transactions'
import { useRef } from 'react'
import * as z from 'zod/mini'
import { refreshMoney } from '../session/live.ts'
import { callApi } from '../session/session.ts'
import { useMoneyOrder } from '../orders/money-order.ts'
import { tabOrderStore } from '../orders/persisted-order.ts'
import { toDatedQuote, type DatedQuote, datedQuote } from '../orders/dated-quote.ts'

const orderShape = z.object({ userId: z.int(), ...datedQuote.shape })

/** Accepted price of a conversion, and the user who accepted it. */
export type ConversionOrder = z.output<typeof orderShape>

interface Conversion {
  /** Title above the reason for a failed conversion. */
  failed: string
  onDone(transaction: Transaction, quote: Quote): void
  /**
   * Receives the current price if the accepted one has expired; without this handler, an expired price is a plain
   * failure.
   */
  onFreshQuote?(renewedQuote: DatedQuote): void
}

/** Store of this person's unanswered conversion. */
const conversionStore = (userId: number) =>
  tabOrderStore<ConversionOrder>('convert', (order) => orderShape.safeParse(order).data?.userId === userId)

export const hasOpenConversion = (userId: number): boolean => conversionStore(userId).read() !== undefined

/** Reads the fresh quote from the refusal of an expired one. */
const readFreshQuote = (error: unknown): Quote | undefined =>
  error instanceof Refused && error.code === 'quote_expired'
    ? quoteShape.safeParse(error.problem.quote).data
    : undefined

/** Sends conversions between balances of one wallet; at most one per tab is unanswered, whichever page sent it. */
export function useConversionOrder(userId: number, { failed, onDone, onFreshQuote }: Conversion) {
  const queryClient = useQueryClient()
  const requestedAtMs = useRef(0)
  return useMoneyOrder<ConversionOrder, { transaction: Transaction }>({
    store: conversionStore(userId),
    buildBody: ({ quote }) => ({ quote_id: quote.quote_id }),
    call({ quote }, { idempotencyKey }) {
      requestedAtMs.current = Date.now()
      return callApi(exchangeMoney, { body: { quote_id: quote.quote_id }, idempotencyKey })
    },
    onReply({ transaction }, { quote }) {
      onDone(transaction, quote)
      void refreshMoney(queryClient, userId)
    },
    onFailure(error) {
      // A refused price cannot be used again; the page loads the next one.
      void queryClient.invalidateQueries({ queryKey: ['quote'] })
      const renewedQuote = readFreshQuote(error)
      if (renewedQuote && onFreshQuote) {
        onFreshQuote(toDatedQuote(renewedQuote, requestedAtMs.current))
        return undefined
      }
      return { title: failed, detail: error instanceof Refused ? error.message : '' }
    },
  })
}
