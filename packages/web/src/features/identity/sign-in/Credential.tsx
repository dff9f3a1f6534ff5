import { useEffect } from 'react'
import { Link } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { paths } from '../../../app/paths.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { PasswordField } from '../../../ui/forms/PasswordField.tsx'
import { OrDivider } from '../AuthFrame.tsx'
import type { LoginForm } from './use-login.ts'

/** Second step of signing in by email: password, passkey or mailed link. */
export function Credential({ form: login }: { form: LoginForm }) {
  const { setFocus } = login.form
  useEffect(() => setFocus('password'), [setFocus])
  return (
    <>
      <div>
        <PasswordField label={identity.password} autoComplete="current-password" {...login.field('password')} />
        <Link className="small float-end -mb-3 py-3 text-sea" to={paths.resetPassword} state={{ email: login.email }}>
          {identity.forgotPassword}
        </Link>
      </div>
      <Button type="submit" look="primary" big wide {...login.button('email')}>
        {identity.logIn}
      </Button>
      <OrDivider />
      <div className="grid gap-3">
        <Button big {...login.button('passkey')} onClick={login.askPasskey}>
          {identity.usePasskey}
        </Button>
        <Button big {...login.button('link')} onClick={login.askLink}>
          {identity.emailLink}
        </Button>
      </div>
      <Button look="ghost" className="-ms-3 justify-self-start" onClick={() => login.setStep('email')}>
        {identity.otherEmail}
      </Button>
    </>
  )
}
