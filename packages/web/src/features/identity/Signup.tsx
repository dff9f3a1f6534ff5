import { Refused } from '@tern/contract/protocol/client'
import { registration } from '@tern/contract/protocol/account-forms'
import { register } from '@tern/contract/identity'
import type { RefusalCode } from '@tern/contract/protocol/refusal'
import { useEffect, useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../app/paths.ts'
import { schemaErrors } from '../../app/forms/resolver.ts'
import { callAsVisitor } from '../../app/session/session.ts'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import { classNames } from '../../ui/icon/class-names.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { PasswordField } from '../../ui/forms/PasswordField.tsx'
import { TextField } from '../../ui/forms/TextField.tsx'
import { AuthFrame, EmailField, OrDivider } from './AuthFrame.tsx'
import { emailErrors } from './field-errors.ts'
import { DeletionCanceled } from './sign-in/DeletionCanceled.tsx'
import { SecondFactor } from './sign-in/SecondFactor.tsx'
import { useCompleteSignIn } from './sign-in/use-complete-sign-in.ts'
import { useAttempt } from './use-attempt.ts'
import { useExternal } from './sign-in/use-external.ts'
import { suggestUsername, varyUsername } from './suggested-username.ts'

/** Field of a refusal that names no field itself. */
const fieldOfTaken: Partial<Record<RefusalCode, FieldName>> = { email_taken: 'email', username_taken: 'username' }

interface Values {
  /** Undefined initially, so that text typed before hydration is kept. */
  email: string | undefined
  name: string
  username: string
  password: string
}

type FieldName = keyof Values

const buildRequest = ({ email = '', name, ...rest }: Values) => ({
  email,
  ...rest,
  ...(name.trim() !== '' && { name }),
})

function useSignup() {
  const [asksRest, setAsksRest] = useState(false)
  const [taken, setTaken] = useState<string>()
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const from = query.get('from')
  const arrival = useCompleteSignIn(from, { followsOtherTabs: true })
  const attempt = useAttempt<Values, 'google' | 'email'>(
    { email: undefined, name: '', username: '', password: '' },
    (values) => (asksRest ? schemaErrors(registration, buildRequest(values)) : emailErrors(values)),
  )
  const { run, fail } = attempt

  const external = useExternal({
    hint: 'signup',
    from,
    run,
    onReply: (reply) => arrival.take(reply),
    onKnownAccount: (known) => void navigate({ pathname: paths.login, search: query.toString() }, { state: known }),
    onDown: (sentence) => {
      setAsksRest(true)
      fail({ root: sentence })
    },
  })

  const createAccount = (values: Values) =>
    run('email', identity.signupFailed, async () => {
      try {
        const reply = await callAsVisitor(register, { body: buildRequest(values) })
        await arrival.take({ ...reply, new_user: true })
      } catch (error) {
        const field = error instanceof Refused ? fieldOfTaken[error.code] : undefined
        if (!field) throw error
        const { message, errors } = error as Refused
        const isFixed = errors.some(({ code }) => code === 'username_reserved' || code === 'username_is_number')
        setTaken(field === 'username' && !isFixed ? values.username : undefined)
        fail({ [field]: message })
      }
    })

  const submit = () =>
    attempt.submit((values) => {
      if (asksRest) return createAccount(values)
      void external.redirectToProvider(values.email ?? '').then((isRedirecting) => isRedirecting || setAsksRest(true))
    })

  return { ...attempt, asksRest, taken, query, arrival, external, submit }
}

/** Undefined initially, so that text typed before hydration is kept. */
export default function Signup() {
  const form = useSignup()
  const { arrival, external, asksRest } = form
  const { setFocus } = form.form
  useEffect(() => {
    if (asksRest) setFocus('name')
  }, [asksRest, setFocus])

  if (arrival.isDeletionCanceled) return <DeletionCanceled next={arrival.next} />
  if (arrival.asked) return <SecondFactor asked={arrival.asked} onSignedIn={arrival.take} onRestart={arrival.forget} />
  return (
    <AuthFrame
      title={titles.signup}
      lead={identity.signupLead}
      onSubmit={form.submit}
      attempt={form}
      foot={
        <>
          <span className="muted">{identity.haveAccount}</span>
          <LinkButton look="ghost" to={{ pathname: paths.login, search: form.query.toString() }}>
            {identity.logInLink}
          </LinkButton>
        </>
      }
    >
      {external.isRedirecting && <Note live>{identity.inOtherWindow}</Note>}
      <EmailField autoComplete="email" {...form.field('email')} />
      {asksRest && <AccountFields form={form} />}
      <Agreement />
      <Button type="submit" look="primary" big wide {...form.button('email')}>
        {asksRest ? identity.createAccount : identity.signUpWithEmail}
      </Button>
      {!asksRest && (
        // Keeps its space without Google, so that nothing moves under the pointer.
        <div className={classNames('grid gap-5', !external.methods.google && 'invisible')}>
          <OrDivider />
          <Button big wide {...form.button('google')} onClick={() => void external.goTo('google')}>
            <ExtraIcon name="google" />
            {identity.continueWithGoogle}
          </Button>
        </div>
      )}
    </AuthFrame>
  )
}

/** Links to the documents that a new account agrees to. */
function Agreement() {
  const { before, between, after } = identity.agreement
  return (
    <p className="small muted">
      {before}
      <a className="underline" href={paths.terms}>
        {identity.terms}
      </a>
      {between}
      <a className="underline" href={paths.privacy}>
        {identity.privacyPolicy}
      </a>
      {after}
    </p>
  )
}

type SignupForm = ReturnType<typeof useSignup>

/** Derives the username from name and email until the user edits it. */
function useSuggestion({ form: { getValues, setValue } }: SignupForm) {
  const [suggestion, setSuggestion] = useState(() => suggestUsername(getValues()))
  const [isEdited, setIsEdited] = useState(false)
  useEffect(() => setValue('username', suggestion), [suggestion, setValue])
  return {
    isSuggested: suggestion !== '' && !isEdited,
    onEdit: () => setIsEdited(true),
    onName(name: string) {
      if (!isEdited) setSuggestion(suggestUsername({ ...getValues(), name }))
    },
  }
}

function AccountFields({ form }: { form: SignupForm }) {
  const { field } = form
  const { isSuggested, onEdit, onName } = useSuggestion(form)
  return (
    <>
      <TextField
        label={identity.name}
        optional
        autoComplete="name"
        {...field('name')}
        onInput={({ currentTarget }) => onName(currentTarget.value)}
      />
      <div>
        <TextField
          label={identity.username}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          hint={isSuggested ? identity.usernameSuggested : identity.usernameHint}
          {...field('username')}
          onInput={onEdit}
        />
        {form.taken !== undefined && form.fieldError('username') && <Variant form={form} taken={form.taken} />}
      </div>
      <PasswordField
        label={identity.newPassword}
        autoComplete="new-password"
        hint={identity.newPasswordHint}
        {...field('password')}
      />
    </>
  )
}

/** Offers another username if the chosen one is taken. */
function Variant({ form: { form }, taken }: { form: SignupForm; taken: string }) {
  const variant = useMemo(() => varyUsername(taken), [taken])
  function take() {
    form.setValue('username', variant)
    form.clearErrors('username')
    form.setFocus('username')
  }
  return (
    <Button look="ghost" className="-ms-3" onClick={take}>
      {identity.useUsername(variant)}
    </Button>
  )
}
