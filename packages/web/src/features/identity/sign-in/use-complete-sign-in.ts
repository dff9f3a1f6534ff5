import { linkExternalSignIn, type SecondFactorReply, type SignInReply } from '@tern/contract/sign-in'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { paths } from '../../../app/paths.ts'
import { returnPath } from '../../../app/session/return-path.ts'
import { callApi, openSession, recallSession, useSession } from '../../../app/session/session.ts'
import { sentenceOf } from '../errors.ts'

/** What one page of signing in hands to /login. */
export interface HandedOver {
  /** What has just been done, to be told once more. */
  readonly notice?: string
  /** Why it did not work. */
  readonly failure?: string
  /** An identity at a provider waits to be connected with the account that is signed in to next. */
  readonly link?: string
  /** Whose account it is, as far as that is known. */
  readonly email?: string
}

interface Options {
  readonly handedLink?: string | undefined
  /** Goes on too when somebody is signed in already, or signs in in another tab. */
  readonly followsOtherTabs?: boolean
}

/**
 * Where every door of the web app leads: the session is opened, a second factor asked for where the server wants one, an
 * identity that waits is connected, and the person goes on to `from`, or to the verification when the account is new. Whoever
 * came back to an account that was about to be deleted is told first (`isKept`).
 */
export function useCompleteSignIn(
  from: string | null | undefined,
  { handedLink, followsOtherTabs = false }: Options = {},
) {
  const [asked, setAsked] = useState<SecondFactorReply>()
  const [known, setLink] = useState<string>()
  const link = known ?? handedLink
  const [unlinked, setUnlinked] = useState<string>()
  const [isKept, setIsKept] = useState(false)
  const navigate = useNavigate()
  const session = useSession()
  const isOwn = useRef(false)
  const next = returnPath(from, paths.dashboard)

  // What another page hands over is to be read, or needs somebody to sign in anew.
  const isHandedOver = useLocation().state !== null
  useEffect(() => {
    if (followsOtherTabs && !isHandedOver) void recallSession()
  }, [followsOtherTabs, isHandedOver])

  const isIn = session.status === 'in'
  useEffect(() => {
    if (followsOtherTabs && isIn && !isOwn.current) void navigate(next, { replace: true })
  }, [followsOtherTabs, isIn, navigate, next])

  /** Takes what a door answered; `cameWith` is a way back that came with the answer itself. */
  async function take(reply: SignInReply, cameWith?: string) {
    if ('second_factor_required' in reply) return setAsked(reply)
    isOwn.current = true
    openSession(reply.user, reply.access_token)
    try {
      if (link) await callApi(linkExternalSignIn, { body: { link } })
    } catch (error) {
      return setUnlinked(sentenceOf(error, identity.linkFailed))
    }
    if (reply.deletion_undone) return setIsKept(true)
    if (reply.new_user)
      await navigate(paths.register, { replace: true, state: { email: reply.user.email, isNewUser: true } })
    else await navigate(returnPath(cameWith, next), { replace: true })
  }

  return { asked, link, unlinked, isKept, next, take, setLink, forget: () => setAsked(undefined) }
}
