import { useState } from 'react'
import { useNavigate } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { AuthFrame } from '../AuthFrame.tsx'
import { finishSignIn, type Outcome, sendOutcome, requireReply } from './external-sign-in.ts'
import { describeError } from '../errors.ts'
import { useLinkSecret } from '../email-links/link-secret.ts'
import { DeletionCanceled } from './DeletionCanceled.tsx'
import { SecondFactor } from './SecondFactor.tsx'
import { type SignInHandover, useCompleteSignIn } from './use-complete-sign-in.ts'
import { parseKnownAccount } from './use-external.ts'

/**
 * Redirect target of identity providers. In a popup it notifies the opening tab and closes; otherwise it completes the
 * sign-in itself.
 */
export function ExternalReturn() {
  const [from, setFrom] = useState<string>()
  const [isOutcomeSent, setIsOutcomeSent] = useState(false)
  const arrival = useCompleteSignIn(from)
  const navigate = useNavigate()

  const goToLogin = (state: SignInHandover, returnTo = from) =>
    navigate(
      { pathname: paths.login, search: returnTo ? `?from=${encodeURIComponent(returnTo)}` : '' },
      { replace: true, state },
    )

  async function handleOutcome(outcome: Outcome) {
    try {
      const reply = requireReply(outcome)
      setFrom(reply.from)
      await arrival.completeSignIn(reply, reply.from)
    } catch (error) {
      const returnAddress = outcome.problem?.from
      const state = parseKnownAccount(error) ?? { failure: describeError(error, identity.loginFailed) }
      await goToLogin(state, typeof returnAddress === 'string' ? returnAddress : undefined)
    }
  }

  useLinkSecret(async (secretQuery) => {
    if (secretQuery.size === 0) return goToLogin({})
    const query = `?${secretQuery.toString()}`
    const outcome = await finishSignIn(query)
    const { mode } = outcome.reply ?? outcome.problem ?? {}
    if (mode === 'redirect' || !(await sendOutcome(query, outcome))) return handleOutcome(outcome)
    setIsOutcomeSent(true)
    window.close()
  })

  if (arrival.isDeletionCanceled) return <DeletionCanceled next={arrival.next} />
  if (arrival.challenge) {
    const restart = (failure?: string) => void goToLogin(failure ? { failure } : {})
    return <SecondFactor request={arrival.challenge} onSignedIn={arrival.completeSignIn} onRestart={restart} />
  }
  return (
    <AuthFrame
      title={isOutcomeSent ? signInLinks.relayedTitle : titles.login}
      lead={<p role="status">{isOutcomeSent ? signInLinks.relayed : signInLinks.signingIn}</p>}
    />
  )
}
