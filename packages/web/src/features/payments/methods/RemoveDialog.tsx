import { methods as texts } from '#messages/methods.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Dialog } from '../../../ui/layout/Dialog.tsx'

interface RemoveDialogProps {
  title: string
  text: string
  onConfirm: () => void
  onClose: () => void
}

/** Asks before a card or a bank account is removed. */
export function RemoveDialog({ title, text, onConfirm, onClose }: RemoveDialogProps) {
  return (
    <Dialog open onClose={onClose} title={title} size="small">
      <p className="muted">{text}</p>
      <div className="form-actions mt-6">
        <Button big onClick={onClose}>
          {texts.cancel}
        </Button>
        <Button look="primary" big className="grow" onClick={onConfirm}>
          {texts.remove}
        </Button>
      </div>
    </Dialog>
  )
}
