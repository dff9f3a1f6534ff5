import type { Transaction } from '@tern/contract/transactions'
import { type ReactNode, Suspense } from 'react'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { isOnHold } from '../../ui/money/activity.ts'

/** Loaded with the first payment that waits. */
export const LeavesIn = lazyComponent(() => import('./HeldPart.tsx'), 'LeavesIn')

/** Whether a list says what a payment waits for: it is on hold, or a send that may still be cancelled. */
export const isWaiting = (transaction: Transaction): boolean =>
  isOnHold(transaction) || (transaction.transaction_type === 'SEND' && transaction.status === 'PENDING')

/** Text for what a payment waits for, below its row in a list; nothing for other payments. */
export const waitingNote = (transaction: Transaction): ReactNode =>
  isWaiting(transaction) && (
    <Suspense>
      <span className="activity-sub block">
        <LeavesIn transaction={transaction} />
      </span>
    </Suspense>
  )
