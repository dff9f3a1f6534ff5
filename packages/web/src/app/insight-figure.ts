import { insightTransactions } from '@tern/contract/insight'
import type { CurrencyCode } from '@tern/money/currency'
import { ownTimeZone } from './browser/time-zone.ts'
import type { FigureChoice } from './insight-address.ts'
import { buildQuery } from './session/query.ts'

/** Query of the API for the transactions of a figure. */
export const toFigureQuery = (currency: CurrencyCode, period: string, { flow, category, person }: FigureChoice) => ({
  ...{ currency, period, flow, time_zone: ownTimeZone() },
  ...(category && { category }),
  ...(person === 'guests' ? { guests: 'true' as const } : person !== undefined && { person: String(person) }),
})

/** First page of the transactions of a figure. The event stream refetches queries of this topic. */
export const figureQuery = (userId: number | undefined, query: ReturnType<typeof toFigureQuery>) =>
  buildQuery(['transactions', userId], insightTransactions, { query })
