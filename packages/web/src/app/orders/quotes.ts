import { queryOptions, useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import { createQuote, type Quote, quoteShape } from '@tern/contract/exchange'
import * as z from 'zod/mini'
import { callApi } from '../session/session.ts'
import { useSettled } from '../use-settled.ts'

export type QuoteRequest = CallInput<typeof createQuote>['body']

/** A price, and until when it holds by this device's own clock. */
export const datedQuote = z.object({ quote: quoteShape, holdsUntilMs: z.number() })
export type DatedQuote = z.output<typeof datedQuote>

/** What a page knows of the price for its present inputs; nothing at all while there is nothing to be priced. */
export interface LiveQuote {
  readonly priced?: DatedQuote
  readonly isLoading?: true
  /** Why there is no price, unless that stands at a field. */
  readonly failure?: { readonly text: string; readonly refusal: Refused | undefined; readonly retry: () => void }
  /** What the server says about single fields of a request that it refused to price. */
  readonly refused?: { readonly amount?: string | undefined; readonly recipient_id?: string | undefined }
}

const typingPauseMs = 300
const refreshMs = 60_000

/** When the server made a UUIDv7, in milliseconds since 1970. */
const madeAtMs = (uuid: string): number => Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)

/**
 * How long a quote holds by the device's clock. Its id carries when the server made it, so the span is the server's own
 * and a device whose clock is wrong still counts right. `askedAtMs` is when the request left: never later than the making.
 */
export const dated = (quote: Quote, askedAtMs: number): DatedQuote => ({
  quote,
  holdsUntilMs: askedAtMs + new Date(quote.expires_at).getTime() - madeAtMs(quote.quote_id),
})

/** The query behind a price; `fetchQuery` with it shares the request that a page has already made. */
export const quoteQuery = (request: QuoteRequest | undefined) =>
  queryOptions({
    queryKey: ['quote', request],
    queryFn: async ({ signal }) => {
      if (!request) throw new Error('there is nothing to be priced')
      const askedAtMs = Date.now()
      return dated(await callApi(createQuote, { body: request }, signal), askedAtMs)
    },
    staleTime: refreshMs / 2,
    gcTime: 0,
    retry: false,
  })

/**
 * The server's price for `request`, asked for when typing pauses and again every minute, unless `keepMs` says after how
 * long. It never shows a price for other inputs than the present ones, nor one that no longer holds. An order that is
 * `pending` keeps its own.
 */
export function useLiveQuote(
  request: QuoteRequest | undefined,
  pending?: DatedQuote,
  keepMs: (priced: DatedQuote | undefined) => number = () => refreshMs,
): LiveQuote {
  const key = JSON.stringify(request)
  const settled = useSettled(request, key, typingPauseMs)
  const isSettled = settled.key === key
  const { data, error, isFetching, refetch } = useQuery({
    ...quoteQuery(settled.value),
    enabled: isSettled && request !== undefined,
    refetchInterval: ({ state }) => keepMs(state.data),
    staleTime: ({ state }) => keepMs(state.data) / 2,
    refetchOnWindowFocus: true,
  })
  if (pending) return { priced: pending }
  if (!request) return {}
  if (isSettled && data && data.holdsUntilMs > Date.now()) return { priced: data }
  if (!isSettled || !error || isFetching) return { isLoading: true }
  const messageAt = (field: string) =>
    error instanceof Refused ? error.errors.find((problem) => problem.field === field)?.message : undefined
  const refused = { amount: messageAt('amount'), recipient_id: messageAt('recipient_id') }
  const isAtField = refused.amount !== undefined || refused.recipient_id !== undefined
  if (isAtField) return { refused }
  const refusal = error instanceof Refused ? error : undefined
  return { failure: { text: error.message, refusal, retry: () => void refetch() } }
}
