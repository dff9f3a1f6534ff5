import type { Stripe } from 'stripe'
import {
  expandedObject,
  fromSignedStripeAmount,
  fromUnixSeconds,
  readId,
  type StripeConnection,
  sumByCurrency,
} from '../stripe-connection.ts'
import { listDifferences } from './own-difference.ts'
import type { OwnKind, OwnLine, PendingMoney, ProviderBalance, ReportLine } from './port.ts'
import { chargeLine, disputeLine, type FoundLine, refundLine } from './stripe-lines.ts'

/** Types of entries that move the operator's own money. Entries of other types are about a payment, or unknown. */
const ownKindOfType: Readonly<Record<string, OwnKind>> = {
  stripe_fee: 'fee',
  stripe_fx_fee: 'fee',
  tax_fee: 'fee',
  network_cost: 'fee',
  fee_credit_funding: 'fee',
  stripe_balance_payment_debit: 'fee',
  stripe_balance_payment_debit_reversal: 'fee',
  payout: 'bank_transfer',
  payout_cancel: 'bank_transfer',
  payout_failure: 'bank_transfer',
  topup: 'bank_transfer',
  topup_reversal: 'bank_transfer',
  reserve_transaction: 'reserve',
  reserved_funds: 'reserve',
  reserve_hold: 'reserve',
  reserve_release: 'reserve',
  payment_network_reserve_hold: 'reserve',
  payment_network_reserve_release: 'reserve',
  payout_minimum_balance_hold: 'reserve',
  payout_minimum_balance_release: 'reserve',
  adjustment: 'adjustment',
}

/** Refunds and disputes can be paid from money that was set aside for them; both parts are one balance of ours. */
const ourBalanceTypes = new Set(['payments', 'refund_and_dispute_prefunding'])

interface Period {
  readonly from: Date
  readonly until: Date
}

interface BalanceEntries {
  readonly lines: ReportLine[]
  readonly own: OwnLine[]
  readonly pending: PendingMoney[]
}

/** Reads the movements of the payments balance in a period, fees included. */
export async function readPaymentsBalance(connection: StripeConnection, period: Period): Promise<BalanceEntries> {
  const { from, until } = period
  const entries: BalanceEntries = { lines: [], own: [], pending: [] }
  // Stripe's times are whole seconds.
  const created = { gte: Math.floor(from.getTime() / 1000), lt: Math.ceil(until.getTime() / 1000) }
  const list = connection.stripe.balanceTransactions.list({ created, limit: 100, expand: ['data.source'] })
  for await (const entry of list) {
    const at = fromUnixSeconds(entry.created)
    if (!ourBalanceTypes.has(entry.balance_type ?? 'payments') || at < from || at >= until) continue
    await readEntry(connection, entry, entries)
  }
  return entries
}

async function readEntry(connection: StripeConnection, entry: Stripe.BalanceTransaction, entries: BalanceEntries) {
  const { lines, own, pending } = entries
  const balance = 'payments'
  const occurredAt = fromUnixSeconds(entry.created)
  const change = fromSignedStripeAmount(entry.amount, entry.currency)
  const fee = fromSignedStripeAmount(-entry.fee, entry.currency)
  if (fee) own.push({ id: `${entry.id}:fee`, kind: 'fee', balance, amount: fee, occurredAt })
  const source = expandedObject(entry.source)
  const charge = source?.object === 'charge' ? source : undefined
  // A failed debit left the balance as it came: both of its entries cancel each other.
  if (charge?.status === 'failed' || entry.type === 'payment_failure_refund') return
  if (charge?.status === 'pending') {
    const id = readId(charge.payment_intent) ?? entry.id
    if (change) pending.push({ id, balance, amount: change, occurredAt })
    return
  }
  const line = await readPaymentLine(connection, entry)
  if (line) {
    lines.push(line)
    own.push(...listDifferences({ id: entry.id, balance, occurredAt, line, change }))
  } else if (change) {
    const kind = ownKindOfType[entry.type] ?? 'unknown'
    own.push({ id: entry.id, kind, balance, amount: change, occurredAt })
  }
}

/** Returns the line of an account holder's payment, refund or dispute; undefined for other entries. */
async function readPaymentLine(connection: StripeConnection, entry: Stripe.BalanceTransaction): Promise<FoundLine> {
  const at = fromUnixSeconds(entry.created)
  const source = expandedObject(entry.source)
  if (source?.object === 'charge') return chargeLine(source, at)
  if (source?.object === 'refund') {
    return refundLine(connection, source.id, { hasFailed: entry.type === 'refund_failure', at })
  }
  if (source?.object === 'dispute')
    return disputeLine(connection, source.id, { isReinstated: entry.amount > 0, entryId: entry.id })
  return undefined
}

/** Reads the payments balance: what is available, what is still settling, and what is set aside for refunds. */
export async function readPaymentsBalances({ stripe }: StripeConnection): Promise<ProviderBalance[]> {
  const { available, pending, refund_and_dispute_prefunding: prefunding } = await stripe.balance.retrieve()
  const parts = [...available, ...pending, ...(prefunding?.available ?? []), ...(prefunding?.pending ?? [])]
  return sumByCurrency(parts.map(({ amount, currency }) => ({ value: amount, currency }))).map((amount) => ({
    balance: 'payments',
    amount,
  }))
}
