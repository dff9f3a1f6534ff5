import { login, sendLoginLink } from '@tern/contract/sign-in'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { isEmailAddress } from '../email-links/email-address.ts'
import { logInWithPasskey } from './passkey-sign-in.ts'
import { useCompleteSignIn } from './use-complete-sign-in.ts'
import { useAttempt } from '../use-attempt.ts'
import { useEarlyEmail } from './use-early-email.ts'
import { useExternal } from './use-external.ts'
import { useNavigationState } from '../use-navigation-state.ts'

/** What the form of /login holds, where its doors lead, and what went wrong. */
function useDoors() {
  const handed = useNavigationState()
  const [query] = useSearchParams()
  const from = query.get('from')
  const [typed, setEmail] = useState<string>()
  const email = typed ?? handed?.email ?? ''
  const [password, setPassword] = useState('')
  const [step, setStep] = useState<'email' | 'credential' | 'mail'>('email')
  const arrival = useCompleteSignIn(from, { handedLink: handed?.link, followsOtherTabs: true })
  const attempt = useAttempt<'email' | 'password', 'google' | 'email' | 'passkey' | 'link'>(['email', 'password'])
  const external = useExternal({
    hint: 'login',
    from,
    run: attempt.run,
    onReply: (reply) => arrival.take(reply),
    onKnownAccount: (known) => {
      arrival.setLink(known.link)
      setEmail(known.email)
      attempt.fail({ form: known.failure })
    },
    onDown: (sentence) => {
      setStep('credential')
      attempt.fail({ form: sentence })
    },
  })
  return {
    ...{ handed, query, from, email, setEmail, password, setPassword, step, setStep },
    arrival,
    attempt,
    external,
  }
}

/** Logging in: which step is shown, and what each of its buttons does. */
export function useLogin() {
  const signInMethods = useDoors()
  const { email, password, step, setEmail, setPassword, setStep, from, arrival, external, attempt } = signInMethods
  const { run, fail, clear } = attempt

  const mailLink = () => callAsVisitor(sendLoginLink, { body: { email, ...(from ? { from: arrival.next } : {}) } })

  /** To the provider behind the email field; to the password where there is none, or where `isOwn` is the way. */
  function goOn(isOwn = arrival.link !== undefined) {
    if (!isEmailAddress(email)) return fail({ email: identity.emailInvalid })
    clear()
    if (isOwn) return setStep('credential')
    void external.goToOwnProvider(email).then((isAway) => isAway || setStep('credential'))
  }

  function submit() {
    if (step === 'email') return goOn()
    clear()
    if (password === '') return fail({ password: identity.passwordRequired })
    void run('email', identity.loginFailed, async () =>
      arrival.take(await callAsVisitor(login, { body: { email, password } })),
    )
  }

  const emailField = useEarlyEmail(setEmail)

  return {
    ...signInMethods,
    ...attempt,
    emailField,
    submit,
    mailLink,
    askPassword: () => goOn(true),
    askPasskey: () => void run('passkey', identity.loginFailed, async () => arrival.take(await logInWithPasskey())),
    askLink: () =>
      void run('link', identity.mailFailed, async () => {
        await mailLink()
        setStep('mail')
      }),
    /** Begins anew after a second factor that was not given. */
    begin(reason?: string) {
      arrival.forget()
      setPassword('')
      setStep('email')
      if (reason) fail({ form: reason })
    },
  }
}

export type LoginForm = ReturnType<typeof useLogin>
