import { identity } from '#messages/identity/identity.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { AuthFrame } from '../AuthFrame.tsx'

interface DeletionCanceledProps {
  next: string
  /** Reason why a way to log in could not be connected at the same time. */
  linkError?: string | undefined
}

/** Tells the user that signing in has canceled the scheduled deletion of their account. */
export function DeletionCanceled({ next, linkError }: DeletionCanceledProps) {
  return (
    <AuthFrame title={identity.accountKept} showsTitleFirst lead={<p role="status">{identity.accountKeptText}</p>}>
      {linkError && <Note tone="error">{linkError}</Note>}
      <LinkButton look="primary" big wide to={next} replace>
        {identity.goOn}
      </LinkButton>
    </AuthFrame>
  )
}
