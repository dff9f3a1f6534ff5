import { currencyCodes } from '@tern/money/currency'
import { ratio } from '@tern/money/ratio'
import { readDate, readList, readObject, readPositive, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import type { RateFix, RatesProvider, RatesResult } from './port.ts'

const others = currencyCodes.filter((code) => code !== 'USD')

/** All currencies of one moment; undefined when one is missing. */
function readMoment(point: unknown): RateFix[] | undefined {
  const asOf = readDate(point, 'as_of')
  const perUnit = readObject(point, 'usd_per_unit')
  if (!asOf) return undefined
  const fixes: RateFix[] = []
  for (const base of others) {
    const value = readObject(perUnit, base)
    const numerator = readPositive(value, 'numerator')
    const denominator = readPositive(value, 'denominator')
    if (!numerator || !denominator) return undefined
    fixes.push({ base, quote: 'USD', rate: ratio(numerator, denominator), asOf })
  }
  return fixes
}

function readMoments(body: unknown, points: readonly unknown[] | undefined): RatesResult | undefined {
  if (readText(body, 'base') !== 'USD' || !points) return undefined
  const fixes: RateFix[] = []
  for (const point of points) {
    const some = readMoment(point)
    if (!some) return undefined
    fixes.push(...some)
  }
  return { status: 'known', fixes }
}

/** The sandbox's market feed. A feed in which any currency is missing counts as unknown. */
export function createSandboxRates(connection: SandboxConnection): RatesProvider {
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
