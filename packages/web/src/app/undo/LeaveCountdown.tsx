import type { Transaction } from '@tern/contract/transactions'
import { type ReactNode, Suspense } from 'react'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { isOnHold } from '../../ui/money/activity.ts'

/** Loaded lazily: only waiting payments need it. */
export const LeaveCountdown = lazyComponent(() => import('./HoldDetails.tsx'), 'LeaveCountdown')

/** True if lists show why a payment waits: it is on hold or is a pending send. */
export const isWaiting = (transaction: Transaction): boolean =>
  isOnHold(transaction) || (transaction.transaction_type === 'SEND' && transaction.status === 'PENDING')

/** Reason why a payment waits, below its row in a list; empty for other payments. */
export const waitingNote = (transaction: Transaction): ReactNode =>
  isWaiting(transaction) && (
    <Suspense>
      <span className="activity-sub block">
        <LeaveCountdown transaction={transaction} />
      </span>
    </Suspense>
  )
