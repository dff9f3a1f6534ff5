import '../../../css/receipt.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { transactionsQuery } from '../../../app/session/live.ts'
import {
  fetchHeldTransfer,
  canBeUndone,
  type HeldTransfer,
  heldQuery,
  isAwaitingDecision,
  isStreetHeld,
} from '../../../app/undo/held-transfer.ts'
import type { SavedTransfer } from '../pending-transfer.ts'
import { removeUndo, storeUndo, readUndo } from '../undo/stored-undo.ts'
import { Undo } from '../undo/Undo.tsx'
import { CanceledTransfer } from '../undo/CanceledTransfer.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { applyConfirmedName } from './confirmed-name.ts'
import { TransferReceipt } from './TransferReceipt.tsx'

const StreetModeReceipt = lazyComponent(() => import('./StreetModeReceipt.tsx'), 'StreetModeReceipt')

export interface PlacedTransfer {
  readonly transaction: Transaction
  /** Duration from order to answer in milliseconds; undefined if this page has not seen both. */
  readonly tookMs: number | undefined
  /** Form of the transfer, if this tab still has it. */
  readonly saved: SavedTransfer | undefined
}

interface ResultProps extends PlacedTransfer {
  user: CurrentUser
  onRestart: () => void
  onEdit: () => void
}

/** Current state of the transaction, and of its hold. */
function useLatestTransaction(
  user: CurrentUser,
  sentTransaction: Transaction,
): { transaction: Transaction; held: HeldTransfer | undefined } {
  const { id, status } = sentTransaction
  const transactionsResult = useQuery({
    ...transactionsQuery(user.id, { search: id, limit: '1' }),
    enabled: status === 'PENDING',
    refetchInterval: pendingPauseMs,
  })
  const listedTransaction = transactionsResult.data?.transactions.find((found) => found.id === id) ?? sentTransaction
  // The transaction list may report the end of the hold before the hold's own query does.
  const { data: held } = useQuery(heldQuery(listedTransaction))
  const decidedTransaction = held?.transfer.transaction
  return {
    transaction: decidedTransaction && decidedTransaction.status !== 'PENDING' ? decidedTransaction : listedTransaction,
    held,
  }
}

const pendingPauseMs = 30_000

/** Outcome of an order: its undo window, its street mode hold, its cancellation, or its receipt. */
export function Result({ user, transaction: sentTransaction, tookMs, saved, onRestart, onEdit }: ResultProps) {
  const { transaction: latestTransaction, held } = useLatestTransaction(user, sentTransaction)
  const transaction = applyConfirmedName(latestTransaction, saved)
  const isEnded = transaction.status !== 'PENDING'
  const isHeld = held !== undefined && canBeUndone(held) && !isEnded
  // Until the server reports why a send from the wallet is pending, it is shown as in its undo window.
  const isAwaitingUndo = held === undefined && !isEnded && transaction.payment_source === 'wallet'
  // Also stored before the response, so that a reload of the receipt returns here.
  const endsAtMs = isHeld ? held.endsAtMs : isAwaitingUndo ? 0 : undefined
  const hasNavigated = useRef(false)
  useEffect(() => {
    if (hasNavigated.current) return
    if (endsAtMs !== undefined) storeUndo({ userId: user.id, id: sentTransaction.id, endsAtMs, saved })
    else if (held || isEnded) removeUndo()
    // Once per answer.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [endsAtMs, held === undefined, isEnded])
  const startAnother = () => {
    // A late answer must not store the undo again.
    hasNavigated.current = true
    removeUndo()
    onRestart()
  }
  if (isHeld || isAwaitingUndo) return <Undo {...{ userId: user.id, transaction, held, onRestart: startAnother }} />
  if (held && isStreetHeld(held) && !isEnded) {
    return (
      <Suspense>
        <StreetModeReceipt
          {...{ userId: user.id, transfer: { ...held.transfer, transaction }, onRestart: startAnother }}
        />
      </Suspense>
    )
  }
  const { release_reason: reason } = transaction
  if (reason === 'cancelled' || reason === 'expired') {
    const isUndeliverable = reason === 'expired'
    return <CanceledTransfer {...{ transaction, isUndeliverable, onRestart }} onEdit={saved && onEdit} />
  }
  // The duration is meaningless after a hold.
  const wasHeld = sentTransaction.status === 'PENDING'
  const isOnHold = held !== undefined && isAwaitingDecision(held) && !isEnded
  return <TransferReceipt {...{ transaction, isOnHold, onRestart }} tookMs={wasHeld ? undefined : tookMs} />
}

interface ResumedUndoProps {
  userId: number
  /** Transaction of the receipt in the address. */
  receipt: string | undefined
  onSent: (transaction: Transaction, tookMs: undefined, saved: SavedTransfer | undefined) => void
  /** Called if no transfer is stored or its undo window has passed; a new transfer starts. */
  onMissing: () => void
  /** Shown while loading. */
  children: ReactNode
}

const pollMs = 2000

/** Returns to a transfer whose page was left during its undo window; the server reports its state. */
export function ResumedUndo({ userId, receipt, onSent, onMissing, children }: ResumedUndoProps) {
  const queryClient = useQueryClient()
  const [storedUndo] = useState(() => readUndo(userId, receipt))
  const { data, error } = useQuery({
    queryKey: ['left-undo', storedUndo?.id],
    queryFn: ({ signal }) => fetchHeldTransfer(storedUndo?.id ?? '', signal),
    enabled: storedUndo !== undefined,
    refetchInterval: ({ state }) => (state.data ? false : pollMs),
    retry: false,
    gcTime: 0,
  })
  const isUnknown = !storedUndo || (error instanceof Refused && error.code === 'not_found')
  useEffect(() => {
    if (data) {
      const { transaction } = data.transfer
      queryClient.setQueryData(heldQuery(transaction).queryKey, data)
      return onSent(transaction, undefined, storedUndo?.saved)
    }
    if (!isUnknown) return
    removeUndo()
    onMissing()
    // Once per answer.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [data, isUnknown])
  return children
}
