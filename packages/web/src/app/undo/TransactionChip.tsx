import type { Transaction } from '@tern/contract/transactions'
import { Suspense } from 'react'
import { Chip } from '../../ui/layout/Chip.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const EndedChip = lazyComponent(() => import('./HeldPart.tsx'), 'EndedChip')

/** The state of a transaction. A send that its sender undid says so, and never for a moment that it failed. */
export function TransactionChip({ transaction }: { transaction: Transaction }) {
  const chip = <Chip status={transaction.status} />
  if (transaction.transaction_type !== 'SEND' || transaction.status !== 'FAILED') return chip
  return (
    <Suspense fallback={<span className="invisible">{chip}</span>}>
      <EndedChip transaction={transaction} />
    </Suspense>
  )
}
