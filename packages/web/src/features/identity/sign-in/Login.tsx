import { identity } from '#messages/identity/identity.ts'
import { paths } from '../../../app/paths.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { ExtraIcon } from '../../../ui/icon/ExtraIcon.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { AuthFrame, EmailField, OrDivider } from '../AuthFrame.tsx'
import { CheckMail } from '../email-links/CheckMail.tsx'
import { DeletionCanceled } from './DeletionCanceled.tsx'
import { Credential } from './Credential.tsx'
import { SecondFactor } from './SecondFactor.tsx'
import { type LoginForm, useLogin } from './use-login.ts'

/** Sign-in by provider, passkey, mailed link or password, then a second factor if the account has one. */
export default function Login() {
  const form = useLogin()
  const { arrival, step } = form
  if (arrival.isDeletionCanceled) return <DeletionCanceled next={arrival.next} linkError={arrival.linkError} />
  if (arrival.linkError) return <NotConnected failure={arrival.linkError} next={arrival.next} />
  if (arrival.challenge)
    return <SecondFactor request={arrival.challenge} onSignedIn={arrival.completeSignIn} onRestart={form.restart} />
  if (step === 'mail') {
    return (
      <CheckMail email={form.email} send={form.mailLink} onBack={() => form.setStep('credential')}>
        {identity.loginLinkSent}
      </CheckMail>
    )
  }
  return (
    <AuthFrame
      title={identity.welcomeBack}
      lead={identity.loginLead}
      onSubmit={form.submit}
      attempt={{ failures: form.failures }}
      footer={<LoginFooter form={form} />}
    >
      <Notes form={form} />
      {step === 'email' && <ProviderButton form={form} />}
      <EmailField readOnly={step === 'credential'} {...form.field('email')} />
      {step === 'credential' ? (
        <Credential form={form} />
      ) : (
        <Button type="submit" look="primary" big wide {...form.button('email')}>
          {identity.continueWithEmail}
        </Button>
      )}
    </AuthFrame>
  )
}

/** Signed in, but the provider identity could not be linked to the account. */
function NotConnected({ failure, next }: { failure: string; next: string }) {
  return (
    <AuthFrame title={identity.signedIn} showsTitleFirst lead={identity.notConnected}>
      <Note tone="error">{failure}</Note>
      <LinkButton look="primary" big wide to={next} replace>
        {identity.goOn}
      </LinkButton>
    </AuthFrame>
  )
}

/** Notes above the form: the preceding action, and errors. */
function Notes({ form: { handover, isFromSend, error, failures, arrival, external } }: { form: LoginForm }) {
  const failure = error ?? (failures === 0 ? handover?.failure : undefined)
  return (
    <>
      {handover?.notice && <Note live>{handover.notice}</Note>}
      {!handover?.notice && !failure && isFromSend && <Note>{identity.authenticationRequired}</Note>}
      {failure && <Note tone="error">{failure}</Note>}
      {!failure && arrival.link && <Note>{identity.joins}</Note>}
      {external.isRedirecting && <Note live>{identity.inOtherWindow}</Note>}
    </>
  )
}

/** Google button, or a passkey button without Google, so that the layout does not shift. */
function ProviderButton({ form }: { form: LoginForm }) {
  return (
    <>
      {form.external.methods.google ? (
        <Button big wide {...form.button('google')} onClick={() => void form.external.redirectTo('google')}>
          <ExtraIcon name="google" />
          {identity.signInWithGoogle}
        </Button>
      ) : (
        <Button big wide {...form.button('passkey')} onClick={form.askPasskey}>
          {identity.usePasskey}
        </Button>
      )}
      <OrDivider />
    </>
  )
}

/** Right-aligned on the line; on narrow screens on a separate line. */
const passwordButtonClass =
  '-me-3 min-[460px]:ms-auto max-[460px]:-ms-3 max-[460px]:basis-full max-[460px]:justify-start'

function LoginFooter({ form: { query, step, external, enterPassword } }: { form: LoginForm }) {
  return (
    <>
      <span className="muted">{identity.newToTern}</span>
      <LinkButton look="ghost" to={{ pathname: paths.signup, search: query.toString() }}>
        {identity.signUp}
      </LinkButton>
      {step === 'email' && external.methods.external && (
        <Button look="ghost" className={passwordButtonClass} onClick={enterPassword}>
          {identity.usePassword}
        </Button>
      )}
    </>
  )
}
