import { identity } from '#messages/identity/identity.ts'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { AuthFrame } from '../AuthFrame.tsx'

/** The person is in, but the provider's identity could not be connected with their account. */
export function NotConnected({ failure, next }: { failure: string; next: string }) {
  return (
    <AuthFrame title={identity.signedIn} leadsWithTitle lead={identity.notConnected}>
      <Note tone="error">{failure}</Note>
      <LinkButton look="primary" big wide to={next} replace>
        {identity.goOn}
      </LinkButton>
    </AuthFrame>
  )
}
