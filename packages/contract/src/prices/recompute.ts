// Recomputes a price step by step from the published rates. Shares only exact fractions with the pricing code, and
// never reads the stored rate. Server, command and page run this same code.

import { bridgeCurrency, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { feeBasisPoints } from '@tern/money/fee'
import { parseDecimal } from '@tern/money/money'
import { divide, inverse, multiply, type Ratio, ratio, type Rounding, scaleBy } from '@tern/money/ratio'
import { cutAt, type Digits, exactDigits, type Figure, formatFigure, wholeDigits } from './digits.ts'
import type { PriceFacts, ProofFix, ProofStep, ProofValue, WireFraction } from './proof.ts'

export type LineName =
  | 'fix'
  | 'formula'
  | 'into_bridge'
  | 'out_of_bridge'
  | 'residue'
  | 'total_paid'
  | 'fee'
  | 'spread'
  | 'rounding'
  | 'together'
  | 'reference'

/** Line of a rung: its formula, of alternating figures and operators, and its value. */
export interface ProofLine {
  readonly name: LineName
  readonly fix?: ProofFix
  readonly formula: readonly Figure[]
  readonly value: Digits
  /** Currency code or `%`. */
  readonly unit?: string
}

export interface Rung {
  readonly step: Exclude<ProofStep, 'quote'>
  readonly lines: readonly ProofLine[]
  readonly result?: { readonly value: Digits; readonly unit: string }
}

/** Recomputed price; amounts in minor units. */
export interface Recomputed {
  readonly rungs: readonly Rung[]
  readonly midMarketRate: Ratio
  readonly rate: Ratio
  readonly source: bigint
  readonly target: bigint
  readonly crossing: { readonly inflow: bigint; readonly outflow: bigint } | undefined
  readonly fee: bigint
  readonly costPartsPerMillion: bigint
  readonly spreadPartsPerMillion: bigint
  readonly feeBasisPoints: bigint
  /** Euro reference rate, and the distance of the rate below it in parts per million; negative if above. */
  readonly reference: { readonly rate: Ratio; readonly spreadPartsPerMillion: bigint } | undefined
}

const one = ratio(1n, 1n)
const million = 1_000_000n

const toRatio = ({ numerator, denominator }: WireFraction): Ratio => ratio(BigInt(numerator), BigInt(denominator))

/** Fix as a factor of a rate; `isTurned` if the inverse is used. */
interface Factor {
  readonly fix: ProofFix
  readonly isTurned: boolean
}

/** Returns the chain of fixes from a currency to the dollar; undefined if the fixes do not lead there. */
function wayToDollar({ currency, fixes }: ProofValue): Factor[] | undefined {
  let at: CurrencyCode = currency
  const way: Factor[] = []
  for (const fix of fixes) {
    if (fix.base !== at && fix.quote !== at) return undefined
    const isTurned = fix.base !== at
    way.push({ fix, isTurned })
    at = isTurned ? fix.base : fix.quote
  }
  return at === 'USD' ? way : undefined
}

const product = (factors: readonly Factor[]): Ratio =>
  factors.reduce((value, { fix, isTurned }) => {
    const rate = toRatio(fix.rate)
    return multiply(value, isTurned ? inverse(rate) : rate)
  }, one)

const isSameFix = (a: ProofFix, b: ProofFix): boolean =>
  a.source === b.source && a.base === b.base && a.quote === b.quote && a.as_of === b.as_of

/** Returns the factors of a cross rate, without fixes that cancel out; undefined if a chain is missing. */
function factorsBetween(
  values: readonly ProofValue[],
  source: CurrencyCode,
  target: CurrencyCode,
): Factor[] | undefined {
  const listConversions = (currency: CurrencyCode) => {
    if (currency === 'USD') return []
    const value = values.find((each) => each.currency === currency)
    return value && wayToDollar(value)
  }
  const [from, to] = [listConversions(source), listConversions(target)]
  if (!from || !to) return undefined
  const back = to.toReversed().map(({ fix, isTurned }) => ({ fix, isTurned: !isTurned }))
  const isCanceled = (factor: Factor, factors: readonly Factor[]) =>
    factors.some((candidate) => isSameFix(candidate.fix, factor.fix) && candidate.isTurned !== factor.isTurned)
  return [...from.filter((factor) => !isCanceled(factor, back)), ...back.filter((factor) => !isCanceled(factor, from))]
}

const rateBetween = (...parts: Parameters<typeof factorsBetween>): Ratio | undefined => {
  const factors = factorsBetween(...parts)
  return factors && product(factors)
}

/** `1.0562`, or `891025 / 10562` if the decimal expansion is infinite. */
const rateFigure = (rate: Ratio): Figure => formatFigure(exactDigits(rate))

const minorRatio = (rate: Ratio, from: CurrencyCode, to: CurrencyCode): Ratio =>
  multiply(rate, ratio(10n ** BigInt(scaleOf(to)), 10n ** BigInt(scaleOf(from))))

const less = (rate: Ratio, partsPerMillion: bigint): Ratio => multiply(rate, ratio(million - partsPerMillion, million))

const percentDigits = (partsPerMillion: bigint): Digits => wholeDigits(partsPerMillion, 4)

/** Conversion: its exact product, and the rounded minor units. */
interface Conversion {
  readonly minor: bigint
  readonly line: ProofLine
}

interface Step {
  readonly minor: bigint
  readonly from: CurrencyCode
  readonly to: CurrencyCode
  readonly rate: Ratio
  readonly rounding: Rounding
  readonly name?: LineName
}

/** Multiplies by a rate, or divides by it if it is quoted for the opposite direction. */
function convertStep({ minor, from, to, rate, rounding, name = 'formula' }: Step, isDivided: boolean): Conversion {
  const applied = minorRatio(isDivided ? inverse(rate) : rate, from, to)
  const amount = formatFigure(wholeDigits(minor, scaleOf(from)))
  return {
    minor: scaleBy(minor, applied, rounding),
    line: {
      name,
      formula: [amount, isDivided ? '÷' : '×', rateFigure(rate)],
      value: cutAt(minor * applied.numerator, applied.denominator, scaleOf(to)),
      unit: to,
    },
  }
}

interface Amounts extends Pick<Recomputed, 'source' | 'target' | 'crossing'> {
  readonly lines: readonly ProofLine[]
}

/** Returns the source, bridge and target amounts. Undefined if the stablecoin's rate is missing. */
function computeAmounts(facts: PriceFacts, terms: NonNullable<PriceFacts['terms']>, rate: Ratio): Amounts | undefined {
  const { source_currency: from, target_currency: to, values } = facts
  const isFromSource = terms.side === 'source'
  const orderedMinor = isFromSource
    ? parseDecimal(from, terms.source_amount).minor
    : parseDecimal(to, terms.target_amount).minor
  if (terms.route !== 'stablecoin_bridge') {
    const step = isFromSource
      ? convertStep({ minor: orderedMinor, from, to, rate, rounding: 'down' }, false)
      : convertStep({ minor: orderedMinor, from: to, to: from, rate, rounding: 'up' }, true)
    const [source, target] = isFromSource ? [orderedMinor, step.minor] : [step.minor, orderedMinor]
    return { source, target, crossing: undefined, lines: [step.line] }
  }
  const bridge = bridgeCurrency
  const [midInto, midOut] = [rateBetween(values ?? [], from, bridge), rateBetween(values ?? [], bridge, to)]
  if (!midInto || !midOut) return undefined
  const spread = BigInt(terms.spread_parts_per_million)
  // The spread applies once: when money enters the stablecoin, or when it leaves it if the source is the stablecoin.
  const [into, out] = from === bridge ? [midInto, less(midOut, spread)] : [less(midInto, spread), midOut]
  const intoBridge = (minor: bigint) =>
    convertStep({ minor, from, to: bridge, rate: into, rounding: 'down', name: 'into_bridge' }, false)
  const neededFor = (minor: bigint) =>
    convertStep({ minor, from: to, to: bridge, rate: out, rounding: 'up', name: 'out_of_bridge' }, true)
  if (isFromSource) {
    const bought = intoBridge(orderedMinor)
    const sold = convertStep(
      { minor: bought.minor, from: bridge, to, rate: out, rounding: 'down', name: 'out_of_bridge' },
      false,
    )
    const crossing = { inflow: bought.minor, outflow: neededFor(sold.minor).minor }
    return { source: orderedMinor, target: sold.minor, crossing, lines: [bought.line, sold.line] }
  }
  const needed = neededFor(orderedMinor)
  const paid = convertStep({ minor: needed.minor, from: bridge, to: from, rate: into, rounding: 'up' }, true)
  const crossing = { inflow: intoBridge(paid.minor).minor, outflow: needed.minor }
  return {
    source: paid.minor,
    target: orderedMinor,
    crossing,
    lines: [needed.line, { ...paid.line, name: 'into_bridge' }],
  }
}

interface Priced extends Amounts {
  readonly mid: Ratio
  readonly fee: bigint
  readonly basisPoints: bigint
  readonly spread: bigint
}

/** Computes the fee, rounded half up to the minor unit. */
const feeOn = (source: bigint, basisPoints: bigint, terms: PriceFacts['terms']): bigint => {
  const listed = (2n * source * basisPoints + 10_000n) / 20_000n
  // The terms are trusted on whether the payment was free, but not on the amount of the fee.
  const isFree = terms === null || /^[0.]+$/.test(terms.fee)
  return listed > 0n || isFree ? listed : BigInt(terms.smallest_fee)
}

/** Returns fee, spread and rounding in the source currency's minor units, as fractions over one denominator. */
function costParts({ source, target, fee, mid, spread }: Priced, from: CurrencyCode, to: CurrencyCode) {
  const applied = minorRatio(mid, from, to)
  const denominator = applied.numerator * million
  const feePart = fee * denominator
  const spreadPart = source * spread * applied.numerator
  const worth = target * applied.denominator * million
  const all = feePart + source * denominator - worth
  return {
    feePart,
    spreadPart,
    roundingPart: all - feePart - spreadPart,
    all,
    denominator,
    whole: source * denominator,
  }
}

const roundedUp = (numerator: bigint, denominator: bigint): bigint =>
  numerator <= 0n ? 0n : (numerator + denominator - 1n) / denominator

function feeRung({ source, fee, basisPoints }: Priced, unit: CurrencyCode): Rung {
  const digits = (minor: bigint) => wholeDigits(minor, scaleOf(unit))
  const amount = formatFigure(digits(source))
  const exact = cutAt(source * basisPoints, 10_000n, scaleOf(unit))
  return {
    step: 'fee',
    result: { value: digits(fee), unit },
    lines: [
      { name: 'formula', formula: [amount, '×', rateFigure(ratio(basisPoints, 10_000n))], value: exact, unit },
      { name: 'total_paid', formula: [amount, '+', formatFigure(digits(fee))], value: digits(source + fee), unit },
    ],
  }
}

function costRung(priced: Priced, facts: PriceFacts, reference: Recomputed['reference'], cost: bigint): Rung {
  const { source_currency: from, target_currency: to } = facts
  const scale = scaleOf(from)
  const { feePart, spreadPart, roundingPart, denominator } = costParts(priced, from, to)
  const line = (name: LineName, numerator: bigint): ProofLine => ({
    name,
    formula: [],
    // Four digits beyond the minor unit, truncated.
    value: wholeDigits((numerator * 10_000n) / denominator, scale + 4),
    unit: from,
  })
  const isConverted = from !== to
  return {
    step: 'total_cost',
    result: { value: percentDigits(cost), unit: '%' },
    lines: [
      line('fee', feePart),
      ...(isConverted ? [line('spread', spreadPart), line('rounding', roundingPart)] : []),
      {
        name: 'together',
        formula: [formatFigure(wholeDigits(priced.source, scale))],
        value: percentDigits(cost),
        unit: '%',
      },
      ...(reference
        ? [
            {
              name: 'reference' as const,
              formula: [rateFigure(reference.rate)],
              value: percentDigits(reference.spreadPartsPerMillion),
              unit: '%',
            },
          ]
        : []),
    ],
  }
}

/** Returns the distance of a rate below the reference in parts per million, rounded half up; negative if above. */
export function spreadAgainst(reference: Ratio, rate: Ratio): bigint {
  const { numerator, denominator } = divide(rate, reference)
  const doubled = 2n * million * (denominator - numerator)
  return doubled >= 0n ? (doubled + denominator) / (2n * denominator) : -((-doubled + denominator) / (2n * denominator))
}

function compareReference(
  { reference_rate: stated, source_currency: from, target_currency: to }: PriceFacts,
  rate: Ratio,
) {
  const reference = stated?.values && rateBetween(stated.values, from, to)
  return reference ? { rate: reference, spreadPartsPerMillion: spreadAgainst(reference, rate) } : undefined
}

const fixLines = (values: readonly ProofValue[]): ProofLine[] =>
  values
    .flatMap(({ fixes }) => fixes)
    .filter((fix, index, all) => all.findIndex((candidate) => isSameFix(candidate, fix)) === index)
    .map((fix) => ({ name: 'fix', fix, formula: [], value: exactDigits(toRatio(fix.rate)), unit: fix.quote }))

/** Returns the formula of the rate between two currencies, such as `89.1025 ÷ 1.0562 = 891025 / 10562`. */
function crossFormula(factors: readonly Factor[], rate: Ratio): Figure[] {
  const straight = factors.filter(({ isTurned }) => !isTurned)
  const turned = factors.filter(({ isTurned }) => isTurned)
  const figure = ({ fix }: Factor) => rateFigure(toRatio(fix.rate))
  const first = straight.length > 0 ? [figure(straight[0] as Factor)] : ['1']
  const formula = [
    ...first,
    ...straight.slice(1).flatMap((factor) => ['×', figure(factor)]),
    ...turned.flatMap((factor) => ['÷', figure(factor)]),
  ]
  return [...formula, '=', `${rate.numerator} / ${rate.denominator}`]
}

function sameCurrency(facts: PriceFacts): Recomputed {
  const { source_currency: unit, terms, receipt } = facts
  const { minor: source } = parseDecimal(unit, terms?.source_amount ?? receipt.source_amount)
  const basisPoints = terms ? BigInt(terms.fee_basis_points) : feeBasisPoints.same_currency
  const fee = feeOn(source, basisPoints, terms)
  const priced = { source, target: source, crossing: undefined, lines: [], mid: one, fee, basisPoints, spread: 0n }
  const { all, whole } = costParts(priced, unit, unit)
  const cost = roundedUp(all * million, whole)
  return {
    ...{ source, target: source, crossing: undefined, midMarketRate: one, rate: one, fee, reference: undefined },
    ...{ costPartsPerMillion: cost, spreadPartsPerMillion: 0n, feeBasisPoints: basisPoints },
    rungs: [feeRung(priced, unit), costRung(priced, facts, undefined, cost)],
  }
}

/** Recomputes the price; undefined if its terms or one of their fixes are missing. */
export function recompute(facts: PriceFacts): Recomputed | undefined {
  const { source_currency: from, target_currency: to, terms, values } = facts
  if (from === to) return sameCurrency(facts)
  const factors = values && factorsBetween(values, from, to)
  if (!terms || !factors) return undefined
  const mid = product(factors)
  const spread = BigInt(terms.spread_parts_per_million)
  const rate = less(mid, spread)
  const amounts = computeAmounts(facts, terms, rate)
  if (!amounts) return undefined
  const basisPoints = BigInt(terms.fee_basis_points)
  const priced: Priced = { ...amounts, mid, spread, basisPoints, fee: feeOn(amounts.source, basisPoints, terms) }
  const { all, whole } = costParts(priced, from, to)
  const cost = roundedUp(all * million, whole)
  const reference = compareReference(facts, rate)
  const { source, target, crossing, lines, fee } = priced
  const isFromSource = terms.side === 'source'
  const [rounded, unit] = isFromSource ? [target, to] : [source, from]
  return {
    ...{ source, target, crossing, midMarketRate: mid, rate, fee, reference },
    ...{ costPartsPerMillion: cost, spreadPartsPerMillion: spread, feeBasisPoints: basisPoints },
    rungs: [
      { step: 'source_rate', lines: fixLines(values) },
      {
        step: 'cross_rate',
        lines: [{ name: 'formula', formula: crossFormula(factors, mid), value: exactDigits(mid) }],
      },
      {
        step: 'spread',
        lines: [
          {
            name: 'formula',
            formula: [rateFigure(mid), '×', rateFigure(ratio(million - spread, million))],
            value: exactDigits(rate),
          },
        ],
      },
      { step: 'amount', lines },
      {
        step: 'rounding',
        result: { value: wholeDigits(rounded, scaleOf(unit)), unit },
        lines: crossing
          ? [
              {
                name: 'residue',
                formula: [
                  formatFigure(wholeDigits(crossing.inflow, scaleOf(bridgeCurrency))),
                  '−',
                  formatFigure(wholeDigits(crossing.outflow, scaleOf(bridgeCurrency))),
                ],
                value: wholeDigits(crossing.inflow - crossing.outflow, scaleOf(bridgeCurrency)),
                unit: bridgeCurrency,
              },
            ]
          : [],
      },
      feeRung(priced, from),
      costRung(priced, facts, reference, cost),
    ],
  }
}
