// Compares a recomputed price with all records of the price: quote, receipt and ledger.

import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { type Ratio, ratio } from '@tern/money/ratio'
import type { PriceFacts, ProofStep, Verdict, WireFraction } from './proof.ts'
import { proofSteps } from './proof.ts'
import type { RecomputedPrice } from './recompute.ts'

/** Maximum time that a request may take between accepting a quote and moving the money. */
const graceMs = 30_000

type RecordKind = 'quote' | 'receipt' | 'ledger'

/** Recorded value that differs from the recomputed one. */
export interface Difference {
  readonly step: ProofStep
  readonly statedBy: RecordKind
  readonly stated: string | undefined
  readonly recomputed: string | undefined
}

const formatMinor = (currency: CurrencyCode, minor: bigint): string => toDecimal(money(currency, minor))
const formatFraction = ({ numerator, denominator }: Ratio): string => `${numerator} / ${denominator}`
const formatReducedFraction = ({ numerator, denominator }: WireFraction): string =>
  formatFraction(ratio(BigInt(numerator), BigInt(denominator)))

/** Checks the quote: its signature, and its acceptance before expiry. */
function* findQuoteDifferences({ terms }: PriceFacts): Generator<Difference> {
  if (!terms) return
  const quoteDifference = { step: 'quote', statedBy: 'quote', stated: undefined, recomputed: undefined } as const
  if (!terms.is_authentic) yield quoteDifference
  const [madeAt, expiresAt, acceptedAt] = [terms.made_at, terms.expires_at, terms.accepted_at].map((at) =>
    Date.parse(at),
  ) as [number, number, number]
  const isLate = acceptedAt > expiresAt + graceMs && !terms.may_be_late
  if (acceptedAt < madeAt - graceMs || isLate)
    yield { ...quoteDifference, stated: terms.accepted_at, recomputed: terms.expires_at }
}

/** Checks that all fixes were accepted, and received before the quote was made. */
function* findFixDifferences({ terms, values }: PriceFacts): Generator<Difference> {
  for (const { source, base, quote, received_at: receivedAt, is_accepted: isAccepted } of (values ?? []).flatMap(
    ({ fixes }) => fixes,
  )) {
    const wasKnownInTime = !terms || Date.parse(receivedAt) <= Date.parse(terms.made_at)
    if (isAccepted && wasKnownInTime) continue
    yield { step: 'source_rate', statedBy: 'quote', stated: `${source} ${base}/${quote}`, recomputed: undefined }
  }
}

interface Statement {
  readonly step: ProofStep
  readonly recomputed: string
  readonly recordedValues: Partial<Record<RecordKind, string | null | undefined>>
}

/** Normalizes a decimal to the scale of its currency, so that equal amounts are equal strings. */
const normalizeAmount = (currency: CurrencyCode, text: string | null | undefined) =>
  text === null || text === undefined ? text : formatMinor(currency, parseDecimal(currency, text).minor)

function listRateStatements({ terms, receipt }: PriceFacts, price: RecomputedPrice): Statement[] {
  return [
    {
      step: 'cross_rate',
      recomputed: formatFraction(price.midMarketRate),
      recordedValues: { quote: terms && formatReducedFraction(terms.mid_market_rate) },
    },
    {
      step: 'spread',
      recomputed: formatFraction(price.rate),
      recordedValues: {
        quote: terms && formatReducedFraction(terms.rate),
        receipt: receipt.rate && formatReducedFraction(receipt.rate),
      },
    },
  ]
}

/** Returns the stablecoin amounts and their rounding residue. */
function listBridgeStatements({ terms, receipt, ledger }: PriceFacts, { bridgeAmounts }: RecomputedPrice): Statement[] {
  if (!bridgeAmounts) return []
  const normalize = (amount: string | null | undefined) => normalizeAmount(bridgeCurrency, amount)
  const formatBridgeAmount = (minor: bigint) => formatMinor(bridgeCurrency, minor)
  return [
    {
      step: 'amount',
      recomputed: formatBridgeAmount(bridgeAmounts.inflow),
      recordedValues: { quote: normalize(terms?.inflow), receipt: normalize(receipt.stablecoin_amount) },
    },
    {
      step: 'rounding',
      recomputed: formatBridgeAmount(bridgeAmounts.outflow),
      recordedValues: { quote: normalize(terms?.outflow) },
    },
    {
      step: 'rounding',
      recomputed: formatBridgeAmount(bridgeAmounts.inflow - bridgeAmounts.outflow),
      recordedValues: { ledger: normalize(ledger?.residue) },
    },
  ]
}

function listStatements(facts: PriceFacts, price: RecomputedPrice): Statement[] {
  const { source_currency: from, target_currency: to, terms, receipt, ledger } = facts
  const toSourceAmount = (text: string | undefined) => normalizeAmount(from, text)
  const toTargetAmount = (text: string | undefined) => normalizeAmount(to, text)
  const isFromSource = terms?.side !== 'target'
  return [
    ...(from === to ? [] : listRateStatements(facts, price)),
    {
      step: isFromSource ? 'amount' : 'rounding',
      recomputed: formatMinor(from, price.source),
      recordedValues: {
        quote: toSourceAmount(terms?.source_amount),
        receipt: toSourceAmount(receipt.source_amount),
        ledger: toSourceAmount(ledger?.source_amount),
      },
    },
    {
      step: isFromSource ? 'rounding' : 'amount',
      recomputed: formatMinor(to, price.target),
      recordedValues: {
        quote: toTargetAmount(terms?.target_amount),
        receipt: toTargetAmount(receipt.target_amount),
        ledger: toTargetAmount(ledger?.target_amount),
      },
    },
    ...listBridgeStatements(facts, price),
    {
      step: 'fee',
      recomputed: formatMinor(from, price.fee),
      recordedValues: {
        quote: toSourceAmount(terms?.fee),
        receipt: toSourceAmount(receipt.fee),
        ledger: toSourceAmount(ledger?.fee),
      },
    },
    {
      step: 'total_cost',
      recomputed: price.costPartsPerMillion.toString(),
      recordedValues: { quote: terms?.cost_parts_per_million },
    },
  ]
}

/** Returns all differing records in step order. Missing ledger entries count as a difference: no money moved. */
export function findDifferences(facts: PriceFacts, price: RecomputedPrice): Difference[] {
  const differences: Difference[] = [...findQuoteDifferences(facts), ...findFixDifferences(facts)]
  for (const { step, recomputed, recordedValues } of listStatements(facts, price)) {
    for (const recordKind of ['quote', 'receipt', 'ledger'] as const) {
      const statedValue = recordedValues[recordKind]
      if (statedValue === undefined || statedValue === null || statedValue === recomputed) continue
      differences.push({ step, statedBy: recordKind, stated: statedValue, recomputed })
    }
  }
  if (!facts.ledger) {
    const target = formatMinor(facts.target_currency, price.target)
    differences.push({ step: 'rounding', statedBy: 'ledger', stated: undefined, recomputed: target })
  }
  return differences.toSorted((a, b) => proofSteps.indexOf(a.step) - proofSteps.indexOf(b.step))
}

const emptyVerdict = { step: null, stated_by: null, stated: null, recomputed: null, reason: null }

/** Returns whether quote, receipt and ledger agree with `price`, the result of `recompute` for the same facts. */
export function verifyPrice(facts: PriceFacts, price: RecomputedPrice | undefined): Verdict {
  if (facts.status !== 'COMPLETED') return { ...emptyVerdict, verdict: 'unchecked', reason: 'not_completed' }
  if (!price) {
    // Tampering takes precedence over missing data: altered terms may name fixes that do not exist.
    const [tampering] = [...findQuoteDifferences(facts)]
    if (tampering && facts.terms?.is_authentic === false) return toMismatchVerdict(tampering)
    return { ...emptyVerdict, verdict: 'unchecked', reason: facts.terms ? 'fix_missing' : 'terms_missing' }
  }
  const [first] = findDifferences(facts, price)
  return first ? toMismatchVerdict(first) : { ...emptyVerdict, verdict: 'match' }
}

const toMismatchVerdict = ({ step, statedBy, stated, recomputed }: Difference): Verdict => ({
  ...emptyVerdict,
  verdict: 'mismatch',
  step,
  stated_by: statedBy,
  stated: stated ?? null,
  recomputed: recomputed ?? null,
})
