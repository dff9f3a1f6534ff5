import { queryOptions, useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { CallInput } from '@tern/contract/protocol/endpoint'
import { createQuote } from '@tern/contract/exchange'
import { useEffect, useState } from 'react'
import { callApi } from '../session/session.ts'
import { useSettled } from '../use-settled.ts'
import { dated, type DatedQuote } from './dated-quote.ts'

export type QuoteRequest = CallInput<typeof createQuote>['body']

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

/**
 * The query behind a price; `fetchQuery` with it shares the request that a page has already made. `giveBack` names a quote
 * that nobody needs any more, when a request leaves.
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
 * Remembers prices that were shown and are shown no more. Each keeps room that others could use, so the next request gives
 * one back. The price on the page is never among them, since it may be ordered while the next one comes, nor is one that
 * was ordered.
 */
export function createLeftQuotes() {
  let shown: string | undefined
  let left: string[] = []
  const ordered = new Set<string>()
  return {
    /** What the page shows now, and what is being ordered. */
    show(now: string | undefined, orderedNow: string | undefined): void {
      if (orderedNow !== undefined) ordered.add(orderedNow)
      if (shown !== undefined && shown !== now) left.push(shown)
      shown = now
      left = left.filter((id) => id !== now && !ordered.has(id))
    },
    /** The latest of them, once. */
    giveBack: (): string | undefined => left.pop(),
  }
}

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
  const [left] = useState(createLeftQuotes)
  const { data, error, isFetching, refetch } = useQuery({
    ...quoteQuery(settled.value, left.giveBack),
    enabled: isSettled && request !== undefined,
    refetchInterval: ({ state }) => keepMs(state.data),
    staleTime: ({ state }) => keepMs(state.data) / 2,
    refetchOnWindowFocus: true,
  })
  const shownId = isSettled ? data?.quote.quote_id : undefined
  const orderedId = pending?.quote.quote_id
  useEffect(() => left.show(shownId, orderedId), [left, shownId, orderedId])
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
