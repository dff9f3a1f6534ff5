import type { Stripe } from 'stripe'
import { deriveReturnId } from '../payout/stripe.ts'
import { fromSignedStripeAmount, type StripeConnection, sumByCurrency } from '../stripe-connection.ts'
import { listDifferences } from './own-difference.ts'
import type { OwnKind, OwnLine, ProviderBalance, ReportLine } from './port.ts'
import { buildLine } from './stripe-lines.ts'

type Entry = Stripe.V2.MoneyManagement.TransactionEntry
type OutboundPayment = Stripe.V2.MoneyManagement.OutboundPayment

const ownKindOfCategory: Readonly<Record<string, OwnKind>> = {
  stripe_fee: 'fee',
  stripe_fee_tax: 'fee',
  inbound_transfer: 'bank_transfer',
  inbound_transfer_reversal: 'bank_transfer',
  outbound_transfer: 'bank_transfer',
  outbound_transfer_reversal: 'bank_transfer',
  received_credit: 'bank_transfer',
  received_credit_reversal: 'bank_transfer',
  received_debit: 'bank_transfer',
  received_debit_reversal: 'bank_transfer',
  currency_conversion: 'conversion',
  adjustment: 'adjustment',
}

const dayMs = 86_400_000
/** Entries are listed by their creation, and may take effect days later. */
const effectDelayMs = 7 * dayMs
/** Age of most outbound payments when they post; older ones are retrieved one by one. */
const outboundDelayMs = 7 * dayMs

interface Period {
  readonly from: Date
  readonly until: Date
}

// Stripe's v2 API takes times as RFC 3339; the SDK's type says number.
const formatTime = (time: Date): number => time.toISOString() as unknown as number

/** Reads the movements of our financial account in a period: payouts, their returns, and our own. */
export async function readFinancialAccount(
  connection: StripeConnection,
  period: Period,
): Promise<{ lines: ReportLine[]; own: OwnLine[] }> {
  const lines: ReportLine[] = []
  const own: OwnLine[] = []
  const { financialAccount } = connection
  if (financialAccount === undefined) return { lines, own }
  const entries = await readEntries(connection, financialAccount, period)
  const payments = await readOutboundPayments(connection, entries, period)
  for (const { entry, value, currency, at: occurredAt } of entries) {
    const { category, flow } = entry.transaction_details
    const change = fromSignedStripeAmount(value, currency)
    const payment = payments.get(flow?.outbound_payment ?? '')
    const line = payment && payoutLine(payment, { isReturn: value > 0, occurredAt })
    if (line) {
      lines.push(line)
      // Payouts from another currency are posted with their conversion.
      if (change?.currency === line.amount.currency)
        own.push(...listDifferences({ id: entry.id, balance: 'payouts', occurredAt, line, change }))
    } else if (change) {
      const kind = ownKindOfCategory[category] ?? 'unknown'
      own.push({ id: entry.id, kind, balance: 'payouts', amount: change, occurredAt })
    }
  }
  return { lines, own }
}

function payoutLine(
  payment: OutboundPayment,
  { isReturn, occurredAt }: { readonly isReturn: boolean; readonly occurredAt: Date },
): ReportLine | undefined {
  const { value: amount, currency } = payment.amount
  const lineFacts = { amount, currency, reference: payment.metadata?.payout_id ?? null, occurredAt }
  return isReturn
    ? buildLine(deriveReturnId(payment), 'payout_return', lineFacts)
    : buildLine(payment.id, 'payout', lineFacts)
}

interface EffectiveEntry {
  readonly entry: Entry
  readonly value: number
  readonly currency: string
  readonly at: Date
}

/**
 * Reads the entries that changed the account in a period. An order of a payment only moves money from the available
 * to the pending part, which is no change.
 */
async function readEntries(
  { stripe }: StripeConnection,
  financialAccount: string,
  { from, until }: Period,
): Promise<EffectiveEntry[]> {
  const created = { gte: formatTime(new Date(from.getTime() - effectDelayMs)), lt: formatTime(until) }
  const entries: EffectiveEntry[] = []
  for await (const entry of stripe.v2.moneyManagement.transactionEntries.list({ created, limit: 100 })) {
    if (entry.transaction_details.financial_account !== financialAccount) continue
    const { available, inbound_pending: inbound, outbound_pending: outbound } = entry.balance_impact
    const value = (available.value ?? 0) + (inbound.value ?? 0) + (outbound.value ?? 0)
    const at = new Date(Math.max(Date.parse(entry.created), Date.parse(entry.effective_at))) // not money: a time
    if (value === 0 || at < from || at >= until) continue
    entries.push({ entry, value, currency: available.currency ?? '', at })
  }
  return entries
}

/** Reads the outbound payments of these entries, most of which are young. */
async function readOutboundPayments(
  { stripe }: StripeConnection,
  entries: readonly EffectiveEntry[],
  { from, until }: Period,
): Promise<Map<string, OutboundPayment>> {
  const missing = new Set(entries.map(({ entry }) => entry.transaction_details.flow?.outbound_payment ?? ''))
  missing.delete('')
  const payments = new Map<string, OutboundPayment>()
  if (missing.size === 0) return payments
  const created = { gte: formatTime(new Date(from.getTime() - outboundDelayMs)), lt: formatTime(until) }
  for await (const payment of stripe.v2.moneyManagement.outboundPayments.list({ created, limit: 100 })) {
    if (!missing.delete(payment.id)) continue
    payments.set(payment.id, payment)
    if (missing.size === 0) return payments
  }
  for (const id of missing) payments.set(id, await stripe.v2.moneyManagement.outboundPayments.retrieve(id))
  return payments
}

/** Reads the balance of our financial account, with the parts that are still arriving or leaving. */
export async function readFinancialBalances({
  stripe,
  financialAccount,
}: StripeConnection): Promise<ProviderBalance[]> {
  if (financialAccount === undefined) return []
  const { balance } = await stripe.v2.moneyManagement.financialAccounts.retrieve(financialAccount)
  const parts = [balance.available, balance.inbound_pending, balance.outbound_pending].flatMap((part) =>
    Object.entries(part).map(([currency, { value }]) => ({ value: value ?? 0, currency })),
  )
  return sumByCurrency(parts).map((amount) => ({ balance: 'payouts', amount }))
}
