import '../../css/dialog.css'
import { AlertDialog } from '@base-ui/react/alert-dialog'
import type { Schedule } from '@tern/contract/schedules/schedules'
import { useRef } from 'react'
import { schedules } from '#messages/schedules/schedules.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { shortDay } from './dates.ts'

interface StopDialogProps {
  schedule: Schedule
  onStop: () => void
  onClose: () => void
}

/** Confirms the end of a schedule; the button that keeps the schedule has the focus. */
export function StopDialog({ schedule, onStop, onClose }: StopDialogProps) {
  const keepButton = useRef<HTMLButtonElement>(null)
  const { recipient, amount, side, source_currency: source, target_currency: target, next_on: nextOn } = schedule
  const label = formatExact(amount, side === 'source' ? source : target)
  const isLast = schedule.recurrence === 'once' || nextOn === null
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="scrim" />
        <AlertDialog.Popup className="dialog dialog-small" initialFocus={keepButton}>
          <div className="px-4 pt-5 pb-6 md:px-8 md:pt-6 md:pb-8">
            <AlertDialog.Title render={<h2 />} className="display-s">
              {schedules.stopTitle(recipient.name ?? recipient.username)}
            </AlertDialog.Title>
            <AlertDialog.Description className="muted mt-2">
              {isLast ? schedules.stopTextOnce(label) : schedules.stopText(label, shortDay(nextOn))}
            </AlertDialog.Description>
            <div className="form-actions mt-6">
              <Button big ref={keepButton} onClick={onClose}>
                {schedules.keep}
              </Button>
              <Button look="primary" big className="grow" onClick={onStop}>
                {schedules.stop}
              </Button>
            </div>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
