import { createQuote, currencyHistory, currencyRate } from '@tern/contract/exchange'
import { type CurrencyCode, isFiatCode } from '@tern/money/currency'
import { toRateText } from '@tern/money/ratio'
import type { FastifyInstance } from 'fastify'
import { parseAmount } from '../../platform/http/amount.ts'
import { limitPerAddress, limitPerUser } from '../../platform/http/rate-limits.ts'
import { refuseField } from '../../platform/refuse.ts'
import { serve } from '../../platform/http/serve.ts'
import type { LookUp, PartyOf } from '../wallets/wallets.ts'
import type { Exchange } from './exchange.ts'
import { sourceText } from './quote.ts'

const ratePerMinute = 240

interface Parts {
  readonly exchange: Exchange
  readonly partyOf: PartyOf
  readonly lookUp: LookUp
}

/** Quotes and public rates. */
export function exchangeRoutes(app: FastifyInstance, { exchange, partyOf, lookUp }: Parts): void {
  const limitQuotes = limitPerUser(app, 'quote', ratePerMinute)
  const limitRates = limitPerAddress(app, 'rate', ratePerMinute)

  serve(app, createQuote, async ({ body, caller, request }) => {
    await limitQuotes(request)
    const { source_currency: sourceCurrency, target_currency: targetCurrency, side } = body
    const recipientId = body.recipient_id === undefined ? undefined : BigInt(body.recipient_id)
    if (recipientId === caller.userId) refuseField('recipient_is_sender', 'recipient_id')
    if (recipientId !== undefined) {
      await lookUp(request, recipientId, () => checkRecipient(partyOf, recipientId, targetCurrency))
    }
    const amount = parseAmount('amount', side === 'source' ? sourceCurrency : targetCurrency, body.amount)
    const useStablecoin = body.use_stablecoin ?? true
    const wanted = { amount, side, sourceCurrency, targetCurrency, useStablecoin }
    return exchange.quote(caller.userId, wanted, recipientId, body.replaces)
  })

  serve(app, currencyHistory, async ({ params, query, request }) => {
    await limitRates(request)
    const { points, from, until } = await exchange.rateHistory(params.from, params.to, query.range)
    return {
      from: from.toISOString(),
      to: until.toISOString(),
      steps: points.map(({ at, rate }) => ({ time: at.toISOString(), rate: toRateText(rate) })),
    }
  })

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
}

async function checkRecipient(partyOf: PartyOf, recipientId: bigint, target: CurrencyCode): Promise<void> {
  const recipient = await partyOf(recipientId)
  if (!recipient?.verified) refuseField('recipient_not_found', 'recipient_id')
  if (recipient && isFiatCode(target) && target !== recipient.wallet.baseCurrency) {
    const { baseCurrency: currency } = recipient.wallet
    refuseField('currency_not_held', 'target_currency', { code: 'recipient_currency', params: { currency } })
  }
}
