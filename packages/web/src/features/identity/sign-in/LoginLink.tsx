import { Refused } from '@tern/contract/protocol/client'
import { sendLoginLink, verifyLoginLink } from '@tern/contract/sign-in'
import { useState } from 'react'
import { identity } from '#messages/identity/identity.ts'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { AuthFrame } from '../AuthFrame.tsx'
import { describeError } from '../errors.ts'
import { useLinkSecret } from '../email-links/link-secret.ts'
import { MailForm } from '../email-links/MailForm.tsx'
import { DeletionCanceled } from './DeletionCanceled.tsx'
import { SecondFactor } from './SecondFactor.tsx'
import { useCompleteSignIn } from './use-complete-sign-in.ts'

interface Failure {
  readonly lead: string
  readonly sentence: string
}

/** Signs in with the token of a mailed link; offers a new link if it is invalid. */
export function LoginLink() {
  const [from, setFrom] = useState<string>()
  const [failure, setFailure] = useState<Failure>()
  const arrival = useCompleteSignIn(from)

  async function logIn(token: string, returnTo: string | undefined) {
    try {
      await arrival.completeSignIn(await callAsVisitor(verifyLoginLink, { body: { token } }), returnTo)
    } catch (error) {
      const isOtherBrowser = error instanceof Refused && error.code === 'link_of_other_browser'
      const lead = isOtherBrowser ? signInLinks.otherBrowserLead : signInLinks.newLinkLead
      setFailure({ lead, sentence: describeError(error, identity.loginFailed) })
    }
  }

  useLinkSecret((query) => {
    const returnTo = query.get('from') ?? undefined
    setFrom(returnTo)
    setFailure(undefined)
    const token = query.get('token')
    if (token) void logIn(token, returnTo)
    else setFailure({ lead: signInLinks.newLinkLead, sentence: signInLinks.linkIncomplete })
  })

  if (arrival.isDeletionCanceled) return <DeletionCanceled next={arrival.next} />
  if (arrival.challenge) {
    const restart = (reason?: string) => {
      arrival.resetChallenge()
      setFailure({ lead: signInLinks.newLinkLead, sentence: reason ?? signInLinks.linkSpent })
    }
    return <SecondFactor request={arrival.challenge} onSignedIn={arrival.completeSignIn} onRestart={restart} />
  }
  if (failure) {
    return (
      <MailForm
        title={signInLinks.newLinkTitle}
        lead={failure.lead}
        failure={failure.sentence}
        button={identity.emailLink}
        send={(email) => callAsVisitor(sendLoginLink, { body: { email, ...(from ? { from: arrival.next } : {}) } })}
        sent={identity.loginLinkSent}
      />
    )
  }
  return <AuthFrame title={titles.login} lead={<p role="status">{signInLinks.signingIn}</p>} />
}
