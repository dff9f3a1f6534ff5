import type { FastifyInstance, onRequestHookHandler } from 'fastify'
import type { Clock } from '../control/clock.ts'
import { type Rate, startingRates } from '../server/currency.ts'
import { readFields } from '../server/fields.ts'
import type { Store } from '../server/store.ts'

export type Rates = ReturnType<typeof createRates>

/** A market that changes only by hand. */
export const createRates = (store: Store) => ({
  all(): Record<string, Rate> {
    const rates: Record<string, Rate> = Object.fromEntries(startingRates)
    const changed = store.all<Rate & { code: string }>('select code, numerator, denominator from rate')
    for (const { code, ...rate } of changed) rates[code] = rate
    return rates
  },
  change(rates: ReadonlyMap<string, Rate>): void {
    store.transact(() => rates.forEach((rate, code) => store.replace('rate', { code, ...rate })))
  },
})

const wholeNumber = /^[1-9]\d{0,29}$/

function readRate(value: unknown): Rate | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { numerator, denominator } = value as Record<string, unknown>
  if (typeof numerator !== 'string' || typeof denominator !== 'string') return undefined
  return wholeNumber.test(numerator) && wholeNumber.test(denominator) ? { numerator, denominator } : undefined
}

function readChanges(body: unknown): Map<string, Rate> {
  const fields = readFields(body)
  const changes = new Map<string, Rate>()
  const given = fields.raw('usd_per_unit')
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    fields.wrong('usd_per_unit', 'Must be an object of currency codes.')
  } else {
    for (const [code, value] of Object.entries(given).slice(0, 50)) {
      const field = `usd_per_unit.${code.slice(0, 20)}`
      const rate = readRate(value)
      if (!startingRates.has(code)) fields.wrong(field, 'Is not a currency of this feed.')
      else if (code === 'USD') fields.wrong(field, 'The US dollar is the measure and stays 1.')
      else if (rate) changes.set(code, rate)
      else fields.wrong(field, 'Needs numerator and denominator: texts of 1 to 30 digits, above zero.')
    }
  }
  fields.check()
  return changes
}

export function rateRoutes(app: FastifyInstance, rates: Rates, clock: Clock, onlyProduct: onRequestHookHandler): void {
  const answer = (): object => ({ as_of: clock.now().toISOString(), base: 'USD', usd_per_unit: rates.all() })
  app.get('/api/rates', answer)
  app.put('/api/rates', { onRequest: onlyProduct }, (request) => {
    rates.change(readChanges(request.body))
    return answer()
  })
}
