// Contents of a transaction's receipt in reading order, the same on page, PDF and image.

import type { InAnyLanguage } from '@tern/messages/message'
import type { receipt as texts } from '@tern/messages/en/receipt'
import { type CountryPlace, findCountryPlace } from '@tern/drawing/country-places'
import type { End } from '@tern/drawing/sheet'
import { deriveReference } from '../protocol/transaction-reference.ts'
import type { Receipt } from '../transactions.ts'
import { isEstimate } from '../transfers/estimate.ts'
import { findFeeRate } from './fee-rate.ts'
import { describeConversion, listIssuerLines, describePayment, computeTotal } from './receipt-origin.ts'

/** Texts of a receipt, and formats of its figures and times, in the reader's language. */
export interface ReceiptFormat {
  readonly texts: InAnyLanguage<typeof texts>
  /** Returns the name of a country by its ISO 3166-1 alpha-2 code. */
  readonly country: (code: string) => string
  /** Time zone used for people without a known country, or with a country of several time zones. */
  readonly zone: string
  readonly money: (amount: string, currency: string) => string
  readonly rate: (rate: string, source: string, target: string) => string
  /** Formats basis points, such as "0.5%". */
  readonly percent: (basisPoints: bigint) => string
  /** Formats a date such as "Nov 20, 2026"; `clock` formats a time such as "09:15:02 EST". Both in the given zone. */
  readonly date: (at: Date, zone: string) => string
  readonly clock: (at: Date, zone: string) => string
}

export interface ReceiptFigure {
  readonly caption: string
  readonly amount: string
}

/** One side of the payment: person, place and time. */
export interface ReceiptParty {
  readonly label: string
  readonly name: string | undefined
  readonly lines: readonly string[]
  readonly timeLines: readonly string[]
}

export interface ReceiptLine {
  readonly term: string
  readonly value: string
  readonly isTotal?: boolean
}

/** Country of verified residence. */
export interface ReceiptCountry {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  readonly name: string
}

export interface ReceiptMap {
  readonly from: End
  readonly to: End
  /** False if both ends are in the same country. */
  readonly isRoute: boolean
  readonly isDelivered: boolean
  /** Text alternative of the map. */
  readonly sentence: string
}

export interface ReceiptSheet {
  readonly reference: string
  readonly issued: string
  /** Issuer line, and the note that receipts cannot be altered. */
  readonly issuer: readonly string[]
  readonly kind: string
  readonly title: string
  readonly summary: string
  readonly paid: ReceiptFigure
  readonly received: ReceiptFigure
  readonly parties: readonly [ReceiptParty, ReceiptParty]
  /** Name and amount of each payment source; empty for a payee. */
  readonly paymentSources: readonly ReceiptLine[]
  /** Verified countries of payer and payee; undefined if unknown, not on the map, or without a counterparty. */
  readonly countries: readonly [from: ReceiptCountry | undefined, to: ReceiptCountry | undefined]
  readonly price: readonly ReceiptLine[]
  /** Steps of a conversion through a stablecoin; empty for any other conversion. */
  readonly conversion: readonly ReceiptLine[]
  /** Text by the sender, with its line breaks. */
  readonly description: string
  readonly details: readonly ReceiptLine[]
  readonly map: ReceiptMap | undefined
  readonly notes: readonly string[]
  /** Page on which the payer can recompute the price; undefined for anyone else. */
  readonly proofUrl: string | undefined
}

/** Time zone of the European Central Bank, in which its fixings are dated. */
const fixZone = 'Europe/Berlin'

const isInitials = (name: string): boolean => name.split(' ').every((word) => word.endsWith('.'))

interface Person {
  readonly username: string
  readonly name: string | null
  readonly country: string | null
}

/** Returns the first name, or the username if only initials are known. */
function shortName({ name, username }: Omit<Person, 'country'>): string {
  return name && !isInitials(name) ? (name.split(' ')[0] ?? username) : username
}

const fullName = ({ name, username }: Person): string =>
  name === null ? username : isInitials(name) ? `${name} (${username})` : name

/** Returns payer and payee; both are the owner if there is no counterparty. */
function resolvePeople({ transaction, owner }: Receipt): readonly [Person, Person] {
  const { counterparty, transaction_type: type } = transaction
  if (!counterparty) return [owner, owner]
  return type === 'RECEIVE' ? [counterparty, owner] : [owner, counterparty]
}

const isZero = (amount: string): boolean => !/[1-9]/.test(amount)

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const

const countUnits = (ms: number, unit: number): { count: number } => ({ count: Math.floor(ms / unit) }) // not money: a time

/** Formats a duration such as "68 seconds", in a unit that suits its length. */
export function formatDuration(ms: number, { time }: ReceiptFormat['texts']): string {
  if (ms < second) return time.instant
  if (ms < 2 * minute) return time.seconds(countUnits(ms, second))
  if (ms < 2 * hour) return time.minutes(countUnits(ms, minute))
  return ms < 2 * day ? time.hours(countUnits(ms, hour)) : time.days(countUnits(ms, day))
}

function describeFigures(receipt: Receipt, { texts, money }: ReceiptFormat): readonly [ReceiptFigure, ReceiptFigure] {
  const { transaction } = receipt
  const [payer, payee] = resolvePeople(receipt).map(shortName)
  const { status, transaction_type: type, source_currency: source, target_currency: target } = transaction
  const [name, recipient] = [{ name: payer ?? '' }, { name: payee ?? '' }]
  const isCompleted = status === 'COMPLETED'
  const formatReceives = isEstimate(transaction) ? texts.getsAbout : texts.gets
  const isReceived = type === 'RECEIVE'
  const paid = isCompleted
    ? isReceived
      ? texts.sent(name)
      : texts.paid(name)
    : status === 'FAILED'
      ? texts.ordered
      : isReceived
        ? texts.sends(name)
        : texts.pays(name)
  const receivedText = isCompleted
    ? texts.got(recipient)
    : status === 'FAILED'
      ? texts.notDelivered
      : formatReceives(recipient)
  return [
    { caption: paid, amount: money(computeTotal(transaction), source) },
    { caption: receivedText, amount: money(transaction.target_amount, target) },
  ]
}

interface Site extends ReceiptCountry {
  readonly place: CountryPlace
}

function locatePerson({ country }: Person, format: ReceiptFormat): Site | undefined {
  const place = findCountryPlace(country)
  return country !== null && place ? { code: country, name: format.country(country), place } : undefined
}

/** Returns the verified countries of payer and payee; both undefined without a counterparty. */
function locatePeople(receipt: Receipt, format: ReceiptFormat): readonly [Site | undefined, Site | undefined] {
  if (!receipt.transaction.counterparty) return [undefined, undefined]
  const [payer, payee] = resolvePeople(receipt)
  return [locatePerson(payer, format), locatePerson(payee, format)]
}

/** Returns the map between two known countries; undefined if either is unknown, or for a failed payment. */
function buildMap(receipt: Receipt, deliveredAt: Date | undefined, format: ReceiptFormat): ReceiptMap | undefined {
  const [from, to] = locatePeople(receipt, format)
  const { status, timestamp } = receipt.transaction
  if (!from || !to || status === 'FAILED') return undefined
  const { texts, clock } = format
  const buildEnd = ({ code, name, place }: Site, time: Date | undefined): End => ({
    code,
    name,
    place,
    notes: time && place.zone !== undefined ? [clock(time, place.zone)] : [],
  })
  const isRoute = from.code !== to.code
  return {
    from: buildEnd(from, new Date(timestamp)),
    to: buildEnd(to, deliveredAt),
    isRoute,
    isDelivered: status === 'COMPLETED',
    sentence: isRoute ? texts.map({ from: from.name, to: to.name }) : texts.mapWithin({ country: to.name }),
  }
}

function buildTitle(receipt: Receipt, format: ReceiptFormat): string {
  const { texts } = format
  const { transaction_type: type, source_currency: source, target_currency: target } = receipt.transaction
  const [from, to] = locatePeople(receipt, format)
  if (from && to && from.code !== to.code) return texts.fromTo({ from: from.name, to: to.name })
  if (type === 'EXCHANGE') return texts.fromTo({ from: source, to: target })
  if (type !== 'SEND' && type !== 'RECEIVE') return texts.kinds[type]
  const [payer, payee] = resolvePeople(receipt).map(shortName)
  return texts.fromTo({ from: payer ?? '', to: payee ?? '' })
}

function buildSummary(receipt: Receipt, deliveredAt: Date | undefined, { texts }: ReceiptFormat): string {
  const { status, timestamp } = receipt.transaction
  if (status !== 'COMPLETED') return status === 'PENDING' ? texts.pending : texts.failed
  if (!deliveredAt) return texts.statuses.COMPLETED
  return texts.arrivedIn({ time: formatDuration(deliveredAt.getTime() - new Date(timestamp).getTime(), texts) })
}

function describeParties(
  receipt: Receipt,
  deliveredAt: Date | undefined,
  format: ReceiptFormat,
): readonly [ReceiptParty, ReceiptParty] {
  const { texts, date, clock } = format
  const { transaction } = receipt
  const sites = locatePeople(receipt, format)
  const people = transaction.counterparty ? resolvePeople(receipt) : undefined
  const times = [new Date(transaction.timestamp), deliveredAt]
  const labels = people ? [texts.from, texts.to] : [texts.started, texts.arrived]
  const buildParty = (side: 0 | 1): ReceiptParty => {
    const site = sites[side]
    const person = people?.[side]
    const time = times[side]
    const zone = site?.place.zone ?? format.zone
    return {
      label: labels[side] ?? '',
      name: person && fullName(person),
      lines: site ? [site.name] : [],
      timeLines: time ? [date(time, zone), clock(time, zone)] : [texts.statuses[transaction.status]],
    }
  }
  return [buildParty(0), buildParty(1)]
}

/**
 * Returns the source of the rate, and the distance of the rate from the euro reference rate or, without one, from
 * mid-market.
 */
function describeEvidence({ price, transaction }: Receipt, { texts, date }: ReceiptFormat): ReceiptLine[] {
  if (!price || transaction.source_currency === transaction.target_currency) return []
  const { rate_source: source, rate_as_of: asOf, reference_as_of: fixedAt, spread_to_reference_percent: spread } = price
  const names: Readonly<Partial<Record<string, string>>> = texts.rateSources
  const sources = source.split('+').map((name) => names[name] ?? name)
  const formatSigned = (percent: string) => (percent.startsWith('-') ? `− ${percent.slice(1)}%` : `+ ${percent}%`)
  const comparisonText =
    fixedAt !== null && spread !== null
      ? texts.againstFix({ date: date(new Date(fixedAt), fixZone), spread: formatSigned(spread) })
      : texts.againstMidMarket({ spread: formatSigned(price.spread_percent) })
  return [
    { term: texts.rateSource, value: `${sources.join(', ')}, ${date(new Date(asOf), fixZone)}` },
    { term: texts.spread, value: comparisonText },
  ]
}

/** Formats the label of the fee, such as "Fee, 1%"; without the percentage if the fee matches no list rate. */
function formatFeeTerm(transaction: Receipt['transaction'], { texts, percent }: ReceiptFormat): string {
  const rate = findFeeRate(transaction)
  return rate === undefined ? texts.fee : texts.feeAt({ percent: percent(rate) })
}

function describePrice({ transaction, price }: Receipt, format: ReceiptFormat): ReceiptLine[] {
  const { texts, money, rate } = format
  const { source_amount: amount, source_currency: source, target_currency: target, fee } = transaction
  const hasFee = !isZero(fee)
  const totalTerm = transaction.status === 'COMPLETED' ? texts.totalPaid : texts.totalToPay
  return [
    { term: texts.amount, value: money(amount, source) },
    ...(hasFee ? [{ term: formatFeeTerm(transaction, format), value: money(fee, transaction.fee_currency) }] : []),
    ...(hasFee ? [{ term: totalTerm, value: money(computeTotal(transaction), source), isTotal: true }] : []),
    ...(transaction.rate !== null && source !== target
      ? [{ term: texts.rate, value: rate(transaction.rate, source, target) }]
      : []),
    ...(source === target
      ? []
      : [
          {
            term: isEstimate(transaction) ? texts.estimated : texts.received,
            value: money(transaction.target_amount, target),
          },
        ]),
    ...(price ? [{ term: texts.totalCost, value: `${price.total_cost_percent}%` }] : []),
  ]
}

/** Builds the receipt of a transaction, with a map if both countries are known. */
export function buildReceiptSheet(receipt: Receipt, format: ReceiptFormat): ReceiptSheet {
  const { texts } = format
  const { transaction, delivered_at: deliveredText } = receipt
  const deliveredAt = deliveredText === null ? undefined : new Date(deliveredText)
  const map = buildMap(receipt, deliveredAt, format)
  const [paid, received] = describeFigures(receipt, format)
  return {
    reference: deriveReference(transaction.id),
    issued: format.date(new Date(receipt.issued_at), format.zone),
    issuer: listIssuerLines(receipt, texts),
    kind: texts.kinds[transaction.transaction_type],
    title: buildTitle(receipt, format),
    summary: buildSummary(receipt, deliveredAt, format),
    paid,
    received,
    parties: describeParties(receipt, deliveredAt, format),
    paymentSources: describePayment(receipt, format),
    countries: locatePeople(receipt, format),
    price: describePrice(receipt, format),
    conversion: describeConversion(receipt, format),
    description: transaction.description,
    details: [
      { term: texts.status, value: texts.statuses[transaction.status] },
      ...describeEvidence(receipt, format),
      { term: texts.transactionId, value: transaction.id },
    ],
    map,
    proofUrl: receipt.price?.proof_url,
    notes: [
      ...(transaction.source_currency === transaction.target_currency && transaction.counterparty
        ? [texts.sameCurrency]
        : []),
      ...(map ? [map.isRoute ? texts.projection : texts.projectionWithin] : []),
    ],
  }
}
