import { Button } from '../forms/Button.tsx'
import { Dialog } from './Dialog.tsx'

interface ConfirmDialogProps {
  title: string
  text: string
  action: string
  cancel: string
  onConfirm: () => void
  onClose: () => void
}

/** Asks for confirmation before an action with serious effects. */
export function ConfirmDialog({ title, text, action, cancel, onConfirm, onClose }: ConfirmDialogProps) {
  return (
    <Dialog open onClose={onClose} title={title} size="small">
      <p className="muted">{text}</p>
      <div className="form-actions mt-6">
        <Button big onClick={onClose}>
          {cancel}
        </Button>
        <Button look="primary" big className="grow" onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
