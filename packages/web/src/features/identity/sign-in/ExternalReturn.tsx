import { useState } from 'react'
import { useNavigate } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { AuthFrame } from '../AuthFrame.tsx'
import { finishSignIn, type Outcome, relay, requireReply } from './external-sign-in.ts'
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
  const [hasRelayed, setHasRelayed] = useState(false)
  const arrival = useCompleteSignIn(from)
  const navigate = useNavigate()

  const toLogin = (state: SignInHandover, cameWith = from) =>
    navigate(
      { pathname: paths.login, search: cameWith ? `?from=${encodeURIComponent(cameWith)}` : '' },
      { replace: true, state },
    )

  async function goOn(outcome: Outcome) {
    try {
      const reply = requireReply(outcome)
      setFrom(reply.from)
      await arrival.take(reply, reply.from)
    } catch (error) {
      const failed = outcome.problem?.from
      const state = parseKnownAccount(error) ?? { failure: describeError(error, identity.loginFailed) }
      await toLogin(state, typeof failed === 'string' ? failed : undefined)
    }
  }

  useLinkSecret(async (carried) => {
    if (carried.size === 0) return toLogin({})
    const query = `?${carried.toString()}`
    const outcome = await finishSignIn(query)
    const { mode } = outcome.reply ?? outcome.problem ?? {}
    if (mode === 'redirect' || !(await relay(query, outcome))) return goOn(outcome)
    setHasRelayed(true)
    window.close()
  })

  if (arrival.isDeletionCanceled) return <DeletionCanceled next={arrival.next} />
  if (arrival.asked) {
    const restart = (failure?: string) => void toLogin(failure ? { failure } : {})
    return <SecondFactor asked={arrival.asked} onSignedIn={arrival.take} onRestart={restart} />
  }
  return (
    <AuthFrame
      title={hasRelayed ? signInLinks.relayedTitle : titles.login}
      lead={<p role="status">{hasRelayed ? signInLinks.relayed : signInLinks.signingIn}</p>}
    />
  )
}
