import { queryOptions, useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import { createQuote } from '@tern/contract/exchange'
import { useEffect, useState } from 'react'
import { callApi } from '../session/session.ts'
import { useSettled } from '../use-settled.ts'
import { dated, type DatedQuote } from './dated-quote.ts'

export type QuoteRequest = CallInput<typeof createQuote>['body']

/** State of the price for the current inputs; empty while there is nothing to price. */
export interface LiveQuote {
  readonly priced?: DatedQuote
  readonly isLoading?: true
  /** Reason for a missing price, unless it belongs to a field. */
  readonly failure?: { readonly text: string; readonly refusal: Refused | undefined; readonly retry: () => void }
  /** Messages by field for a request that the server refused to price. */
  readonly refused?: { readonly amount?: string | undefined; readonly recipient_id?: string | undefined }
}

const typingPauseMs = 300
const refreshMs = 60_000

/**
 * Query behind a price; `fetchQuery` with it shares the page's request. `giveBack` names an unneeded quote to release
 * when a request leaves.
 */
export const quoteQuery = (request: QuoteRequest | undefined, giveBack: () => string | undefined = () => undefined) =>
  queryOptions({
    queryKey: ['quote', request],
    queryFn: async ({ signal }) => {
      if (!request) throw new Error('there is nothing to be priced')
      const askedAtMs = Date.now()
      const replaces = giveBack()
      const body = { ...request, ...(replaces === undefined ? {} : { replaces }) }
      return dated(await callApi(createQuote, { body }, signal), askedAtMs)
    },
    staleTime: refreshMs / 2,
    gcTime: 0,
    retry: false,
  })

/**
 * Collects quotes that are no longer shown. Each takes up capacity, so the next request releases one. It never releases
 * the quote on the page, since it may be ordered while the next one loads, nor an ordered one.
 */
export function createUnusedQuotes() {
  let visibleQuoteId: string | undefined
  let unusedIds: string[] = []
  const ordered = new Set<string>()
  return {
    /** Records the quote on the page and the one being ordered. */
    show(now: string | undefined, orderedNow: string | undefined): void {
      if (orderedNow !== undefined) ordered.add(orderedNow)
      if (visibleQuoteId !== undefined && visibleQuoteId !== now) unusedIds.push(visibleQuoteId)
      visibleQuoteId = now
      unusedIds = unusedIds.filter((id) => id !== now && !ordered.has(id))
    },
    /** Returns the latest such quote, once. */
    giveBack: (): string | undefined => unusedIds.pop(),
  }
}

/**
 * The server's price for `request`, fetched when typing pauses and again every minute, or after `keepMs`. Never shows a
 * price for other inputs than the current ones, nor an expired one. A `pending` order keeps its own price.
 */
export function useLiveQuote(
  request: QuoteRequest | undefined,
  pending?: DatedQuote,
  keepMs: (priced: DatedQuote | undefined) => number = () => refreshMs,
): LiveQuote {
  const key = JSON.stringify(request)
  const settled = useSettled(request, key, typingPauseMs)
  const isSettled = settled.key === key
  const [unusedQuotes] = useState(createUnusedQuotes)
  const { data, error, isFetching, refetch } = useQuery({
    ...quoteQuery(settled.value, unusedQuotes.giveBack),
    enabled: isSettled && request !== undefined,
    refetchInterval: ({ state }) => keepMs(state.data),
    staleTime: ({ state }) => keepMs(state.data) / 2,
    refetchOnWindowFocus: true,
  })
  const shownId = isSettled ? data?.quote.quote_id : undefined
  const orderedId = pending?.quote.quote_id
  useEffect(() => unusedQuotes.show(shownId, orderedId), [unusedQuotes, shownId, orderedId])
  if (pending) return { priced: pending }
  if (!request) return {}
  if (isSettled && data && data.holdsUntilMs > Date.now()) return { priced: data }
  if (!isSettled || !error || isFetching) return { isLoading: true }
  const messageAt = (field: string) =>
    error instanceof Refused ? error.errors.find((problem) => problem.field === field)?.message : undefined
  const refused = { amount: messageAt('amount'), recipient_id: messageAt('recipient_id') }
  const hasFieldError = refused.amount !== undefined || refused.recipient_id !== undefined
  if (hasFieldError) return { refused }
  const refusal = error instanceof Refused ? error : undefined
  return { failure: { text: error.message, refusal, retry: () => void refetch() } }
}
