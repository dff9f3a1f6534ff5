// Totals of money in and out of a wallet, by currency and kind.

import type { TaxTotalKind } from '@tern/contract/statements/tax-summary'
import type { CurrencyCode } from '@tern/money/currency'
import { type Flow, listFlows } from '../flows.ts'
import type { Movement, MovementTransaction } from '../movement.ts'

export interface Total {
  readonly currency: CurrencyCode
  readonly kind: TaxTotalKind
  readonly count: number
  /** Signed for the wallet's owner, in minor units. */
  readonly amount: bigint
}

export type Totals = Map<string, Total>

/** Adds a movement's flows. Money that only moves between the parts of the wallet is left out. */
export function addToTotals(totals: Totals, { changes, transaction }: Movement): void {
  const flows = listFlows(changes)
  for (const flow of flows) {
    const { currency, funding, fee, principal } = flow
    add(totals, { currency, kind: 'deposit', amount: funding })
    add(totals, { currency, kind: 'fee', amount: fee })
    add(totals, { currency, kind: findKind(flow, flows, transaction), amount: principal })
  }
}

function add(totals: Totals, { currency, kind, amount }: Omit<Total, 'count'>): void {
  if (amount === 0n) return
  const key = `${currency} ${kind}`
  const known = totals.get(key)
  totals.set(key, { currency, kind, count: (known?.count ?? 0) + 1, amount: (known?.amount ?? 0n) + amount })
}

const plainDeposits: ReadonlySet<string> = new Set([
  'card_deposit',
  'bank_deposit',
  'payment_for_transfer',
  'payment_for_unmade_transfer',
])

export function findKind(
  { principal }: Flow,
  flows: readonly Flow[],
  transaction: MovementTransaction | null,
): TaxTotalKind {
  if (!transaction) return 'returned'
  const isIn = principal > 0n
  const isExchange =
    transaction.kind === 'EXCHANGE' ||
    (flows.some((flow) => flow.principal < 0n) && flows.some((flow) => flow.principal > 0n))
  if (isExchange) return isIn ? 'exchanged_in' : 'exchanged_out'
  const [code = ''] = transaction.description.split(' ', 1)
  if (transaction.kind === 'SEND') return isIn ? 'returned' : 'sent'
  if (transaction.kind === 'RECEIVE') return isIn ? 'received' : 'returned'
  if (code === 'guest_payment' && isIn) return 'received'
  if (code === 'withdrawal' && !isIn) return 'withdrawal'
  return plainDeposits.has(code) && isIn ? 'deposit' : 'returned'
}
