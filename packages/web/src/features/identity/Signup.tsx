import { Refused, Unreachable } from '@tern/contract/client'
import { register } from '@tern/contract/identity'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { identity } from '#messages/identity.ts'
import { shell } from '#messages/shell.ts'
import { pathIfPresent, paths } from '../../paths.ts'
import { callAsVisitor, openSession } from '../../session.ts'
import { Button, LinkButton } from '../../ui/Button.tsx'
import { Note } from '../../ui/Note.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { AuthFrame } from './AuthFrame.tsx'
import { isEmailAddress } from './email-address.ts'
import { useEarlyEmail } from './use-early-email.ts'

export const meta = () => [{ title: shell.pageTitle(identity.signupTitle) }]

const empty = { email: '', name: '', username: '', password: '' }

type FieldName = keyof typeof empty
type Faults = { [name in FieldName | 'form']?: string | undefined }
type FieldOf = (name: FieldName) => Pick<Parameters<typeof TextField>[0], 'name' | 'value' | 'error' | 'onChange'>

const isFieldName = (field: string): field is FieldName => Object.hasOwn(empty, field)

/** What the server found: the first fault of each field, or one sentence for the whole form. */
function faultsOf(error: unknown): Faults {
  if (error instanceof Unreachable) return { form: error.message }
  if (!(error instanceof Refused)) return { form: identity.signupFailed }
  if (error.code === 'email_taken') return { email: error.message }
  if (error.code === 'username_taken') return { username: error.message }
  const faults: Faults = {}
  for (const { field, message } of error.errors) if (isFieldName(field)) faults[field] ??= message
  return Object.keys(faults).length > 0 ? faults : { form: error.message || identity.signupFailed }
}

/** What the form holds, and what happens when it is sent. */
function useSignup() {
  const [values, setValues] = useState(empty)
  const [asksRest, setAsksRest] = useState(false)
  const [faults, setFaults] = useState<Faults>({})
  const [failures, setFailures] = useState(0)
  const [isBusy, setIsBusy] = useState(false)
  const navigate = useNavigate()

  function fail(found: Faults) {
    setFaults(found)
    setFailures((count) => count + 1)
  }

  async function createAccount() {
    const { name, ...rest } = values
    const body = name.trim() === '' ? rest : values
    setIsBusy(true)
    try {
      const { user, access_token: accessToken } = await callAsVisitor(register, { body })
      openSession(user, accessToken)
      const next = pathIfPresent('register') ?? pathIfPresent('dashboard') ?? paths.landing
      await navigate(next, { replace: true, state: { email: user.email, isNewUser: true } })
    } catch (error) {
      fail(faultsOf(error))
    } finally {
      setIsBusy(false)
    }
  }

  function submit(email: string) {
    if (!isEmailAddress(email)) return fail({ email: identity.emailInvalid })
    setFaults({})
    if (!asksRest) return setAsksRest(true)
    void createAccount()
  }

  const emailField = useEarlyEmail((email, wasSent) => {
    setValues((before) => ({ ...before, email }))
    if (wasSent) submit(email)
  })

  const field: FieldOf = (name) => ({
    name,
    value: values[name],
    error: faults[name],
    onChange: (event) => {
      setValues((before) => ({ ...before, [name]: event.target.value }))
      setFaults((before) => ({ ...before, [name]: undefined }))
    },
  })

  return { asksRest, faults, failures, isBusy, submit: () => submit(values.email), field, emailField }
}

/** Opening an account: the email first, then how the person is called and their password. */
export default function Signup() {
  const form = useSignup()
  const nameField = useRef<HTMLInputElement>(null)
  const [query] = useSearchParams()

  useEffect(() => {
    if (form.asksRest) nameField.current?.focus()
  }, [form.asksRest])

  return (
    <AuthFrame
      title={identity.signupTitle}
      lead={identity.signupLead}
      onSubmit={form.submit}
      failures={form.failures}
      foot={
        <>
          <span className="muted">{identity.haveAccount}</span>
          <LinkButton look="ghost" to={{ pathname: paths.login, search: query.toString() }}>
            {identity.logInLink}
          </LinkButton>
        </>
      }
    >
      {form.faults.form && <Note tone="error">{form.faults.form}</Note>}
      <TextField
        label={identity.email}
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        placeholder={identity.emailPlaceholder}
        ref={form.emailField}
        {...form.field('email')}
      />
      {form.asksRest && <AccountFields field={form.field} nameField={nameField} />}
      <Button type="submit" look="primary" big wide processing={form.isBusy}>
        {form.asksRest ? identity.createAccount : identity.signUpWithEmail}
      </Button>
    </AuthFrame>
  )
}

type AccountFieldsProps = { field: FieldOf; nameField: RefObject<HTMLInputElement | null> }

function AccountFields({ field, nameField }: AccountFieldsProps) {
  return (
    <>
      <TextField label={identity.name} optional autoComplete="name" ref={nameField} {...field('name')} />
      <TextField
        label={identity.username}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        hint={identity.usernameHint}
        {...field('username')}
      />
      <PasswordField
        label={identity.newPassword}
        autoComplete="new-password"
        hint={identity.newPasswordHint}
        {...field('password')}
      />
    </>
  )
}
