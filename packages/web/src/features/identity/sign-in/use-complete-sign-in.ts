import { linkExternalSignIn, type SecondFactorReply, type SignInReply } from '@tern/contract/sign-in'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { paths } from '../../../app/paths.ts'
import { returnPath } from '../../../app/session/return-path.ts'
import { callApi, openSession, recallSession, useSession } from '../../../app/session/session.ts'
import { describeError } from '../errors.ts'

/** State that a sign-in page hands to /login. */
export interface SignInHandover {
  /** Confirmation of the preceding action. */
  readonly notice?: string
  readonly failure?: string
  /** Provider identity to link to the account that signs in next. */
  readonly link?: string
  readonly email?: string
}

interface Options {
  readonly initialLink?: string | undefined
  /** Also continues if a session exists already or starts in another tab. */
  readonly followsOtherTabs?: boolean
}

/**
 * Last step of every sign-in method: opens the session, asks for a required second factor, links a pending provider
 * identity, and redirects to `from`, or to verification for a new account. `isDeletionCanceled`: signing in canceled a
 * scheduled deletion; the page reports this, with a link, instead of redirecting.
 */
export function useCompleteSignIn(
  from: string | null | undefined,
  { initialLink, followsOtherTabs = false }: Options = {},
) {
  const [challenge, setChallenge] = useState<SecondFactorReply>()
  const [newLink, setNewLink] = useState<string>()
  const link = newLink ?? initialLink
  const [linkError, setLinkError] = useState<string>()
  const [isDeletionCanceled, setIsDeletionCanceled] = useState(false)
  const navigate = useNavigate()
  const session = useSession()
  const isOwnSignIn = useRef(false)
  const next = returnPath(from, paths.dashboard)

  // With state from another page, no session is recalled: the state has to be read first, or requires a new sign-in.
  const hasHandover = useLocation().state !== null
  useEffect(() => {
    if (followsOtherTabs && !hasHandover) void recallSession()
  }, [followsOtherTabs, hasHandover])

  const isSignedIn = session.status === 'in'
  useEffect(() => {
    if (followsOtherTabs && isSignedIn && !isOwnSignIn.current) void navigate(next, { replace: true })
  }, [followsOtherTabs, isSignedIn, navigate, next])

  /** Handles the reply of a sign-in method; `returnTo` is a return address sent with the reply. */
  async function completeSignIn(reply: SignInReply, returnTo?: string) {
    if ('second_factor_required' in reply) return setChallenge(reply)
    isOwnSignIn.current = true
    openSession(reply.user, reply.access_token)
    try {
      if (link) await callApi(linkExternalSignIn, { body: { link } })
    } catch (error) {
      setIsDeletionCanceled(reply.deletion_undone === true)
      return setLinkError(describeError(error, identity.linkFailed))
    }
    if (reply.deletion_undone) return setIsDeletionCanceled(true)
    if (reply.new_user)
      await navigate(paths.register, { replace: true, state: { email: reply.user.email, isNewUser: true } })
    else await navigate(returnPath(returnTo, next), { replace: true })
  }

  return {
    challenge,
    link,
    linkError,
    isDeletionCanceled,
    next,
    completeSignIn,
    setNewLink,
    resetChallenge: () => setChallenge(undefined),
  }
}
