import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { signInMethods, type SignInReply } from '@tern/contract/sign-in'
import { useEffect, useRef, useState } from 'react'
import { identity } from '#messages/identity/identity.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { openProvider, requireReply } from './external-sign-in.ts'

type Methods = Reply<typeof signInMethods>

/** Methods assumed by prerendered pages and while the server is unreachable. */
const unknownMethods: Methods = { google: true, external: false }
let methodsRequest: Promise<Methods> | undefined

/** Loads the sign-in methods of this installation once for all pages. */
function readMethods(): Promise<Methods> {
  methodsRequest ??= callAsVisitor(signInMethods, {}).catch(() => {
    methodsRequest = undefined
    return unknownMethods
  })
  return methodsRequest
}

type Provider = 'google' | 'external'
type RunAction = (action: 'google' | 'email', fallback: string, task: () => Promise<void>) => Promise<void>

interface ExternalSignIn {
  hint: 'login' | 'signup'
  from: string | null
  run: RunAction
  onReply: (reply: SignInReply) => Promise<void>
  onKnownAccount: (knownAccount: KnownAccount) => void
  /** Called when the provider that the email field uses is unreachable; the page then falls back to its own method. */
  onUnavailable: (sentence: string) => void
}

/** Provider identity whose email already has an account here; signing in to that account links both. */
export interface KnownAccount {
  readonly link: string
  readonly email: string
  readonly failure: string
}

/** Parses the `account_exists` refusal. */
export function parseKnownAccount(error: unknown): KnownAccount | undefined {
  if (!(error instanceof Refused) || error.code !== 'account_exists') return undefined
  const { link, email } = error.problem
  return typeof link === 'string'
    ? { link, email: typeof email === 'string' ? email : '', failure: error.message }
    : undefined
}

/** Signs in or up at an identity provider from a page with a form. */
export function useExternal({ hint, from, run, onReply, onKnownAccount, onUnavailable }: ExternalSignIn) {
  const [methods, setMethods] = useState(unknownMethods)
  const [isRedirecting, setIsRedirecting] = useState(false)
  const attempt = useRef<AbortController>(undefined)
  useEffect(() => {
    void readMethods().then(setMethods)
    return () => attempt.current?.abort()
  }, [])

  const fallback = {
    google: hint === 'login' ? identity.googleLoginFailed : identity.googleSignupFailed,
    external: hint === 'login' ? identity.loginFailed : identity.signupFailed,
  }

  async function finish(reply: () => SignInReply) {
    try {
      await onReply(reply())
    } catch (error) {
      const knownAccount = parseKnownAccount(error)
      if (!knownAccount) throw error
      onKnownAccount(knownAccount)
    }
  }

  async function redirectTo(provider: Provider, email?: string) {
    attempt.current?.abort()
    attempt.current = new AbortController()
    const { signal } = attempt.current
    const action = provider === 'google' ? 'google' : 'email'
    let openedProvider: Awaited<ReturnType<typeof openProvider>> | undefined
    await run(action, fallback[provider], async () => {
      const start = { provider, screen_hint: hint, ...(email ? { login_hint: email } : {}), ...(from ? { from } : {}) }
      try {
        openedProvider = await openProvider(start, signal)
      } catch (error) {
        const isUnavailable = error instanceof Refused && error.code === 'sign_in_provider_unavailable'
        if (!isUnavailable || provider === 'google') throw error
        onUnavailable(error.message)
      }
    })
    if (!openedProvider || signal.aborted) return
    setIsRedirecting(true)
    const outcome = await openedProvider.outcome
    if (signal.aborted) return
    setIsRedirecting(false)
    if (outcome) await run(action, fallback[provider], () => finish(() => requireReply(outcome)))
  }

  return {
    methods,
    /** The provider's popup is open. */
    isRedirecting,
    redirectTo,
    /** Opens the provider that the email field uses; resolves to false if there is none. */
    async redirectToProvider(email: string): Promise<boolean> {
      const { external } = await readMethods()
      if (external) await redirectTo('external', email)
      return external
    },
  }
}
