import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { currencyHistory } from '@tern/contract/exchange/rates'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { CurrencyCode } from '@tern/money/currency'
import { buildQuery } from '../session/query.ts'
import type { LineFacts } from './rate-line.ts'
import { toUnits } from './rate-scale.ts'
import type { RateRange } from './time-lines.ts'

export type RateHistory = Reply<typeof currencyHistory>

const refreshMs = 60_000

/** Mid-market rate of a pair over a range, refetched every minute; the previous range stays while another loads. */
export const rateHistoryQuery = (from: CurrencyCode, to: CurrencyCode, range: RateRange) =>
  queryOptions({
    ...buildQuery(['rates', from, to], currencyHistory, { params: { from, to }, query: { range } }),
    staleTime: refreshMs / 2,
    refetchInterval: refreshMs,
    placeholderData: (last, query) =>
      query?.queryKey[1] === from && query.queryKey[2] === to ? keepPreviousData(last) : undefined,
  })

const toPeriod = ({ from, to }: { from: string; to: string }) => ({ from: Date.parse(from), until: Date.parse(to) })

export const toLineFacts = (history: RateHistory): LineFacts => ({
  ...toPeriod(history),
  steps: history.steps.map(({ time, rate }) => ({ at: Date.parse(time), units: toUnits(rate) })),
  rests: history.rests.map(toPeriod),
  gaps: history.gaps.map(toPeriod),
})
