import { useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { PasswordField } from '../../ui/forms/PasswordField.tsx'
import { Or } from './AuthFrame.tsx'
import type { LoginForm } from './sign-in/use-login.ts'

/** The second half of logging in by email: the password, a passkey, or a link by mail. */
export function Confirmation({ form }: { form: LoginForm }) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <>
      <div>
        <PasswordField
          label={identity.password}
          name="password"
          autoComplete="current-password"
          ref={field}
          value={form.password}
          error={form.errors.password}
          onChange={(event) => form.setPassword(event.target.value)}
        />
        <Link className="auth-aside small" to={paths.resetPassword} state={{ email: form.email }}>
          {identity.forgotPassword}
        </Link>
      </div>
      <Button type="submit" look="primary" big wide {...form.button('email')}>
        {identity.logIn}
      </Button>
      <Or />
      <div className="auth-pair">
        <Button big {...form.button('passkey')} onClick={form.askPasskey}>
          {identity.usePasskey}
        </Button>
        <Button big {...form.button('link')} onClick={form.askLink}>
          {identity.emailLink}
        </Button>
      </div>
      <Button look="ghost" className="auth-back" onClick={() => form.setStep('email')}>
        {identity.otherEmail}
      </Button>
    </>
  )
}
