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

/** Form field at which a refusal without a field of its own is shown. */
const fieldByRefusal: Partial<Record<RefusalCode, FieldName>> = { email_taken: 'email', username_taken: 'username' }

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
  const [showsAllFields, setShowsAllFields] = useState(false)
  const [takenUsername, setTakenUsername] = useState<string>()
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const from = query.get('from')
  const arrival = useCompleteSignIn(from, { followsOtherTabs: true })
  const attempt = useAttempt<Values, 'google' | 'email'>(
    { email: undefined, name: '', username: '', password: '' },
    (values) => (showsAllFields ? schemaErrors(registration, buildRequest(values)) : emailErrors(values)),
  )
  const { run, showFailures } = attempt

  const external = useExternal({
    hint: 'signup',
    from,
    run,
    onReply: (reply) => arrival.completeSignIn(reply),
    onKnownAccount: (account) => void navigate({ pathname: paths.login, search: query.toString() }, { state: account }),
    onUnavailable: (sentence) => {
      setShowsAllFields(true)
      showFailures({ root: sentence })
    },
  })

  const createAccount = (values: Values) =>
    run('email', identity.signupFailed, async () => {
      try {
        const reply = await callAsVisitor(register, { body: buildRequest(values) })
        await arrival.completeSignIn({ ...reply, new_user: true })
      } catch (error) {
        const field = error instanceof Refused ? fieldByRefusal[error.code] : undefined
        if (!field) throw error
        const { message, errors } = error as Refused
        const isNeverAllowed = errors.some(({ code }) => code === 'username_reserved' || code === 'username_is_number')
        setTakenUsername(field === 'username' && !isNeverAllowed ? values.username : undefined)
        showFailures({ [field]: message })
      }
    })

  const submit = () =>
    attempt.submit((values) => {
      if (showsAllFields) return createAccount(values)
      void external
        .redirectToProvider(values.email ?? '')
        .then((isRedirecting) => isRedirecting || setShowsAllFields(true))
    })

  return { ...attempt, showsAllFields, takenUsername, query, arrival, external, submit }
}

export default function Signup() {
  const form = useSignup()
  const { arrival, external, showsAllFields } = form
  const { setFocus } = form.form
  useEffect(() => {
    if (showsAllFields) setFocus('name')
  }, [showsAllFields, setFocus])

  if (arrival.isDeletionCanceled) return <DeletionCanceled next={arrival.next} />
  if (arrival.challenge)
    return (
      <SecondFactor
        request={arrival.challenge}
        onSignedIn={arrival.completeSignIn}
        onRestart={arrival.resetChallenge}
      />
    )
  return (
    <AuthFrame
      title={titles.signup}
      lead={identity.signupLead}
      onSubmit={form.submit}
      attempt={form}
      footer={
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
      {showsAllFields && <AccountFields form={form} />}
      <Agreement />
      <Button type="submit" look="primary" big wide {...form.button('email')}>
        {showsAllFields ? identity.createAccount : identity.signUpWithEmail}
      </Button>
      {!showsAllFields && (
        // Hidden rather than removed without Google, so that the layout does not shift.
        <div className={classNames('grid gap-5', !external.methods.google && 'invisible')}>
          <OrDivider />
          <Button big wide {...form.button('google')} onClick={() => void external.redirectTo('google')}>
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
        {form.takenUsername !== undefined && form.fieldError('username') && (
          <UsernameSuggestion form={form} takenUsername={form.takenUsername} />
        )}
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
function UsernameSuggestion({ form: { form }, takenUsername }: { form: SignupForm; takenUsername: string }) {
  const variant = useMemo(() => varyUsername(takenUsername), [takenUsername])
  function acceptSuggestion() {
    form.setValue('username', variant)
    form.clearErrors('username')
    form.setFocus('username')
  }
  return (
    <Button look="ghost" className="-ms-3" onClick={acceptSuggestion}>
      {identity.useUsername(variant)}
    </Button>
  )
}
