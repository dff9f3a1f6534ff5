import '../../css/hold.css'
import '../../css/undo.css'
import { cancelTransfer, settleTransfer, type Transfer } from '@tern/contract/transfers'
import { useEffect, useState } from 'react'
import { street as texts } from '#messages/transfers/street.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { ClockBar } from '../holds/ClockBar.tsx'
import { moneyKeys } from '../session/live.ts'
import { callWithStepUp, notConfirmed } from '../step-up/step-up.ts'
import { useApiMutation } from '../use-api-mutation.ts'

/** Payment held by street mode: when it can be confirmed, the button to confirm it, and one to cancel it. */
export function StreetModeHold({ transfer: { id, hold }, userId }: { transfer: Transfer; userId: number }) {
  const toast = useToast()
  const isReady = useHasPassed(hold?.confirm_from ?? '')
  const action = useApiMutation({
    failed: texts.failed,
    refetches: [['held', id], ...moneyKeys(userId)],
  })
  if (!hold?.confirm_from) return null
  const confirm = () =>
    action.run(async () => {
      const settledTransfer = await callWithStepUp(settleTransfer, { params: { id } })
      toast(
        settledTransfer === notConfirmed ? texts.notConfirmed : texts.sent,
        settledTransfer === notConfirmed ? 'info' : undefined,
      )
    })
  const cancel = () => action.send(cancelTransfer, { params: { id } }, () => toast(texts.cancelled))
  const until = formatDateTime(hold.until)
  const holdText = isReady ? texts.ready(until) : texts.waits(formatDateTime(hold.confirm_from), until)
  return (
    <div className="grid grid-cols-1 gap-5">
      <p className="flex gap-2 items-center text-small font-medium text-wait">
        <Icon name="pause" small />
        {texts.chip}
      </p>
      <ClockBar
        from={new Date(Date.parse(hold.until) - hold.lasts_ms).toISOString()}
        until={isReady ? hold.until : hold.confirm_from}
        untilText={isReady ? texts.comesBack : texts.confirmFrom}
      />
      <p className="max-w-[62ch] text-pretty" role="status">
        {holdText}
      </p>
      {action.error && <Note tone="error">{action.error}</Note>}
      <div className="row flex-wrap">
        {isReady && (
          <Button look="primary" processing={action.isBusy} onClick={confirm}>
            {texts.confirm}
          </Button>
        )}
        <Button icon="undo" aria-disabled={action.isBusy || undefined} onClick={action.isBusy ? undefined : cancel}>
          {texts.cancel}
        </Button>
      </div>
    </div>
  )
}

const tickMs = 1000

/** True once `deadline` has passed, by this device's clock. */
function useHasPassed(deadline: string): boolean {
  const isPast = () => Date.parse(deadline) <= Date.now()
  const [isReady, setIsReady] = useState(isPast)
  useEffect(() => {
    const update = () => setIsReady(Date.parse(deadline) <= Date.now())
    update()
    const timer = setInterval(update, tickMs)
    return () => clearInterval(timer)
  }, [deadline])
  return isReady
}
