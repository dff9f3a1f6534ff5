import { identity } from '#messages/identity/identity.ts'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { AuthFrame } from '../AuthFrame.tsx'

/** The person has logged in while their account was about to be deleted, and so keeps it. */
export function AccountKept({ next }: { next: string }) {
  return (
    <AuthFrame title={identity.accountKept} leadsWithTitle lead={<p role="status">{identity.accountKeptText}</p>}>
      <LinkButton look="primary" big wide to={next} replace>
        {identity.goOn}
      </LinkButton>
    </AuthFrame>
  )
}
