import { Refused } from '@tern/contract/protocol/client'
import { register } from '@tern/contract/identity'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { shell } from '#messages/shell.ts'
import { paths } from '../../app/paths.ts'
import { callAsVisitor } from '../../app/session/session.ts'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { PasswordField } from '../../ui/forms/PasswordField.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { AuthFrame, Or } from './AuthFrame.tsx'
import { isEmailAddress } from './email-links/email-address.ts'
import { SecondFactor } from './sign-in/SecondFactor.tsx'
import { type HandedOver, useCompleteSignIn } from './sign-in/use-complete-sign-in.ts'
import { useAttempt } from './use-attempt.ts'
import { useEarlyEmail } from './sign-in/use-early-email.ts'
import { useExternal } from './sign-in/use-external.ts'

export const meta = () => [{ title: shell.pageTitle(identity.signupTitle) }]

/** Which field a refusal that names none is about. */
const fieldOfTaken: Partial<Record<RefusalCode, FieldName>> = { email_taken: 'email', username_taken: 'username' }

const empty = { email: '', name: '', username: '', password: '' }

type FieldName = keyof typeof empty
type FieldOf = (name: FieldName) => Pick<Parameters<typeof TextField>[0], 'name' | 'value' | 'error' | 'onChange'>

const fieldNames = Object.keys(empty) as FieldName[]

/** What the form holds, and what happens when it is sent. */
function useSignup() {
  const [values, setValues] = useState(empty)
  const [asksRest, setAsksRest] = useState(false)
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const from = query.get('from')
  const arrival = useCompleteSignIn(from, { followsOtherTabs: true })
  const attempt = useAttempt<FieldName, 'google' | 'email'>(fieldNames)
  const { run, fail, clear } = attempt

  const external = useExternal({
    hint: 'signup',
    from,
    run,
    onReply: (reply) => arrival.take(reply),
    onKnownAccount: (known) => {
      const state: HandedOver = known
      void navigate({ pathname: paths.login, search: query.toString() }, { state })
    },
    onDown: (sentence) => {
      setAsksRest(true)
      fail({ form: sentence })
    },
  })

  const createAccount = () =>
    run('email', identity.signupFailed, async () => {
      const { name, ...rest } = values
      try {
        const reply = await callAsVisitor(register, { body: name.trim() === '' ? rest : values })
        await arrival.take({ ...reply, new_user: true })
      } catch (error) {
        const taken = error instanceof Refused ? fieldOfTaken[error.code] : undefined
        if (!taken) throw error
        fail({ [taken]: (error as Refused).message })
      }
    })

  function submit() {
    const { email } = values
    if (!isEmailAddress(email)) return fail({ email: identity.emailInvalid })
    clear()
    if (asksRest) return void createAccount()
    void external.goToOwnProvider(email).then((isAway) => isAway || setAsksRest(true))
  }

  const emailField = useEarlyEmail((email) => setValues((before) => ({ ...before, email })))

  const field: FieldOf = (name) => ({
    name,
    value: values[name],
    error: attempt.errors[name],
    onChange: (event) => {
      setValues((before) => ({ ...before, [name]: event.target.value }))
      attempt.clear(name)
    },
  })

  return { ...attempt, asksRest, query, arrival, external, submit, field, emailField }
}

/** Opening an account: the email first, then how the person is called and their password. */
export default function Signup() {
  const form = useSignup()
  const { arrival, external } = form
  const nameField = useRef<HTMLInputElement>(null)

  useEffect(() => {
    if (form.asksRest) nameField.current?.focus()
  }, [form.asksRest])

  if (arrival.asked)
    return <SecondFactor asked={arrival.asked} onSignedIn={(reply) => arrival.take(reply)} onRestart={arrival.forget} />
  return (
    <AuthFrame
      title={identity.signupTitle}
      lead={identity.signupLead}
      onSubmit={form.submit}
      failures={form.failures}
      foot={
        <>
          <span className="muted">{identity.haveAccount}</span>
          <LinkButton look="ghost" to={{ pathname: paths.login, search: form.query.toString() }}>
            {identity.logInLink}
          </LinkButton>
        </>
      }
    >
      {form.errors.form && <Note tone="error">{form.errors.form}</Note>}
      {external.isAway && <Note live>{identity.inOtherWindow}</Note>}
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
      <Button type="submit" look="primary" big wide {...form.button('email')}>
        {form.asksRest ? identity.createAccount : identity.signUpWithEmail}
      </Button>
      {!form.asksRest && (
        // Where there is no Google its place stays, so that nothing moves under somebody's finger.
        <div className={external.methods.google ? 'auth-more' : 'auth-more auth-empty'}>
          <Or />
          <Button big wide icon="google" {...form.button('google')} onClick={() => void external.goTo('google')}>
            {identity.continueWithGoogle}
          </Button>
        </div>
      )}
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
