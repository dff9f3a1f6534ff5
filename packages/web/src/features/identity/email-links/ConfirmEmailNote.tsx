import type { CurrentUser } from '@tern/contract/identity'
import { account } from '#messages/identity/account.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useConfirmationMail } from './use-confirmation-mail.ts'

/** Reminder to confirm the account's email, with a button that resends the link. */
export function ConfirmEmailNote({ user }: { user: CurrentUser }) {
  const mail = useConfirmationMail(user.email)
  if (user.email_verified) return null
  return (
    <div className="mb-8 max-w-224">
      <Note tone={mail.outcome?.tone ?? 'warning'} live>
        <p className="wrap-anywhere">{mail.outcome?.text ?? account.unconfirmedNote(user.email)}</p>
        {mail.outcome?.tone !== 'info' && (
          <Button look="ghost" className="-ms-3 mt-1 -mb-2" processing={mail.isBusy} onClick={mail.send}>
            {account.sendConfirmation}
          </Button>
        )}
      </Note>
    </div>
  )
}
