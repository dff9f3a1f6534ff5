import '../../../css/receipt.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { transactionsQuery } from '../../../app/session/live.ts'
import { askHeld, canBeUndone, type Held, heldQuery, isHeldByPeople, isStreetHeld } from '../../../app/undo/held.ts'
import type { SavedTransfer } from '../pending-transfer.ts'
import { dropUndo, keepUndo, leftUndo } from '../undo/left-undo.ts'
import { Undo } from '../undo/Undo.tsx'
import { Undone } from '../undo/Undone.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { withConfirmedName } from './confirmed-name.ts'
import { Sent } from './Sent.tsx'

const StreetSent = lazyComponent(() => import('./StreetSent.tsx'), 'StreetSent')

/** What a transfer became that the server has confirmed. */
export interface Ordered {
  readonly transaction: Transaction
  /** From the order until the answer, where this page has seen both. */
  readonly tookMs: number | undefined
  /** The form it came from, to be changed, where this tab has it. */
  readonly saved: SavedTransfer | undefined
}

interface ResultProps extends Ordered {
  user: CurrentUser
  onAnother: () => void
  /** Back to the form as it was filled in. */
  onEdit: () => void
}

/** The transaction as it is by now, and how it stands while it is held. */
function useLatest(user: CurrentUser, asSent: Transaction): { transaction: Transaction; held: Held | undefined } {
  const { id, status } = asSent
  const asked = useQuery({
    ...transactionsQuery(user.id, { search: id, limit: '1' }),
    enabled: status === 'PENDING',
    refetchInterval: pendingPauseMs,
  })
  const listed = asked.data?.transactions.find((found) => found.id === id) ?? asSent
  // The list may be the first to tell that it has ended.
  const { data: held } = useQuery(heldQuery(listed))
  const decided = held?.transfer.transaction
  return { transaction: decided && decided.status !== 'PENDING' ? decided : listed, held }
}

const pendingPauseMs = 30_000

/** What became of an order: it can still be taken back, was taken back, or has its receipt. */
export function Result({ user, transaction: asSent, tookMs, saved, onAnother, onEdit }: ResultProps) {
  const { transaction: latest, held } = useLatest(user, asSent)
  const transaction = withConfirmedName(latest, saved)
  const isEnded = transaction.status !== 'PENDING'
  const isHeld = held !== undefined && canBeUndone(held) && !isEnded
  // A send from the wallet waits for nothing else; the server is about to say until when.
  const isAsked = held === undefined && !isEnded && transaction.payment_source === 'wallet'
  // Before that answer a reload leads back to it all the same, by its receipt.
  const endsAtMs = isHeld ? held.endsAtMs : isAsked ? 0 : undefined
  const hasGoneOn = useRef(false)
  useEffect(() => {
    if (hasGoneOn.current) return
    if (endsAtMs !== undefined) keepUndo({ userId: user.id, id: asSent.id, endsAtMs, saved })
    else if (held || isEnded) dropUndo()
    // Once for each answer.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [endsAtMs, held === undefined, isEnded])
  const startAnother = () => {
    // An answer that arrives before the page has changed must not lead back here.
    hasGoneOn.current = true
    dropUndo()
    onAnother()
  }
  if (isHeld || isAsked) return <Undo {...{ userId: user.id, transaction, held, onAnother: startAnother }} />
  if (held && isStreetHeld(held) && !isEnded) {
    return (
      <Suspense>
        <StreetSent {...{ userId: user.id, transfer: { ...held.transfer, transaction }, onAnother: startAnother }} />
      </Suspense>
    )
  }
  const { release_reason: reason } = transaction
  if (reason === 'cancelled' || reason === 'expired') {
    const isUndeliverable = reason === 'expired'
    return <Undone {...{ transaction, isUndeliverable, onAnother }} onEdit={saved && onEdit} />
  }
  // How long it took says nothing where it was held.
  const wasHeld = asSent.status === 'PENDING'
  const isOnHold = held !== undefined && isHeldByPeople(held) && !isEnded
  return <Sent {...{ transaction, isOnHold, onAnother }} tookMs={wasHeld ? undefined : tookMs} />
}

interface LeftUndoProps {
  userId: number
  /** The transaction whose receipt stood here. */
  receipt: string | undefined
  onSent: (transaction: Transaction, tookMs: undefined, saved: SavedTransfer | undefined) => void
  /** There is none, or its time is over: a new transfer begins. */
  onNone: () => void
  /** Stands there meanwhile. */
  children: ReactNode
}

const askAgainMs = 2000

/** Leads back to a transfer that could still be taken back when its page was left: the server says how it stands. */
export function LeftUndo({ userId, receipt, onSent, onNone, children }: LeftUndoProps) {
  const queryClient = useQueryClient()
  const [left] = useState(() => leftUndo(userId, receipt))
  const { data, error } = useQuery({
    queryKey: ['left-undo', left?.id],
    queryFn: ({ signal }) => askHeld(left?.id ?? '', signal),
    enabled: left !== undefined,
    refetchInterval: ({ state }) => (state.data ? false : askAgainMs),
    retry: false,
    gcTime: 0,
  })
  const isNone = !left || (error instanceof Refused && error.code === 'not_found')
  useEffect(() => {
    if (data) {
      const { transaction } = data.transfer
      queryClient.setQueryData(heldQuery(transaction).queryKey, data)
      return onSent(transaction, undefined, left?.saved)
    }
    if (!isNone) return
    dropUndo()
    onNone()
    // Once for the answer.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [data, isNone])
  return children
}
