// Acquisitions and disposals of cryptocurrencies, valued in the base currency.

import type { TaxTotalKind } from '@tern/contract/statements/tax-summary'
import { type CryptoCode, type CurrencyCode, isFiatCode, scaleOf } from '@tern/money/currency'
import { divide, multiply, type Ratio, ratio, scaleBy } from '@tern/money/ratio'
import type { PastValue } from '../../exchange/exchange.ts'
import { type Flow, listFlows } from '../flows.ts'
import type { Movement } from '../movement.ts'
import { addLot, createLots, type Lot, type LotQueue, takeLots } from './lots.ts'
import { findKind } from './totals.ts'

/** Source of a value: the transaction's own amounts, or a market rate of that time. */
export interface Valuation {
  readonly source: string
  readonly asOf: Date
}

export interface Disposal {
  readonly id: string
  readonly at: Date
  readonly transactionId: string | null
  readonly currency: CryptoCode
  readonly kind: TaxTotalKind
  readonly quantity: bigint
  readonly proceeds: bigint
  readonly cost: bigint
  /** Null without a known rate; the proceeds are then zero. */
  readonly valuation: Valuation | null
  readonly lots: readonly Lot[]
}

export interface Acquisition {
  readonly currency: CryptoCode
  readonly lot: Lot
  readonly valuation: Valuation | null
}

export type Inventory = Map<CryptoCode, LotQueue>

/** Movement with what it needs to know about the market. */
export interface ValuedMovement {
  readonly movement: Movement
  /** Value of `basisOf(movement)` in the base currency, in minor units of both; undefined if unknown. */
  readonly price: Ratio | undefined
  readonly valuation: Valuation
}

const isCrypto = (currency: CurrencyCode): currency is CryptoCode => !isFiatCode(currency)

interface Amount {
  readonly currency: CurrencyCode
  readonly minor: bigint
}

/** Amounts of equal value: of the cryptocurrency that moved, and of the currency in which it is valued. */
interface Basis {
  readonly own: Amount
  readonly value: Amount
}

const magnitude = (minor: bigint): bigint => (minor < 0n ? -minor : minor)

/**
 * Returns what a movement of a cryptocurrency is valued by: the amount of fiat money on the other side; the amount given
 * away in an exchange between cryptocurrencies; else the amount itself. Undefined without cryptocurrencies.
 */
export function findBasis({ changes, transaction }: Movement): readonly Basis[] {
  const flows = listFlows(changes)
  return flows
    .filter(({ currency, principal, fee }) => isCrypto(currency) && (principal !== 0n || fee !== 0n))
    .map((flow) => {
      const own = { currency: flow.currency, minor: magnitude(flow.principal) }
      const other = flows.find((each) => each !== flow && each.principal < 0n !== flow.principal < 0n)
      if (own.minor === 0n) return { own: { ...own, minor: 1n }, value: { ...own, minor: 1n } }
      if (other && other.principal !== 0n) {
        const value = { currency: other.currency, minor: magnitude(other.principal) }
        return !isCrypto(other.currency) || other.principal < 0n ? { own, value } : { own, value: own }
      }
      return findCounterAmount(transaction, flow) ?? { own, value: own }
    })
}

/** Amounts of a payment that was converted from or to fiat money on its way. */
function findCounterAmount(transaction: Movement['transaction'], { currency, principal }: Flow): Basis | undefined {
  if (!transaction) return undefined
  const source = { currency: transaction.source_currency, minor: transaction.source_amount }
  const target = { currency: transaction.target_currency, minor: transaction.target_amount }
  const [own, value] = principal < 0n ? [source, target] : [target, source]
  return own.currency === currency && isFiatCode(value.currency) && own.minor > 0n ? { own, value } : undefined
}

/** Returns the currency whose market rate a movement needs; null if it needs none. */
export function findPricedCurrency(movement: Movement, base: CurrencyCode): CurrencyCode | null {
  const currency = findBasis(movement)[0]?.value.currency
  return currency === undefined || currency === base ? null : currency
}

interface Step {
  readonly flow: Flow
  readonly unit: Ratio | undefined
}

/** Applies a movement to the lots; returns its disposals. */
export function applyMovement(inventory: Inventory, valued: ValuedMovement): Disposal[] {
  const { movement, price } = valued
  const flows = listFlows(movement.changes)
  const bases = findBasis(movement)
  const steps = flows.flatMap((flow): Step[] => {
    const basis = bases.find(({ own }) => own.currency === flow.currency)
    if (!basis || !isCrypto(flow.currency)) return []
    const unit = price && multiply(price, ratio(basis.value.minor, basis.own.minor))
    return [{ flow, unit }]
  })
  const disposals: Disposal[] = []
  // Disposals first, since their lots were acquired before.
  for (const { flow, unit } of steps) {
    const shares = [
      { kind: findKind(flow, flows, movement.transaction), quantity: -flow.principal },
      { kind: 'fee' as const, quantity: -flow.fee },
    ]
    for (const share of shares) {
      if (share.quantity <= 0n || !isCrypto(flow.currency)) continue
      const id = `${movement.postingId}:${String(disposals.length + 1)}`
      disposals.push(dispose(inventory, valued, { ...share, id, currency: flow.currency, unit }))
    }
  }
  for (const step of steps) acquire(inventory, valued, step, flows)
  return disposals
}

const valueOf = (quantity: bigint, unit: Ratio | undefined): bigint => (unit ? scaleBy(quantity, unit, 'half_up') : 0n)

interface Share extends Pick<Disposal, 'id' | 'currency' | 'kind' | 'quantity'> {
  readonly unit: Ratio | undefined
}

function dispose(
  inventory: Inventory,
  { movement, valuation }: ValuedMovement,
  { id, currency, kind, quantity, unit }: Share,
): Disposal {
  const lots = takeLots(openQueue(inventory, currency), quantity)
  return {
    id,
    at: movement.at,
    transactionId: movement.transaction?.id ?? null,
    currency,
    kind,
    quantity,
    proceeds: valueOf(quantity, unit),
    cost: lots.reduce((sum, { cost }) => sum + cost, 0n),
    valuation: unit ? valuation : null,
    lots,
  }
}

function acquire(
  inventory: Inventory,
  { movement, price }: ValuedMovement,
  { flow, unit }: Step,
  flows: readonly Flow[],
): void {
  const { currency, principal, fee } = flow
  if (!isCrypto(currency)) return
  const paid = flows.find((each) => isFiatCode(each.currency) && each.principal < 0n)
  const paidFee = paid && principal > 0n && paid.fee < 0n ? valueOf(-paid.fee, price) : 0n
  const queue = openQueue(inventory, currency)
  const acquiredAt = movement.at
  if (principal > 0n) addLot(queue, { acquiredAt, quantity: principal, cost: valueOf(principal, unit) + paidFee })
  // A returned fee.
  if (fee > 0n) addLot(queue, { acquiredAt, quantity: fee, cost: valueOf(fee, unit) })
}

function openQueue(inventory: Inventory, currency: CryptoCode): LotQueue {
  const known = inventory.get(currency)
  if (known) return known
  const queue = createLots()
  inventory.set(currency, queue)
  return queue
}

/** Returns a currency's price in the base currency, in minor units of both. */
export function toMinorPrice(
  { currency, base }: { readonly currency: CurrencyCode; readonly base: CurrencyCode },
  value: PastValue,
  baseValue: PastValue,
): Ratio {
  const scales = ratio(10n ** BigInt(scaleOf(base)), 10n ** BigInt(scaleOf(currency)))
  return multiply(divide(value.value, baseValue.value), scales)
}
