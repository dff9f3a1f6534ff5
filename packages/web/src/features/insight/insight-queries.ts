import { keepPreviousData } from '@tanstack/react-query'
import { insightAtlas, insightCosts, insightFlows } from '@tern/contract/insight'
import { ownTimeZone } from '../../app/browser/time-zone.ts'
import { buildQuery } from '../../app/session/query.ts'

const inOwnZone = (period: string) => ({ query: { period, time_zone: ownTimeZone() } })

// The event stream refetches queries of the topic `transactions`.
export const flowsQuery = (userId: number, period: string) => ({
  ...buildQuery(['transactions', userId], insightFlows, inOwnZone(period)),
  placeholderData: keepPreviousData,
})

export const costsQuery = (userId: number, year: string) =>
  buildQuery(['transactions', userId], insightCosts, inOwnZone(year))

export const yearQuery = (userId: number, year: string) => ({
  ...buildQuery(['transactions', userId], insightAtlas, inOwnZone(year)),
  placeholderData: keepPreviousData,
})
