import {
  chooseCounterpartyCategory,
  chooseTransactionCategory,
  insightAtlas,
  insightCosts,
  insightFlows,
  insightTransactions,
} from '@tern/contract/insight'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../../platform/database/db.ts'
import { limitPerUser } from '../../platform/http/rate-limits.ts'
import { serve, serveReading } from '../../platform/http/serve.ts'
import { refuse } from '../../platform/refuse.ts'
import type { Product } from '../../product.ts'
import { findWallet } from '../wallets/wallets.ts'
import { chooseForCounterparty, chooseForTransaction } from './choose-category.ts'
import { findPeriod } from './period.ts'
import { readAtlas } from './read-atlas.ts'
import { readCosts } from './read-costs.ts'
import { readFigure } from './read-figure.ts'
import { readFlows } from './read-flows.ts'

const readingsPerMinute = 120
const choicesPerMinute = 60

interface PeriodQuery {
  readonly period: string
  readonly time_zone?: string | undefined
}

/** Serves `/insight/…`, which only the caller's own transactions answer. */
export function insightRoutes(app: FastifyInstance, { pool, now }: Product): void {
  const limitReadings = limitPerUser(app, 'insight', readingsPerMinute)
  const limitChoices = limitPerUser(app, 'insight-category', choicesPerMinute)

  const toFlowQuery = async (db: Db, userId: bigint, query: PeriodQuery) => ({
    wallet: (await findWallet(db, userId)) ?? refuse('not_found'),
    period: findPeriod(query.period, query.time_zone),
  })

  serveReading(
    app,
    insightFlows,
    async ({ caller, query, db }) => readFlows(db, await toFlowQuery(db, caller.userId, query)),
    limitReadings,
  )
  serveReading(
    app,
    insightCosts,
    async ({ caller, query, db }) => readCosts(db, await toFlowQuery(db, caller.userId, query)),
    limitReadings,
  )
  serveReading(
    app,
    insightAtlas,
    async ({ caller, query, db }) => readAtlas(db, await toFlowQuery(db, caller.userId, query)),
    limitReadings,
  )
  serveReading(
    app,
    insightTransactions,
    async ({ caller, query, db }) => {
      const { currency, flow: kind, category, person, guests, after } = query
      const party = guests === undefined ? (person === undefined ? undefined : BigInt(person)) : 'guests'
      const figure = { currency, kind, category, party } as const
      return readFigure(db, { ...(await toFlowQuery(db, caller.userId, query)), figure, after })
    },
    limitReadings,
  )

  serve(app, chooseCounterpartyCategory, async ({ caller: { userId }, params, body, request }) => {
    await limitChoices(request)
    const counterpartyId = BigInt(params.userId)
    await chooseForCounterparty(pool, { userId, counterpartyId, category: body.category, at: now() })
  })
  serve(app, chooseTransactionCategory, async ({ caller: { userId }, params: { id }, body, request }) => {
    await limitChoices(request)
    await chooseForTransaction(pool, { userId, transactionId: id, category: body.category, at: now() })
  })
}
