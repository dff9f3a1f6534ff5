import { createQuote, currencyRate } from '@tern/contract/exchange'
import { currencyHistory, walletHoldings } from '@tern/contract/exchange/rates'
import { type CurrencyCode, isFiatCode } from '@tern/money/currency'
import { toRateText } from '@tern/money/ratio'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { parseAmount } from '../../platform/http/amount.ts'
import { limitPerAddress, limitPerUser, normalizeNetwork } from '../../platform/http/rate-limits.ts'
import { Refusal, refuse, refuseField } from '../../platform/refuse.ts'
import { serve, serveReading } from '../../platform/http/serve.ts'
import { createFairQueue } from '../../platform/threads/fair-queue.ts'
import { findWallet, type LimitedLookup, readWallet, type Wallets } from '../wallets/wallets.ts'
import type { Exchange } from './exchange.ts'
import { valueHoldings } from './holdings.ts'
import { sourceText } from './quote.ts'
import type { TimeSpan } from './rates/rate-history.ts'

const ratePerMinute = 240

/** Few charts are computed at once, so that other requests are served meanwhile; networks take turns. */
const maxConcurrentCharts = 2
const maxWaitingNetworks = 10
const computeChart = createFairQueue({
  atOnce: maxConcurrentCharts,
  perLineAtOnce: 1,
  perLine: ratePerMinute,
  inTotal: maxWaitingNetworks * ratePerMinute,
  turnAway: (reason) =>
    new Refusal(reason === 'line_full' ? 'rate_limited' : 'service_unavailable', { retryAfterSeconds: 5 }),
})

interface RouteParts {
  readonly exchange: Exchange
  readonly pool: pg.Pool
  readonly wallets: Pick<Wallets, 'findParty'>
  readonly lookUp: LimitedLookup
}

/** Endpoints of quotes, public rates and values of wallets. */
export function exchangeRoutes(app: FastifyInstance, { exchange, pool, wallets, lookUp }: RouteParts): void {
  const limitQuotes = limitPerUser(app, 'quote', ratePerMinute)
  const limitRates = limitPerAddress(app, 'rate', ratePerMinute)

  serve(app, createQuote, async ({ body, caller, request }) => {
    await limitQuotes(request)
    const { source_currency: sourceCurrency, target_currency: targetCurrency, side } = body
    const recipientId = body.recipient_id === undefined ? undefined : BigInt(body.recipient_id)
    if (recipientId === caller.userId) refuseField('recipient_is_sender', 'recipient_id')
    if (recipientId !== undefined) {
      await lookUp(request, recipientId, () => checkRecipient({ pool, wallets }, recipientId, targetCurrency))
    }
    const amount = parseAmount('amount', side === 'source' ? sourceCurrency : targetCurrency, body.amount)
    const useStablecoin = body.use_stablecoin ?? true
    const terms = { amount, side, sourceCurrency, targetCurrency, useStablecoin }
    return exchange.quote({ userId: caller.userId, request: terms, recipientId, replaces: body.replaces })
  })

  serveReading(
    app,
    currencyHistory,
    async ({ params, query, request, db }) => {
      const { points, from, until, rests, gaps, sources } = await computeChart(normalizeNetwork(request.ip), () =>
        exchange.rateHistory(db, { source: params.from, target: params.to, range: query.range }),
      )
      const toSpanView = (span: TimeSpan) => ({ from: span.from.toISOString(), to: span.until.toISOString() })
      return {
        from: from.toISOString(),
        to: until.toISOString(),
        steps: points.map(({ at, rate }) => ({ time: at.toISOString(), rate: toRateText(rate) })),
        source: sourceText({ sources }),
        rests: rests.map(toSpanView),
        gaps: gaps.map(toSpanView),
      }
    },
    limitRates,
  )

  serve(app, currencyRate, async ({ params, request }) => {
    await limitRates(request)
    const { rate, midMarket, asOf, sources } = exchange.pairRate(params.from, params.to)
    return {
      rate: toRateText(rate),
      mid_market_rate: toRateText(midMarket),
      source: sourceText({ sources }),
      time: asOf.toISOString(),
    }
  })

  serveReading(app, walletHoldings, async ({ params, caller, db }) => {
    const wallet = await findWallet(db, caller.userId)
    if (wallet?.id !== params.id.toLowerCase()) refuse('not_found')
    return valueHoldings(await readWallet(db, wallet), exchange)
  })
}

async function checkRecipient(
  { pool, wallets }: Pick<RouteParts, 'pool' | 'wallets'>,
  recipientId: bigint,
  target: CurrencyCode,
): Promise<void> {
  const recipient = await wallets.findParty(pool, recipientId)
  if (!recipient?.verified) refuseField('recipient_not_found', 'recipient_id')
  if (recipient && isFiatCode(target) && target !== recipient.wallet.baseCurrency) {
    const { baseCurrency: currency } = recipient.wallet
    refuseField('currency_not_held', 'target_currency', { code: 'recipient_currency', params: { currency } })
  }
}
