import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { changePassword } from '@tern/contract/security'
import { account } from '#messages/identity/account.ts'
import { callWithStepUp, notConfirmed } from '../../../../app/step-up/step-up.ts'
import { PasswordField } from '../../../../ui/forms/PasswordField.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { FieldsForm } from '../../FieldsForm.tsx'
import { passwordErrors } from '../../field-errors.ts'
import { useAttempt } from '../../use-attempt.ts'

/** Form to change the password or set a first one. */
export function PasswordForm({ user, label, onDone }: { user: CurrentUser; label: string; onDone: () => void }) {
  const attempt = useAttempt<{ password: string }, 'save'>({ password: '' }, passwordErrors)
  const toast = useToast()
  const queryClient = useQueryClient()

  async function save(password: string) {
    const reply = await callWithStepUp(changePassword, { body: { password } })
    if (reply === notConfirmed) return toast(account.notConfirmed, 'info')
    void queryClient.invalidateQueries({ queryKey: ['security'] })
    toast(account.passwordChanged)
    onDone()
  }

  const submit = () => attempt.submit(({ password }) => attempt.run('save', account.failed, () => save(password)))

  return (
    <FieldsForm attempt={attempt} onSubmit={submit} openedForm={{ label, isBusy: attempt.isBusy, onCancel: onDone }}>
      {/* Tells password managers which account the password belongs to. */}
      <input hidden readOnly name="username" autoComplete="username" value={user.email} />
      <PasswordField
        label={account.newPassword}
        autoComplete="new-password"
        hint={account.newPasswordHint}
        {...attempt.field('password')}
      />
    </FieldsForm>
  )
}
