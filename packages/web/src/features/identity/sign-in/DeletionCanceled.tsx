import { identity } from '#messages/identity/identity.ts'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { AuthFrame } from '../AuthFrame.tsx'

/** Tells the user that signing in has canceled the scheduled deletion of their account. */
export function DeletionCanceled({ next }: { next: string }) {
  return (
    <AuthFrame title={identity.accountKept} showsTitleFirst lead={<p role="status">{identity.accountKeptText}</p>}>
      <LinkButton look="primary" big wide to={next} replace>
        {identity.goOn}
      </LinkButton>
    </AuthFrame>
  )
}
