import { Refused } from '@tern/contract/protocol/client'
import { resetPassword, sendPasswordReset } from '@tern/contract/sign-in'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { identity } from '#messages/identity/identity.ts'
import { signInLinks } from '#messages/identity/sign-in-links.ts'
import { titles } from '#messages/shell.ts'
import { paths } from '../../../app/paths.ts'
import { callAsVisitor } from '../../../app/session/session.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { PasswordField } from '../../../ui/forms/PasswordField.tsx'
import { AuthFrame } from '../AuthFrame.tsx'
import { passwordErrors } from '../field-errors.ts'
import { useLinkSecret } from './link-secret.ts'
import { MailForm } from './MailForm.tsx'
import type { SignInHandover } from '../sign-in/use-complete-sign-in.ts'
import { useAttempt } from '../use-attempt.ts'

/** Mails a link for choosing a new password; opened from such a link, sets the password. */
export function ResetPassword() {
  // Undefined during prerendering; null without a token in the address.
  const [token, setToken] = useState<string | null>()
  const [failure, setFailure] = useState<string>()
  useLinkSecret((query) => {
    setToken(query.get('token'))
    setFailure(undefined)
  })

  if (token === undefined) return <AuthFrame title={titles.resetPassword} />
  if (token !== null && failure === undefined) return <NewPassword token={token} onInvalid={setFailure} />
  return (
    <MailForm
      title={titles.resetPassword}
      lead={signInLinks.resetLead}
      failure={failure}
      button={signInLinks.mailReset}
      send={(email) => callAsVisitor(sendPasswordReset, { body: { email } })}
      sent={signInLinks.resetSent}
    />
  )
}

function NewPassword({ token, onInvalid }: { token: string; onInvalid: (reason: string) => void }) {
  const attempt = useAttempt<{ password: string }, 'save'>({ password: '' }, passwordErrors)
  const navigate = useNavigate()
  const { setFocus } = attempt.form
  useEffect(() => setFocus('password'), [setFocus])

  const save = (password: string) =>
    attempt.run('save', signInLinks.resetFailed, async () => {
      try {
        await callAsVisitor(resetPassword, { body: { token, password } })
      } catch (error) {
        if (error instanceof Refused && error.code === 'link_invalid') return onInvalid(error.message)
        throw error
      }
      const state: SignInHandover = { notice: signInLinks.passwordChanged }
      await navigate(paths.login, { replace: true, state })
    })

  return (
    <AuthFrame
      title={signInLinks.choosePassword}
      lead={signInLinks.choosePasswordLead}
      onSubmit={() => attempt.submit(({ password }) => save(password))}
      attempt={attempt}
    >
      <PasswordField
        label={signInLinks.newPassword}
        autoComplete="new-password"
        hint={identity.newPasswordHint}
        {...attempt.field('password')}
      />
      <Button type="submit" look="primary" big wide {...attempt.button('save')}>
        {signInLinks.savePassword}
      </Button>
    </AuthFrame>
  )
}
