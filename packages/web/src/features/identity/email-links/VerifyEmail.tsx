import { checkEmailToken } from '@tern/contract/sign-in'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { AuthFrame } from '../AuthFrame.tsx'
import { useLinkSecret } from './link-secret.ts'

const movesOnAfterMs = 3000

type Outcome = 'running' | 'verified' | { readonly failure: string }

/** Confirms an address with the token of a mailed link. */
export function VerifyEmail() {
  const [outcome, setOutcome] = useState<Outcome>('running')

  useLinkSecret(async (carried) => {
    const token = carried.get('token')
    if (!token) return setOutcome({ failure: signInLinks.verifyTokenMissing })
    try {
      const { success } = await callAsVisitor(checkEmailToken, { body: { token } })
      setOutcome(success ? 'verified' : { failure: signInLinks.verifyExpired })
    } catch {
      setOutcome({ failure: signInLinks.verifyFailed })
    }
  })

  if (outcome === 'verified') return <Verified />
  if (outcome === 'running')
    return <AuthFrame title={titles.verifyEmail} lead={<p role="status">{signInLinks.verifying}</p>} />
  return (
    <AuthFrame title={titles.verifyEmail} leadsWithTitle>
      <Note tone="error">{outcome.failure}</Note>
      <p className="muted">{signInLinks.supportHint}</p>
      <LinkButton look="primary" big wide to={paths.login}>
        {signInLinks.returnToLogin}
      </LinkButton>
    </AuthFrame>
  )
}

/** It worked: says so, and goes on by itself after 3 seconds. */
function Verified() {
  const navigate = useNavigate()
  useEffect(() => {
    const timer = setTimeout(() => void navigate(paths.dashboard, { replace: true }), movesOnAfterMs)
    return () => clearTimeout(timer)
  }, [navigate])
  return (
    <AuthFrame title={signInLinks.verifiedTitle} leadsWithTitle lead={<p role="status">{signInLinks.verified}</p>}>
      <LinkButton look="primary" big wide to={paths.dashboard} replace>
        {signInLinks.toDashboard}
      </LinkButton>
      <p className="small muted">{signInLinks.redirecting}</p>
    </AuthFrame>
  )
}
