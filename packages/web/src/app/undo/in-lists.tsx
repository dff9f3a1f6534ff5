import type { Transaction } from '@tern/contract/transactions'
import { type ReactNode, Suspense } from 'react'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { isOnHold } from '../../ui/money/activity.ts'

/** Fetched with the first payment that waits. */
export const LeavesIn = lazyComponent(() => import('./HeldPart.tsx'), 'LeavesIn')

/** Whether a list says what a payment waits for: it is on hold, or its sender may still be able to take it back. */
export const isWaiting = (transaction: Transaction): boolean =>
  isOnHold(transaction) || (transaction.transaction_type === 'SEND' && transaction.status === 'PENDING')

/** What a payment waits for, below its row in a list; nothing for all others. */
export const waitingNote = (transaction: Transaction): ReactNode =>
  isWaiting(transaction) && (
    <Suspense>
      <span className="activity-sub block">
        <LeavesIn transaction={transaction} />
      </span>
    </Suspense>
  )
