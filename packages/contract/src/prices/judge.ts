// Compares a recomputed price with every record of it: the quote, the receipt and the ledger.

import { bridgeCurrency, type CurrencyCode } from '@tern/money/currency'
import { money, parseDecimal, toDecimal } from '@tern/money/money'
import { type Ratio, ratio } from '@tern/money/ratio'
import type { PriceFacts, ProofStep, Verdict, WireFraction } from './proof.ts'
import { proofSteps } from './proof.ts'
import type { Recomputed } from './recompute.ts'

/** Maximum duration of a request between accepting a quote and moving the money. */
const graceMs = 30_000

type Witness = 'quote' | 'receipt' | 'ledger'

/** Recorded value that differs from the recomputed one. */
export interface Difference {
  readonly step: ProofStep
  readonly statedBy: Witness
  readonly stated: string | undefined
  readonly recomputed: string | undefined
}

const formatMinor = (currency: CurrencyCode, minor: bigint): string => toDecimal(money(currency, minor))
const fractionText = ({ numerator, denominator }: Ratio): string => `${numerator} / ${denominator}`
const inLowestTerms = ({ numerator, denominator }: WireFraction): string =>
  fractionText(ratio(BigInt(numerator), BigInt(denominator)))

/** Checks the quote itself: its signature, and its acceptance before expiry. */
function* quoteDifferences({ terms }: PriceFacts): Generator<Difference> {
  if (!terms) return
  const plain = { step: 'quote', statedBy: 'quote', stated: undefined, recomputed: undefined } as const
  if (!terms.is_authentic) yield plain
  const [made, ends, accepted] = [terms.made_at, terms.expires_at, terms.accepted_at].map((at) => Date.parse(at)) as [
    number,
    number,
    number,
  ]
  const isLate = accepted > ends + graceMs && !terms.may_be_late
  if (accepted < made - graceMs || isLate) yield { ...plain, stated: terms.accepted_at, recomputed: terms.expires_at }
}

/** Checks that all fixes were accepted and known before the quote was made. */
function* fixDifferences({ terms, values }: PriceFacts): Generator<Difference> {
  for (const { source, base, quote, received_at: received, is_accepted: isAccepted } of (values ?? []).flatMap(
    ({ fixes }) => fixes,
  )) {
    const isKnown = !terms || Date.parse(received) <= Date.parse(terms.made_at)
    if (isAccepted && isKnown) continue
    yield { step: 'source_rate', statedBy: 'quote', stated: `${source} ${base}/${quote}`, recomputed: undefined }
  }
}

interface Statement {
  readonly step: ProofStep
  readonly recomputed: string
  readonly stated: Partial<Record<Witness, string | null | undefined>>
}

/** Normalizes decimals, so that equal amounts compare equal. */
const amountText = (currency: CurrencyCode, text: string | null | undefined) =>
  text === null || text === undefined ? text : formatMinor(currency, parseDecimal(currency, text).minor)

function rateStatements({ terms, receipt }: PriceFacts, price: Recomputed): Statement[] {
  return [
    {
      step: 'cross_rate',
      recomputed: fractionText(price.midMarketRate),
      stated: { quote: terms && inLowestTerms(terms.mid_market_rate) },
    },
    {
      step: 'spread',
      recomputed: fractionText(price.rate),
      stated: { quote: terms && inLowestTerms(terms.rate), receipt: receipt.rate && inLowestTerms(receipt.rate) },
    },
  ]
}

/** Returns the stablecoin amounts and their rounding residue. */
function bridgeStatements({ terms, receipt, ledger }: PriceFacts, { crossing }: Recomputed): Statement[] {
  if (!crossing) return []
  const text = (amount: string | null | undefined) => amountText(bridgeCurrency, amount)
  const decimal = (minor: bigint) => formatMinor(bridgeCurrency, minor)
  return [
    {
      step: 'amount',
      recomputed: decimal(crossing.inflow),
      stated: { quote: text(terms?.inflow), receipt: text(receipt.stablecoin_amount) },
    },
    { step: 'rounding', recomputed: decimal(crossing.outflow), stated: { quote: text(terms?.outflow) } },
    {
      step: 'rounding',
      recomputed: decimal(crossing.inflow - crossing.outflow),
      stated: { ledger: text(ledger?.residue) },
    },
  ]
}

function listStatements(facts: PriceFacts, price: Recomputed): Statement[] {
  const { source_currency: from, target_currency: to, terms, receipt, ledger } = facts
  const inSource = (text: string | undefined) => amountText(from, text)
  const inTarget = (text: string | undefined) => amountText(to, text)
  const isFromSource = terms?.side !== 'target'
  return [
    ...(from === to ? [] : rateStatements(facts, price)),
    {
      step: isFromSource ? 'amount' : 'rounding',
      recomputed: formatMinor(from, price.source),
      stated: {
        quote: inSource(terms?.source_amount),
        receipt: inSource(receipt.source_amount),
        ledger: inSource(ledger?.source_amount),
      },
    },
    {
      step: isFromSource ? 'rounding' : 'amount',
      recomputed: formatMinor(to, price.target),
      stated: {
        quote: inTarget(terms?.target_amount),
        receipt: inTarget(receipt.target_amount),
        ledger: inTarget(ledger?.target_amount),
      },
    },
    ...bridgeStatements(facts, price),
    {
      step: 'fee',
      recomputed: formatMinor(from, price.fee),
      stated: { quote: inSource(terms?.fee), receipt: inSource(receipt.fee), ledger: inSource(ledger?.fee) },
    },
    {
      step: 'total_cost',
      recomputed: price.costPartsPerMillion.toString(),
      stated: { quote: terms?.cost_parts_per_million },
    },
  ]
}

/** Returns all differing records in step order. Missing ledger entries count as a difference: no money moved. */
export function findDifferences(facts: PriceFacts, price: Recomputed): Difference[] {
  const found: Difference[] = [...quoteDifferences(facts), ...fixDifferences(facts)]
  for (const { step, recomputed, stated } of listStatements(facts, price)) {
    for (const witness of ['quote', 'receipt', 'ledger'] as const) {
      const says = stated[witness]
      if (says === undefined || says === null || says === recomputed) continue
      found.push({ step, statedBy: witness, stated: says, recomputed })
    }
  }
  if (!facts.ledger) {
    const target = formatMinor(facts.target_currency, price.target)
    found.push({ step: 'rounding', statedBy: 'ledger', stated: undefined, recomputed: target })
  }
  return found.toSorted((a, b) => proofSteps.indexOf(a.step) - proofSteps.indexOf(b.step))
}

const nothing = { step: null, stated_by: null, stated: null, recomputed: null, reason: null }

/** Judges whether quote, receipt and ledger agree with `price`, the result of `recompute` for the same facts. */
export function judge(facts: PriceFacts, price: Recomputed | undefined): Verdict {
  if (facts.status !== 'COMPLETED') return { ...nothing, verdict: 'unchecked', reason: 'not_completed' }
  if (!price) {
    // Tampering takes precedence over missing data: altered terms may name other fixes.
    const [altered] = [...quoteDifferences(facts)]
    if (altered && facts.terms?.is_authentic === false) return mismatch(altered)
    return { ...nothing, verdict: 'unchecked', reason: facts.terms ? 'fix_missing' : 'terms_missing' }
  }
  const [first] = findDifferences(facts, price)
  return first ? mismatch(first) : { ...nothing, verdict: 'match' }
}

const mismatch = ({ step, statedBy, stated, recomputed }: Difference): Verdict => ({
  ...nothing,
  verdict: 'mismatch',
  step,
  stated_by: statedBy,
  stated: stated ?? null,
  recomputed: recomputed ?? null,
})
