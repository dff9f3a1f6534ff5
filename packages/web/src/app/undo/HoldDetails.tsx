import '../../css/undo.css'
import { useQuery } from '@tanstack/react-query'
import type { Transaction } from '@tern/contract/transactions'
import { Suspense } from 'react'
import { holds } from '#messages/transfers/holds.ts'
import { undo as texts } from '#messages/transfers/undo.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { formatMoney } from '../../ui/format/format.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { shortCounterparty } from '../../ui/money/activity.ts'
import { chooseKind } from '../holds/hold-texts.ts'
import { useUser } from '../session/session.ts'
import { formatRemaining } from './countdown.ts'
import {
  canBeUndone,
  type HeldTransfer,
  heldQuery,
  isAwaitingDecision,
  isStreetHeld,
  useSecondsLeft,
  useUndo,
} from './held-transfer.ts'

const ReviewHold = lazyComponent(() => import('../holds/ReviewHold.tsx'), 'ReviewHold')
const StreetModeHold = lazyComponent(() => import('./StreetModeHold.tsx'), 'StreetModeHold')

/**
 * Hold of a payment, in its details: the reason, the end and the actions that end it, or its cancellation. Empty for
 * other payments.
 */
export function HoldDetails({ transaction }: { transaction: Transaction }) {
  const userId = useUser()?.id
  const { data: heldTransfer } = useQuery(heldQuery(transaction))
  if (userId !== undefined && heldTransfer && canBeUndone(heldTransfer)) {
    return <Decision id={transaction.id} userId={userId} held={heldTransfer} />
  }
  if (userId !== undefined && heldTransfer && isAwaitingDecision(heldTransfer)) {
    return (
      <div className="mt-4">
        <Suspense>
          <ReviewHold transfer={heldTransfer.transfer} userId={userId} />
        </Suspense>
      </div>
    )
  }
  if (userId !== undefined && heldTransfer && isStreetHeld(heldTransfer)) {
    return (
      <div className="mt-4">
        <Suspense>
          <StreetModeHold transfer={heldTransfer.transfer} userId={userId} />
        </Suspense>
      </div>
    )
  }
  const { release_reason: reason } = heldTransfer?.transfer ?? transaction
  if (reason !== 'cancelled' && reason !== 'expired' && reason !== 'returned') return null
  const amount = formatMoney(transaction.amount, transaction.currency)
  return (
    <div className="mt-4">
      <Note>
        {reason === 'returned'
          ? texts.sentBack(amount)
          : reason === 'cancelled'
            ? texts.youUndid(amount)
            : texts.undeliverable(amount, shortCounterparty(transaction))}
      </Note>
    </div>
  )
}

function Decision({ id, userId, held }: { id: string; userId: number; held: HeldTransfer }) {
  const toast = useToast()
  const { seconds, announcement } = useSecondsLeft(held.endsAtMs)
  const { isBusy, error, cancel, settle } = useUndo({ id, userId, onDone: toast })
  const isWindowClosed = seconds === 0 || isBusy
  const countdownText = seconds > 0 ? texts.heldUntil(formatRemaining(seconds)) : texts.leavesNow
  return (
    <div className="mt-4 grid gap-3">
      <Note tone={error ? 'error' : 'info'}>{error ?? <span className="tabular">{countdownText}</span>}</Note>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
      <div className="row flex-wrap">
        <Button icon="undo" aria-disabled={isWindowClosed || undefined} onClick={isWindowClosed ? undefined : cancel}>
          {texts.undo}
        </Button>
        <Button look="ghost" aria-disabled={isWindowClosed || undefined} onClick={isWindowClosed ? undefined : settle}>
          {texts.sendNow}
        </Button>
      </div>
    </div>
  )
}

/** List text of a payment: release time of a cancellable send, reason for a hold, else the description. */
export function LeaveCountdown({ transaction }: { transaction: Transaction }) {
  const { data: heldTransfer } = useQuery(heldQuery(transaction))
  if (heldTransfer && canBeUndone(heldTransfer)) return <LeaveTime held={heldTransfer} />
  return (heldTransfer && describeHold(heldTransfer)) ?? transaction.description
}

function LeaveTime({ held: { endsAtMs } }: { held: HeldTransfer }) {
  const { seconds } = useSecondsLeft(endsAtMs)
  if (seconds === 0) return texts.leavesNow
  return seconds < 60 ? texts.leavesSoon : texts.leavesIn(Math.ceil(seconds / 60))
}

/** Reason why a payment on hold waits; undefined for other payments. */
function describeHold(heldTransfer: HeldTransfer): string | undefined {
  const { hold } = heldTransfer.transfer
  if (isStreetHeld(heldTransfer)) return holds.street
  if (!isAwaitingDecision(heldTransfer) || !hold) return undefined
  if (!hold.check) return hold.reason === 'compliance' ? holds.onHold.lists : holds.onHold.review
  return hold.check.need_by ? holds.asks : holds.onHold[chooseKind(hold.check)]
}
