import type { Transaction } from '@tern/contract/transactions'
import { lazyComponent } from '../../../ui/lazy-component.ts'

/** Fetched with the first pending payment that there is. */
export const LeavesIn = lazyComponent(() => import('../../../app/undo/HeldPart.tsx'), 'LeavesIn')

/** A send that has not settled: its sender may still be able to take it back. */
export const isPendingSend = ({ transaction_type: type, status }: Transaction): boolean =>
  type === 'SEND' && status === 'PENDING'
