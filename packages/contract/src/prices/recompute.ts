// Recomputes a price step by step from the published rates. Shares only constants and exact arithmetic with the pricing
// code, and never reads the stored rate. Server, command line and page use this module.

import { bridgeCurrency, type CurrencyCode, scaleOf } from '@tern/money/currency'
import { feeBasisPoints } from '@tern/money/fee'
import { parseDecimal } from '@tern/money/money'
import { divide, inverse, multiply, type Ratio, ratio, type Rounding, scaleBy } from '@tern/money/ratio'
import {
  truncateFraction,
  type Digits,
  expandFraction,
  type Figure,
  formatFigure,
  formatMinorDigits,
} from './digits.ts'
import type { PriceFacts, ProofFix, ProofStep, ProofValue, WireFraction } from './proof.ts'

export type ProofLineName =
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

/** Line of a step: a formula, which alternates between numbers and operators, and its value. */
export interface ProofLine {
  readonly name: ProofLineName
  readonly fix?: ProofFix
  readonly formula: readonly Figure[]
  readonly value: Digits
  /** Currency code or `%`. */
  readonly unit?: string
}

export interface PriceStep {
  readonly step: Exclude<ProofStep, 'quote'>
  readonly lines: readonly ProofLine[]
  readonly result?: { readonly value: Digits; readonly unit: string }
}

/** Recomputed price; amounts in minor units. */
export interface RecomputedPrice {
  readonly steps: readonly PriceStep[]
  readonly midMarketRate: Ratio
  readonly rate: Ratio
  readonly source: bigint
  readonly target: bigint
  readonly bridgeAmounts: { readonly inflow: bigint; readonly outflow: bigint } | undefined
  readonly fee: bigint
  readonly costPartsPerMillion: bigint
  readonly spreadPartsPerMillion: bigint
  readonly feeBasisPoints: bigint
  /** Euro reference rate, and the distance of the rate below it in parts per million; negative if above. */
  readonly reference: { readonly rate: Ratio; readonly spreadPartsPerMillion: bigint } | undefined
}

const unity = ratio(1n, 1n)
const million = 1_000_000n

const toRatio = ({ numerator, denominator }: WireFraction): Ratio => ratio(BigInt(numerator), BigInt(denominator))

/** Fix used as a factor of a rate; `isInverted` if its inverse is used. */
interface Factor {
  readonly fix: ProofFix
  readonly isInverted: boolean
}

/** Returns the chain of fixes from a currency to the dollar; undefined if the fixes do not lead there. */
function findDollarChain({ currency, fixes }: ProofValue): Factor[] | undefined {
  let at: CurrencyCode = currency
  const chain: Factor[] = []
  for (const fix of fixes) {
    if (fix.base !== at && fix.quote !== at) return undefined
    const isInverted = fix.base !== at
    chain.push({ fix, isInverted })
    at = isInverted ? fix.base : fix.quote
  }
  return at === 'USD' ? chain : undefined
}

const multiplyFactors = (factors: readonly Factor[]): Ratio =>
  factors.reduce((value, { fix, isInverted }) => {
    const rate = toRatio(fix.rate)
    return multiply(value, isInverted ? inverse(rate) : rate)
  }, unity)

const isSameFix = (a: ProofFix, b: ProofFix): boolean =>
  a.source === b.source && a.base === b.base && a.quote === b.quote && a.as_of === b.as_of

/** Returns the factors of a cross rate, without fixes that cancel out; undefined if either chain is missing. */
function findFactors(values: readonly ProofValue[], source: CurrencyCode, target: CurrencyCode): Factor[] | undefined {
  const findChain = (currency: CurrencyCode) => {
    if (currency === 'USD') return []
    const value = values.find((candidate) => candidate.currency === currency)
    return value && findDollarChain(value)
  }
  const [from, to] = [findChain(source), findChain(target)]
  if (!from || !to) return undefined
  const invertedTargetFactors = to.toReversed().map(({ fix, isInverted }) => ({ fix, isInverted: !isInverted }))
  const isCanceled = (factor: Factor, factors: readonly Factor[]) =>
    factors.some((candidate) => isSameFix(candidate.fix, factor.fix) && candidate.isInverted !== factor.isInverted)
  return [
    ...from.filter((factor) => !isCanceled(factor, invertedTargetFactors)),
    ...invertedTargetFactors.filter((factor) => !isCanceled(factor, from)),
  ]
}

const findRate = (...input: Parameters<typeof findFactors>): Ratio | undefined => {
  const factors = findFactors(...input)
  return factors && multiplyFactors(factors)
}

/** Formats a rate: `1.0562`, or `84.361389888278…` if it has more than twelve places. */
const formatRate = (rate: Ratio): Figure => formatFigure(expandFraction(rate))

const minorRatio = (rate: Ratio, from: CurrencyCode, to: CurrencyCode): Ratio =>
  multiply(rate, ratio(10n ** BigInt(scaleOf(to)), 10n ** BigInt(scaleOf(from))))

const reduceRate = (rate: Ratio, partsPerMillion: bigint): Ratio =>
  multiply(rate, ratio(million - partsPerMillion, million))

const percentDigits = (partsPerMillion: bigint): Digits => formatMinorDigits(partsPerMillion, 4)

/** Exact product of a conversion, and its result in minor units, rounded. */
interface Conversion {
  readonly minor: bigint
  readonly line: ProofLine
}

interface ConversionStep {
  readonly minor: bigint
  readonly from: CurrencyCode
  readonly to: CurrencyCode
  readonly rate: Ratio
  readonly rounding: Rounding
  readonly name?: ProofLineName
}

/** Multiplies by a rate, or divides by it if `isDivided`: the rate is then quoted for the opposite direction. */
function convertStep(
  { minor, from, to, rate, rounding, name = 'formula' }: ConversionStep,
  isDivided: boolean,
): Conversion {
  const minorRate = minorRatio(isDivided ? inverse(rate) : rate, from, to)
  const amount = formatFigure(formatMinorDigits(minor, scaleOf(from)))
  return {
    minor: scaleBy(minor, minorRate, rounding),
    line: {
      name,
      formula: [amount, isDivided ? '÷' : '×', formatRate(rate)],
      value: truncateFraction(minor * minorRate.numerator, minorRate.denominator, scaleOf(to)),
      unit: to,
    },
  }
}

interface Amounts extends Pick<RecomputedPrice, 'source' | 'target' | 'bridgeAmounts'> {
  readonly lines: readonly ProofLine[]
}

/** Returns the source, bridge and target amounts; undefined if a rate into or out of the stablecoin is missing. */
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
    return { source, target, bridgeAmounts: undefined, lines: [step.line] }
  }
  const bridge = bridgeCurrency
  const [midRateIntoBridge, midRateOutOfBridge] = [
    findRate(values ?? [], from, bridge),
    findRate(values ?? [], bridge, to),
  ]
  if (!midRateIntoBridge || !midRateOutOfBridge) return undefined
  const spread = BigInt(terms.spread_parts_per_million)
  // The spread applies once: on entering the stablecoin or, if the source is the stablecoin, on leaving it.
  const [rateIntoBridge, rateOutOfBridge] =
    from === bridge
      ? [midRateIntoBridge, reduceRate(midRateOutOfBridge, spread)]
      : [reduceRate(midRateIntoBridge, spread), midRateOutOfBridge]
  const convertIntoBridge = (minor: bigint) =>
    convertStep({ minor, from, to: bridge, rate: rateIntoBridge, rounding: 'down', name: 'into_bridge' }, false)
  const convertTargetToBridge = (minor: bigint) =>
    convertStep({ minor, from: to, to: bridge, rate: rateOutOfBridge, rounding: 'up', name: 'out_of_bridge' }, true)
  if (isFromSource) {
    const bridgeStep = convertIntoBridge(orderedMinor)
    const targetStep = convertStep(
      { minor: bridgeStep.minor, from: bridge, to, rate: rateOutOfBridge, rounding: 'down', name: 'out_of_bridge' },
      false,
    )
    const bridgeAmounts = { inflow: bridgeStep.minor, outflow: convertTargetToBridge(targetStep.minor).minor }
    return { source: orderedMinor, target: targetStep.minor, bridgeAmounts, lines: [bridgeStep.line, targetStep.line] }
  }
  const bridgeStep = convertTargetToBridge(orderedMinor)
  const sourceStep = convertStep(
    { minor: bridgeStep.minor, from: bridge, to: from, rate: rateIntoBridge, rounding: 'up' },
    true,
  )
  const bridgeAmounts = { inflow: convertIntoBridge(sourceStep.minor).minor, outflow: bridgeStep.minor }
  return {
    source: sourceStep.minor,
    target: orderedMinor,
    bridgeAmounts,
    lines: [bridgeStep.line, { ...sourceStep.line, name: 'into_bridge' }],
  }
}

interface PricedAmounts extends Amounts {
  readonly mid: Ratio
  readonly fee: bigint
  readonly basisPoints: bigint
  readonly spread: bigint
}

/** Computes the fee, rounded half up to the minor unit. */
const computeFee = (source: bigint, basisPoints: bigint, terms: PriceFacts['terms']): bigint => {
  const roundedFee = (2n * source * basisPoints + 10_000n) / 20_000n
  // `terms.fee` only shows whether the payment was free; the fee itself is recomputed.
  const isFree = terms === null || /^[0.]+$/.test(terms.fee)
  return roundedFee > 0n || isFree ? roundedFee : BigInt(terms.smallest_fee)
}

/** Returns fee, spread and rounding in the source currency's minor units, as fractions over one denominator. */
function splitCost({ source, target, fee, mid, spread }: PricedAmounts, from: CurrencyCode, to: CurrencyCode) {
  const midRatio = minorRatio(mid, from, to)
  const denominator = midRatio.numerator * million
  const feePart = fee * denominator
  const spreadPart = source * spread * midRatio.numerator
  const scaledTarget = target * midRatio.denominator * million
  const totalCost = feePart + source * denominator - scaledTarget
  return {
    feePart,
    spreadPart,
    roundingPart: totalCost - feePart - spreadPart,
    totalCost,
    denominator,
    totalSource: source * denominator,
  }
}

const divideRoundingUp = (numerator: bigint, denominator: bigint): bigint =>
  numerator <= 0n ? 0n : (numerator + denominator - 1n) / denominator

function buildFeeStep({ source, fee, basisPoints }: PricedAmounts, unit: CurrencyCode): PriceStep {
  const digits = (minor: bigint) => formatMinorDigits(minor, scaleOf(unit))
  const amount = formatFigure(digits(source))
  const exactFee = truncateFraction(source * basisPoints, 10_000n, scaleOf(unit))
  return {
    step: 'fee',
    result: { value: digits(fee), unit },
    lines: [
      { name: 'formula', formula: [amount, '×', formatRate(ratio(basisPoints, 10_000n))], value: exactFee, unit },
      { name: 'total_paid', formula: [amount, '+', formatFigure(digits(fee))], value: digits(source + fee), unit },
    ],
  }
}

function buildCostStep(
  pricedAmounts: PricedAmounts,
  facts: PriceFacts,
  reference: RecomputedPrice['reference'],
  cost: bigint,
): PriceStep {
  const { source_currency: from, target_currency: to } = facts
  const scale = scaleOf(from)
  const { feePart, spreadPart, roundingPart, denominator } = splitCost(pricedAmounts, from, to)
  const line = (name: ProofLineName, numerator: bigint): ProofLine => ({
    name,
    formula: [],
    // Truncated to four digits beyond the minor unit.
    value: formatMinorDigits((numerator * 10_000n) / denominator, scale + 4),
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
        formula: [formatFigure(formatMinorDigits(pricedAmounts.source, scale))],
        value: percentDigits(cost),
        unit: '%',
      },
      ...(reference
        ? [
            {
              name: 'reference' as const,
              formula: [formatRate(reference.rate)],
              value: percentDigits(reference.spreadPartsPerMillion),
              unit: '%',
            },
          ]
        : []),
    ],
  }
}

/** Returns how far a rate is below the reference in parts per million, rounded half away from 0; negative if above. */
export function computeSpread(reference: Ratio, rate: Ratio): bigint {
  const { numerator, denominator } = divide(rate, reference)
  const doubledSpread = 2n * million * (denominator - numerator)
  return doubledSpread >= 0n
    ? (doubledSpread + denominator) / (2n * denominator)
    : -((-doubledSpread + denominator) / (2n * denominator))
}

function compareReference(
  { reference_rate: referenceRate, source_currency: from, target_currency: to }: PriceFacts,
  rate: Ratio,
) {
  const reference = referenceRate?.values && findRate(referenceRate.values, from, to)
  return reference ? { rate: reference, spreadPartsPerMillion: computeSpread(reference, rate) } : undefined
}

const listFixLines = (values: readonly ProofValue[]): ProofLine[] =>
  values
    .flatMap(({ fixes }) => fixes)
    .filter((fix, index, all) => all.findIndex((candidate) => isSameFix(candidate, fix)) === index)
    .map((fix) => ({ name: 'fix', fix, formula: [], value: expandFraction(toRatio(fix.rate)), unit: fix.quote }))

/** Returns the formula of the rate between two currencies, such as `89.1025 ÷ 1.0562 = 891025 / 10562`. */
function formatCrossFormula(factors: readonly Factor[], rate: Ratio): Figure[] {
  const multipliers = factors.filter(({ isInverted }) => !isInverted)
  const divisors = factors.filter(({ isInverted }) => isInverted)
  const formatFactor = ({ fix }: Factor) => formatRate(toRatio(fix.rate))
  const first = multipliers.length > 0 ? [formatFactor(multipliers[0] as Factor)] : ['1']
  const formula = [
    ...first,
    ...multipliers.slice(1).flatMap((factor) => ['×', formatFactor(factor)]),
    ...divisors.flatMap((factor) => ['÷', formatFactor(factor)]),
  ]
  return [...formula, '=', `${rate.numerator} / ${rate.denominator}`]
}

function recomputeSameCurrency(facts: PriceFacts): RecomputedPrice {
  const { source_currency: unit, terms, receipt } = facts
  const { minor: source } = parseDecimal(unit, terms?.source_amount ?? receipt.source_amount)
  const basisPoints = terms ? BigInt(terms.fee_basis_points) : feeBasisPoints.same_currency
  const fee = computeFee(source, basisPoints, terms)
  const pricedAmounts = {
    source,
    target: source,
    bridgeAmounts: undefined,
    lines: [],
    mid: unity,
    fee,
    basisPoints,
    spread: 0n,
  }
  const { totalCost, totalSource } = splitCost(pricedAmounts, unit, unit)
  const cost = divideRoundingUp(totalCost * million, totalSource)
  return {
    ...{
      source,
      target: source,
      bridgeAmounts: undefined,
      midMarketRate: unity,
      rate: unity,
      fee,
      reference: undefined,
    },
    ...{ costPartsPerMillion: cost, spreadPartsPerMillion: 0n, feeBasisPoints: basisPoints },
    steps: [buildFeeStep(pricedAmounts, unit), buildCostStep(pricedAmounts, facts, undefined, cost)],
  }
}

/** Recomputes the price; undefined for a conversion whose terms or fixes are missing. */
export function recompute(facts: PriceFacts): RecomputedPrice | undefined {
  const { source_currency: from, target_currency: to, terms, values } = facts
  if (from === to) return recomputeSameCurrency(facts)
  const factors = values && findFactors(values, from, to)
  if (!terms || !factors) return undefined
  const mid = multiplyFactors(factors)
  const spread = BigInt(terms.spread_parts_per_million)
  const rate = reduceRate(mid, spread)
  const amounts = computeAmounts(facts, terms, rate)
  if (!amounts) return undefined
  const basisPoints = BigInt(terms.fee_basis_points)
  const pricedAmounts: PricedAmounts = {
    ...amounts,
    mid,
    spread,
    basisPoints,
    fee: computeFee(amounts.source, basisPoints, terms),
  }
  const { totalCost, totalSource } = splitCost(pricedAmounts, from, to)
  const cost = divideRoundingUp(totalCost * million, totalSource)
  const reference = compareReference(facts, rate)
  const { source, target, bridgeAmounts, lines, fee } = pricedAmounts
  const isFromSource = terms.side === 'source'
  const [roundedMinor, unit] = isFromSource ? [target, to] : [source, from]
  return {
    ...{ source, target, bridgeAmounts, midMarketRate: mid, rate, fee, reference },
    ...{ costPartsPerMillion: cost, spreadPartsPerMillion: spread, feeBasisPoints: basisPoints },
    steps: [
      { step: 'source_rate', lines: listFixLines(values) },
      {
        step: 'cross_rate',
        lines: [{ name: 'formula', formula: formatCrossFormula(factors, mid), value: expandFraction(mid) }],
      },
      {
        step: 'spread',
        lines: [
          {
            name: 'formula',
            formula: [formatRate(mid), '×', formatRate(ratio(million - spread, million))],
            value: expandFraction(rate),
          },
        ],
      },
      { step: 'amount', lines },
      {
        step: 'rounding',
        result: { value: formatMinorDigits(roundedMinor, scaleOf(unit)), unit },
        lines: bridgeAmounts
          ? [
              {
                name: 'residue',
                formula: [
                  formatFigure(formatMinorDigits(bridgeAmounts.inflow, scaleOf(bridgeCurrency))),
                  '−',
                  formatFigure(formatMinorDigits(bridgeAmounts.outflow, scaleOf(bridgeCurrency))),
                ],
                value: formatMinorDigits(bridgeAmounts.inflow - bridgeAmounts.outflow, scaleOf(bridgeCurrency)),
                unit: bridgeCurrency,
              },
            ]
          : [],
      },
      buildFeeStep(pricedAmounts, from),
      buildCostStep(pricedAmounts, facts, reference, cost),
    ],
  }
}
