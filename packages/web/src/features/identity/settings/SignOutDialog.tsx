import { account } from '#messages/identity/account.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Dialog } from '../../../ui/layout/Dialog.tsx'

interface SignOutDialogProps {
  title: string
  text: string
  onConfirm: () => void
  onClose: () => void
}

/** Asks before another device is signed out. */
export function SignOutDialog({ title, text, onConfirm, onClose }: SignOutDialogProps) {
  return (
    <Dialog open onClose={onClose} title={title} size="small">
      <p className="muted">{text}</p>
      <div className="form-actions mt-6">
        <Button big onClick={onClose}>
          {account.cancel}
        </Button>
        <Button look="primary" big className="grow" onClick={onConfirm}>
          {account.signOut}
        </Button>
      </div>
    </Dialog>
  )
}
