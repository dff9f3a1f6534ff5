import { queryOptions, useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import { createQuote } from '@tern/contract/exchange'
import { useEffect, useState } from 'react'
import { callApi } from '../session/session.ts'
import { useSettled } from '../use-settled.ts'
import { toDatedQuote, type DatedQuote } from './dated-quote.ts'

export type QuoteRequest = CallInput<typeof createQuote>['body']

/** State of the price for the current inputs; empty while there is nothing to price. */
export interface LiveQuote {
  readonly priced?: DatedQuote
  readonly isLoading?: true
  /** Reason for a missing price; undefined if the reason belongs to a field. */
  readonly failure?: { readonly text: string; readonly refusal: Refused | undefined; readonly retry: () => void }
  /** Messages by field for a request that the server refused to price. */
  readonly refused?: { readonly amount?: string | undefined; readonly recipient_id?: string | undefined }
}

const typingPauseMs = 300
const refreshMs = 60_000

/**
 * Query behind a price; `fetchQuery` with it shares the page's request. `release` returns the id of an unneeded quote,
 * which the request releases.
 */
export const quoteQuery = (request: QuoteRequest | undefined, release: () => string | undefined = () => undefined) =>
  queryOptions({
    queryKey: ['quote', request],
    queryFn: async ({ signal }) => {
      if (!request) throw new Error('there is nothing to be priced')
      const requestedAtMs = Date.now()
      const replaces = release()
      const body = { ...request, ...(replaces === undefined ? {} : { replaces }) }
      return toDatedQuote(await callApi(createQuote, { body }, signal), requestedAtMs)
    },
    staleTime: refreshMs / 2,
    gcTime: 0,
    retry: false,
  })

/**
 * Collects quotes that are no longer shown. Each reserves capacity, so each request releases one of them. The quote on
 * the page is never released, since it may be ordered while the next one loads; nor is an ordered one.
 */
export function createUnusedQuotes() {
  let visibleQuoteId: string | undefined
  let unusedIds: string[] = []
  const orderedIds = new Set<string>()
  return {
    /** Records the quote on the page and the one being ordered. */
    track(visibleId: string | undefined, currentOrderId: string | undefined): void {
      if (currentOrderId !== undefined) orderedIds.add(currentOrderId)
      if (visibleQuoteId !== undefined && visibleQuoteId !== visibleId) unusedIds.push(visibleQuoteId)
      visibleQuoteId = visibleId
      unusedIds = unusedIds.filter((id) => id !== visibleId && !orderedIds.has(id))
    },
    /** Takes the latest unused quote. */
    release: (): string | undefined => unusedIds.pop(),
  }
}

/**
 * The server's price for `request`, fetched when typing pauses and again every minute, or after `getKeepMs`. Never
 * returns an expired price, nor one for earlier inputs. A `pending` order keeps its own price.
 */
export function useLiveQuote(
  request: QuoteRequest | undefined,
  pending?: DatedQuote,
  getKeepMs: (priced: DatedQuote | undefined) => number = () => refreshMs,
): LiveQuote {
  const key = JSON.stringify(request)
  const settledRequest = useSettled(request, key, typingPauseMs)
  const isSettled = settledRequest.key === key
  const [unusedQuotes] = useState(createUnusedQuotes)
  const { data, error, isFetching, refetch } = useQuery({
    ...quoteQuery(settledRequest.value, unusedQuotes.release),
    enabled: isSettled && request !== undefined,
    refetchInterval: ({ state }) => getKeepMs(state.data),
    staleTime: ({ state }) => getKeepMs(state.data) / 2,
    refetchOnWindowFocus: true,
  })
  const currentQuoteId = isSettled ? data?.quote.quote_id : undefined
  const orderedId = pending?.quote.quote_id
  useEffect(() => unusedQuotes.track(currentQuoteId, orderedId), [unusedQuotes, currentQuoteId, orderedId])
  if (pending) return { priced: pending }
  if (!request) return {}
  if (isSettled && data && data.holdsUntilMs > Date.now()) return { priced: data }
  if (!isSettled || !error || isFetching) return { isLoading: true }
  const findMessage = (field: string) =>
    error instanceof Refused ? error.errors.find((problem) => problem.field === field)?.message : undefined
  const refused = { amount: findMessage('amount'), recipient_id: findMessage('recipient_id') }
  const hasFieldError = refused.amount !== undefined || refused.recipient_id !== undefined
  if (hasFieldError) return { refused }
  const refusal = error instanceof Refused ? error : undefined
  return { failure: { text: error.message, refusal, retry: () => void refetch() } }
}
