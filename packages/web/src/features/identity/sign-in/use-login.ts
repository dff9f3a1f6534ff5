import { login, loginRequest, sendLoginLink } from '@tern/contract/sign-in'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { paths } from '../../../app/paths.ts'
import { returnPath } from '../../../app/session/return-path.ts'
import { schemaErrors } from '../../../app/forms/resolver.ts'
import { emailErrors } from '../field-errors.ts'
import { logInWithPasskey } from './passkey-sign-in.ts'
import { type SignInHandover, useCompleteSignIn } from './use-complete-sign-in.ts'
import { useAttempt } from '../use-attempt.ts'
import { useExternal } from './use-external.ts'

interface LoginValues {
  /** Undefined initially, so that text typed before hydration is kept. */
  email: string | undefined
  password: string
}

const subscribeNever = () => () => {}

/**
 * State handed over by another sign-in page. The history entry keeps it across reloads; null during hydration, because
 * the prerendered page has none.
 */
function useHandover(): SignInHandover | null {
  const { state } = useLocation()
  return useSyncExternalStore(
    subscribeNever,
    () => state as SignInHandover | null,
    () => null,
  )
}

/** True if the user was redirected from /send. False during hydration, because the prerendered page has no query. */
function useIsFromSend(): boolean {
  const [query] = useSearchParams()
  const from = query.get('from')
  return useSyncExternalStore(
    subscribeNever,
    () => returnPath(from, '').split(/[?#]/)[0] === paths.send,
    () => false,
  )
}

function useLoginMethods() {
  const handover = useHandover()
  const isFromSend = useIsFromSend()
  const [query] = useSearchParams()
  const from = query.get('from')
  const [step, setStep] = useState<'email' | 'credential' | 'mail'>('email')
  const arrival = useCompleteSignIn(from, { initialLink: handover?.link, followsOtherTabs: true })
  const attempt = useAttempt<LoginValues, 'google' | 'email' | 'passkey' | 'link'>(
    { email: undefined, password: '' },
    (values) => (step === 'credential' ? schemaErrors(loginRequest, values) : emailErrors(values)),
  )
  const { getValues, setValue } = attempt.form
  useEffect(() => {
    if (handover?.email && !getValues('email')) setValue('email', handover.email)
  }, [handover?.email, getValues, setValue])
  const external = useExternal({
    hint: 'login',
    from,
    run: attempt.run,
    onReply: (reply) => arrival.completeSignIn(reply),
    onKnownAccount: (account) => {
      arrival.setNewLink(account.link)
      setValue('email', account.email)
      attempt.showFailures({ root: account.failure })
    },
    onUnavailable: (sentence) => {
      setStep('credential')
      attempt.showFailures({ root: sentence })
    },
  })
  return { handover, isFromSend, query, from, step, setStep, arrival, attempt, external }
}

/** State of the login page: the current step and the action of each button. */
export function useLogin() {
  const methods = useLoginMethods()
  const { step, setStep, from, arrival, external, attempt } = methods
  const { run, showFailures, form, submit } = attempt
  const readEmail = () => form.getValues('email') ?? ''

  const mailLink = () =>
    callAsVisitor(sendLoginLink, { body: { email: readEmail(), ...(from ? { from: arrival.next } : {}) } })

  /** Opens the provider that the email field uses, or asks for the password if there is none or `isOwn` is set. */
  const submitEmail = (isOwn = arrival.link !== undefined) =>
    submit(() => {
      if (isOwn) return setStep('credential')
      void external.redirectToProvider(readEmail()).then((isRedirecting) => isRedirecting || setStep('credential'))
    })

  const logIn = () =>
    submit(({ password }) =>
      run('email', identity.loginFailed, async () =>
        arrival.completeSignIn(await callAsVisitor(login, { body: { email: readEmail(), password } })),
      ),
    )

  return {
    ...methods,
    ...attempt,
    email: form.watch('email') ?? '',
    submit: () => (step === 'email' ? submitEmail() : logIn()),
    mailLink,
    enterPassword: () => submitEmail(true),
    askPasskey: () =>
      void run('passkey', identity.loginFailed, async () => arrival.completeSignIn(await logInWithPasskey())),
    askLink: () =>
      void run('link', identity.mailFailed, async () => {
        await mailLink()
        setStep('mail')
      }),
    /** Restarts after an unfinished second factor. */
    restart(reason?: string) {
      arrival.resetChallenge()
      form.setValue('password', '')
      setStep('email')
      if (reason) showFailures({ root: reason })
    },
  }
}

export type LoginForm = ReturnType<typeof useLogin>
