import { currencyCodes, type CurrencyCode } from '@tern/money/currency'
import { ratio, type Ratio } from '@tern/money/ratio'
import { readDate, readObject, readPositive, readText } from '../json.ts'
import { createSandboxHttp, type SandboxConnection } from '../sandbox-http.ts'
import type { RatesProvider, RatesResult } from './port.ts'

function readRates(body: unknown): RatesResult | undefined {
  const asOf = readDate(body, 'as_of')
  const perUnit = readObject(body, 'usd_per_unit')
  if (!asOf || readText(body, 'base') !== 'USD') return undefined
  const values: [CurrencyCode, Ratio][] = []
  for (const code of currencyCodes) {
    const value = readObject(perUnit, code)
    const numerator = readPositive(value, 'numerator')
    const denominator = readPositive(value, 'denominator')
    if (!numerator || !denominator) return undefined
    values.push([code, ratio(numerator, denominator)])
  }
  return { status: 'known', asOf, values: Object.fromEntries(values) as Record<CurrencyCode, Ratio> }
}

/** The sandbox's market feed. A feed in which any currency is missing counts as unknown. */
export function createSandboxRates(connection: SandboxConnection): RatesProvider {
  const http = createSandboxHttp(connection)
  return { name: 'sandbox', latest: () => http.ask(['GET', '/api/rates'], 'rates', readRates) }
}
