import { checkEmailToken } from '@tern/contract/sign-in'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { supportSentence } from '../../../app/support/support.ts'
import { SupportText } from '../../../app/support/SupportText.tsx'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { AuthFrame } from '../AuthFrame.tsx'
import { useLinkSecret } from './link-secret.ts'

const redirectDelayMs = 3000

type Outcome = 'running' | 'verified' | 'signed out' | { readonly failure: string }

/** Confirms an address with the token of a mailed link. */
export function VerifyEmail() {
  const [outcome, setOutcome] = useState<Outcome>('running')

  useLinkSecret(async (query) => {
    const token = query.get('token')
    if (!token) return setOutcome({ failure: signInLinks.verifyTokenMissing })
    try {
      const { success, email_verified: isEmailVerified } = await callAsVisitor(checkEmailToken, { body: { token } })
      if (!success) setOutcome({ failure: signInLinks.verifyExpired })
      else setOutcome(isEmailVerified ? 'verified' : 'signed out')
    } catch {
      setOutcome({ failure: supportSentence(signInLinks.verifyFailed) })
    }
  })

  if (outcome === 'verified') return <VerifiedNote />
  if (outcome === 'running')
    return <AuthFrame title={titles.verifyEmail} lead={<p role="status">{signInLinks.verifying}</p>} />
  const isSignedOut = outcome === 'signed out'
  return (
    <AuthFrame title={titles.verifyEmail} showsTitleFirst>
      <Note tone={isSignedOut ? 'info' : 'error'}>
        {isSignedOut ? signInLinks.verifySignedOut : <SupportText text={outcome.failure} />}
      </Note>
      {!isSignedOut && (
        <p className="muted">
          <SupportText text={supportSentence(signInLinks.supportHint)} />
        </p>
      )}
      <LinkButton look="primary" big wide to={paths.login}>
        {signInLinks.returnToLogin}
      </LinkButton>
    </AuthFrame>
  )
}

/** Success message; redirects to the dashboard after 3 seconds. */
function VerifiedNote() {
  const navigate = useNavigate()
  useEffect(() => {
    const timer = setTimeout(() => void navigate(paths.dashboard, { replace: true }), redirectDelayMs)
    return () => clearTimeout(timer)
  }, [navigate])
  return (
    <AuthFrame title={signInLinks.verifiedTitle} showsTitleFirst lead={<p role="status">{signInLinks.verified}</p>}>
      <LinkButton look="primary" big wide to={paths.dashboard} replace>
        {signInLinks.toDashboard}
      </LinkButton>
      <p className="small muted">{signInLinks.redirecting}</p>
    </AuthFrame>
  )
}
