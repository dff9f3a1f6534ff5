import { type Rate, startingRates } from '../server/currency.ts'
import { type Fields, readFields } from '../server/fields.ts'
import type { MarketSetting } from './course.ts'

const wholeNumber = /^[1-9]\d{0,29}$/
const maxDigits = 30
const highestVolatility = 1000
const [lowestJump, highestJump] = [-90, 900]

function readRate(value: unknown): Rate | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { numerator, denominator } = value as Record<string, unknown>
  if (typeof numerator !== 'string' || typeof denominator !== 'string') return undefined
  return wholeNumber.test(numerator) && wholeNumber.test(denominator) ? { numerator, denominator } : undefined
}

/**
 * Returns the entries of an object whose keys are currency codes, with the field name of each. Adds an error for
 * unknown codes and for the US dollar.
 */
function readEntries(fields: Fields, name: string): { code: string; value: unknown; field: string }[] {
  const raw = fields.raw(name)
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    fields.addProblem(name, 'Must be an object of currency codes.')
    return []
  }
  return Object.entries(raw)
    .slice(0, 50)
    .flatMap(([code, value]) => {
      const field = `${name}.${code.slice(0, 20)}`
      if (!startingRates.has(code)) fields.addProblem(field, 'Is not a currency of this feed.')
      else if (code === 'USD') fields.addProblem(field, 'The US dollar is the measure and stays 1.')
      else return [{ code, value, field }]
      return []
    })
}

/** Reads new levels by currency. Throws ApiError 422. */
export function readLevels(body: unknown): Map<string, Rate> {
  const fields = readFields(body)
  const levels = new Map<string, Rate>()
  for (const { code, value, field } of readEntries(fields, 'usd_per_unit')) {
    const rate = readRate(value)
    if (rate) levels.set(code, rate)
    else fields.addProblem(field, 'Needs numerator and denominator: texts of 1 to 30 digits, above zero.')
  }
  fields.check()
  return levels
}

/** Moves a level by a percentage, limited to 30 digits; undefined if numerator or denominator becomes zero. */
function applyJump({ numerator, denominator }: Rate, percent: number): Rate | undefined {
  let [scaledNumerator, scaledDenominator] = [BigInt(numerator) * BigInt(100 + percent), BigInt(denominator) * 100n]
  const extraDigits = Math.max(scaledNumerator.toString().length, scaledDenominator.toString().length) - maxDigits
  if (extraDigits > 0)
    [scaledNumerator, scaledDenominator] = [
      scaledNumerator / 10n ** BigInt(extraDigits),
      scaledDenominator / 10n ** BigInt(extraDigits),
    ]
  return scaledNumerator > 0n && scaledDenominator > 0n
    ? { numerator: scaledNumerator.toString(), denominator: scaledDenominator.toString() }
    : undefined
}

function readJumps(fields: Fields, levels: ReadonlyMap<string, Rate>): Map<string, Rate> {
  const jumpedRates = new Map<string, Rate>()
  if (!fields.has('jump')) return jumpedRates
  for (const { code, value, field } of readEntries(fields, 'jump')) {
    const percent = typeof value === 'number' && Number.isSafeInteger(value) ? value : Number.NaN
    const level = levels.get(code)
    if (!(percent >= lowestJump && percent <= highestJump) || !level) {
      fields.addProblem(field, `Must be a whole number of percent from ${lowestJump} to ${highestJump}.`)
      continue
    }
    const rate = applyJump(level, percent)
    if (rate) jumpedRates.set(code, rate)
    else fields.addProblem(field, 'Takes the level too far from one.')
  }
  return jumpedRates
}

/** Reads the market settings to change; absent fields remain unchanged. Throws ApiError 422. */
export function readMarket(fields: Fields, levels: ReadonlyMap<string, Rate>) {
  const mode = fields.text('mode', {
    max: 5,
    optional: true,
    pattern: /^(walk|still)$/,
    message: 'Must be walk or still.',
  })
  const seed = fields.integer('seed', { max: Number.MAX_SAFE_INTEGER })
  const volatilityPercent = fields.integer('volatility_percent', { max: highestVolatility })
  const silent = fields.flag('silent')
  const jumpedRates = readJumps(fields, levels)
  fields.check()
  const course: Partial<MarketSetting> = {
    ...(mode === 'walk' || mode === 'still' ? { mode } : {}),
    ...(seed === undefined ? {} : { seed }),
    ...(volatilityPercent === undefined ? {} : { volatilityPercent }),
  }
  return { course, silent, jumpedRates }
}
