import { Refused, Unreachable } from '@tern/contract/client'
import { login } from '@tern/contract/sign-in'
import { useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { identity } from '#messages/identity.ts'
import { shell } from '#messages/shell.ts'
import { pathIfPresent, paths } from '../../paths.ts'
import { returnPath } from '../../return-path.ts'
import { callAsVisitor, openSession } from '../../session.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { Note } from '../../ui/Note.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { AuthFrame } from './AuthFrame.tsx'
import { isEmailAddress } from './email-address.ts'
import { useEarlyEmail } from './use-early-email.ts'

export const meta = () => [{ title: shell.pageTitle(identity.loginTitle) }]

interface Faults {
  email?: string
  password?: string
  form?: string
}

/** What the form holds, and what happens when it is sent. */
function useLogin() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [asksPassword, setAsksPassword] = useState(false)
  const [faults, setFaults] = useState<Faults>({})
  const [failures, setFailures] = useState(0)
  const [isBusy, setIsBusy] = useState(false)
  const navigate = useNavigate()
  const [query] = useSearchParams()

  function fail(found: Faults) {
    setFaults(found)
    setFailures((count) => count + 1)
  }

  async function logIn() {
    setIsBusy(true)
    try {
      const reply = await callAsVisitor(login, { body: { email, password } })
      if (!('user' in reply)) return
      openSession(reply.user, reply.access_token)
      await navigate(returnPath(query.get('from'), pathIfPresent('dashboard') ?? paths.landing), { replace: true })
    } catch (error) {
      const isKnown = error instanceof Refused || error instanceof Unreachable
      fail({ form: (isKnown && error.message) || identity.loginFailed })
    } finally {
      setIsBusy(false)
    }
  }

  function goOn(address: string) {
    if (!isEmailAddress(address)) return fail({ email: identity.emailInvalid })
    setFaults({})
    setAsksPassword(true)
  }

  function submit() {
    if (!asksPassword) return goOn(email)
    setFaults({})
    if (password === '') return fail({ password: identity.passwordRequired })
    void logIn()
  }

  const emailField = useEarlyEmail((early, wasSent) => {
    setEmail(early)
    if (wasSent) goOn(early)
  })

  return {
    emailField,
    email,
    setEmail,
    password,
    setPassword,
    asksPassword,
    setAsksPassword,
    faults,
    failures,
    isBusy,
    submit,
    query,
  }
}

/** Logging in: the email first, then the password on the same page. */
export default function Login() {
  const form = useLogin()
  const passwordField = useRef<HTMLInputElement>(null)
  const notice = (useLocation().state as { notice?: string } | null)?.notice

  useEffect(() => {
    if (form.asksPassword) passwordField.current?.focus()
  }, [form.asksPassword])

  return (
    <AuthFrame
      title={identity.welcomeBack}
      lead={identity.loginLead}
      onSubmit={form.submit}
      failures={form.failures}
      foot={
        <>
          <span className="muted">{identity.newToTern}</span>
          <LinkButton look="ghost" to={{ pathname: paths.signup, search: form.query.toString() }}>
            {identity.signUp}
          </LinkButton>
        </>
      }
    >
      {notice && <Note live>{notice}</Note>}
      {form.faults.form && <Note tone="error">{form.faults.form}</Note>}
      <TextField
        label={identity.email}
        type="email"
        name="email"
        ref={form.emailField}
        autoComplete="username"
        autoCapitalize="none"
        placeholder={identity.emailPlaceholder}
        value={form.email}
        readOnly={form.asksPassword}
        error={form.faults.email}
        onChange={(event) => form.setEmail(event.target.value)}
      />
      {form.asksPassword && (
        <PasswordField
          label={identity.password}
          name="password"
          autoComplete="current-password"
          ref={passwordField}
          value={form.password}
          error={form.faults.password}
          onChange={(event) => form.setPassword(event.target.value)}
        />
      )}
      <Button type="submit" look="primary" big wide processing={form.isBusy}>
        {form.asksPassword ? identity.logIn : identity.continueWithEmail}
      </Button>
      {form.asksPassword && (
        <Button look="ghost" onClick={() => form.setAsksPassword(false)}>
          {identity.otherEmail}
        </Button>
      )}
    </AuthFrame>
  )
}
