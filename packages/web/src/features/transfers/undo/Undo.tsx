import '../../../css/undo.css'
import type { Transaction } from '@tern/contract/transactions'
import { useEffect } from 'react'
import { transfers } from '#messages/transfers.ts'
import { undo as texts } from '#messages/transfers/undo.ts'
import { paths } from '../../../app/paths.ts'
import { formatRemainingShort, formatRemaining } from '../../../app/undo/countdown.ts'
import {
  canBeUndone,
  type HeldTransfer,
  useSecondsLeft,
  useUndo,
  windowSeconds,
} from '../../../app/undo/held-transfer.ts'
import { UndoBar } from '../../../app/undo/UndoBar.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { useUser } from '../../../app/session/session.ts'
import { routeBetween } from '../../../ui/maps/route/countries.ts'
import { RouteMap } from '../../../ui/maps/route/RouteMap.tsx'
import { shortCounterparty } from '../../../ui/money/activity.ts'
import { formatBig } from '../../../ui/money/exact-amount.ts'

interface UndoProps {
  userId: number
  transaction: Transaction
  /** Undefined until the server has reported the state. */
  held: HeldTransfer | undefined
  onRestart: () => void
}

export function Undo({ userId, transaction, held, onRestart }: UndoProps) {
  const { target_amount: amount, target_currency: target, counterparty } = transaction
  const route = routeBetween(useUser()?.residence?.country, counterparty?.country)
  useEffect(() => {
    scrollTo({ top: 0 })
  }, [])
  return (
    <div className="max-w-160 xl:max-w-300 print:max-w-none!">
      <Sheet className="p-5 md:p-8">
        <div className="grid grid-cols-1 gap-6 md:grid-cols-[minmax(0,1fr)_auto] md:items-end [&_h1]:wrap-anywhere [&_h1]:text-balance">
          <div>
            <FocusedHeading level="h1" className="display-l">
              {texts.sending(formatBig(amount, target), shortCounterparty(transaction))}
            </FocusedHeading>
            {held ? <HoldLead held={held} /> : <LeadPlaceholder />}
          </div>
          {held ? (
            canBeUndone(held) && <Actions id={transaction.id} userId={userId} held={held} />
          ) : (
            <ActionsPlaceholder />
          )}
        </div>
        {route && (
          <div className="undo-map mt-6">
            <RouteMap {...route} />
          </div>
        )}
        {held ? <CountdownBar held={held} /> : <BarPlaceholder />}
      </Sheet>
      <div className="form-actions mt-6 flex-wrap">
        <LinkButton look="ghost" big to={paths.dashboard}>
          {transfers.dashboard}
        </LinkButton>
        <Button look="ghost" big onClick={onRestart}>
          {transfers.another}
        </Button>
      </div>
    </div>
  )
}

/** Time until release: the seconds are visible, but announced only twice. */
function HoldLead({ held }: { held: HeldTransfer }) {
  const { seconds, announcement } = useSecondsLeft(held.endsAtMs)
  const time = formatRemaining(seconds)
  return (
    <>
      <p className="mt-1 text-[1.125rem] text-ink-2 tabular-nums">
        <span aria-hidden="true">{seconds > 0 ? texts.leavesWallet(time) : texts.leavesNow}</span>
        <span className="visually-hidden">{texts.canUndo(formatRemaining(windowSeconds(held)))}</span>
      </p>
      <p className="visually-hidden" role="status">
        {announcement}
      </p>
    </>
  )
}

function Actions({ id, userId, held }: { id: string; userId: number; held: HeldTransfer }) {
  const { seconds } = useSecondsLeft(held.endsAtMs)
  const { isBusy, error, cancel, settle } = useUndo({ id, userId })
  // Once the window has ended, no choice is left until the server answers.
  const isWindowClosed = seconds === 0 || isBusy
  return (
    <div>
      {error && (
        <div className="mb-3">
          <Note tone="error">{error}</Note>
        </div>
      )}
      <div className="flex flex-wrap gap-3 [&_.button]:grow [&_.button]:tabular-nums">
        <Button
          big
          icon="undo"
          aria-disabled={isWindowClosed || undefined}
          onClick={isWindowClosed ? undefined : cancel}
        >
          <span>
            {texts.undo}
            {seconds > 0 && <span aria-hidden="true"> – {formatRemainingShort(seconds)}</span>}
          </span>
        </Button>
        <Button
          look="ghost"
          big
          aria-disabled={isWindowClosed || undefined}
          onClick={isWindowClosed ? undefined : settle}
        >
          {texts.sendNow}
        </Button>
      </div>
    </div>
  )
}

function CountdownBar({ held }: { held: HeldTransfer }) {
  const { seconds } = useSecondsLeft(held.endsAtMs)
  return (
    <div className="mt-4">
      <UndoBar window={windowSeconds(held)} remaining={seconds} />
    </div>
  )
}

// Placeholders of equal height until the server has answered, so that no button moves under the pointer.

const defaultWindow = 15

const LeadPlaceholder = () => (
  <p className="mt-1 text-[1.125rem] text-ink-2 tabular-nums invisible">
    {texts.leavesWallet(formatRemaining(defaultWindow))}
  </p>
)

const ActionsPlaceholder = () => (
  <div className="flex flex-wrap gap-3 [&_.button]:grow [&_.button]:tabular-nums invisible">
    <Button big icon="undo">
      {texts.undo} – {formatRemainingShort(defaultWindow)}
    </Button>
    <Button look="ghost" big>
      {texts.sendNow}
    </Button>
  </div>
)

const BarPlaceholder = () => (
  <div className="mt-4 invisible">
    <UndoBar window={defaultWindow} remaining={defaultWindow} />
  </div>
)
