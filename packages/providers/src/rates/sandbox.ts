import { type CurrencyCode, currencyCodes } from '@tern/money/currency'
import { ratio } from '@tern/money/ratio'
import { readDate, readList, readObject, readPositive, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import type { RateFix, RatesProvider, RatesResult } from './port.ts'

const quotedCurrencies = currencyCodes.filter((code) => code !== 'USD')

/** Returns the rates of one moment, and the currencies without a usable value; undefined if the moment is invalid. */
function readMoment(point: unknown): { fixes: RateFix[]; missing: CurrencyCode[] } | undefined {
  const asOf = readDate(point, 'as_of')
  const perUnit = readObject(point, 'usd_per_unit')
  if (!asOf) return undefined
  const fixes: RateFix[] = []
  const missing: CurrencyCode[] = []
  for (const base of quotedCurrencies) {
    const value = readObject(perUnit, base)
    const numerator = readPositive(value, 'numerator')
    const denominator = readPositive(value, 'denominator')
    if (numerator && denominator) fixes.push({ base, quote: 'USD', rate: ratio(numerator, denominator), asOf })
    else missing.push(base)
  }
  return { fixes, missing }
}

function readMoments(body: unknown, points: readonly unknown[] | undefined): RatesResult | undefined {
  if (readText(body, 'base') !== 'USD' || !points) return undefined
  const fixes: RateFix[] = []
  const missing = new Set<CurrencyCode>()
  for (const point of points) {
    const moment = readMoment(point)
    if (!moment || moment.fixes.length === 0) return undefined
    fixes.push(...moment.fixes)
    for (const currency of moment.missing) missing.add(currency)
  }
  if (missing.size === 0) return { status: 'known', fixes }
  return { status: 'known', fixes, missing: `The sandbox's rates have no usable ${[...missing].join(', ')}` }
}

/** Rates of the sandbox's market. A missing currency does not affect the others. */
export function createSandboxRatesProvider(connection: SandboxConnection): RatesProvider {
  const http = createSandboxHttp(connection)
  return {
    name: 'sandbox',
    pollEveryMs: 5000,
    latest: () => http.ask(['GET', '/api/rates'], 'rates', (body) => readMoments(body, [body])),
    history: (from) =>
      http.ask(['GET', `/api/rates/history?from=${from.toISOString()}`], 'the history of rates', (body) =>
        readMoments(body, readList(body, 'points')),
      ),
  }
}
