import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import { changePassword } from '@tern/contract/security'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { callWithStepUp, notConfirmed } from '../../../app/step-up/step-up.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { PasswordField } from '../../../ui/forms/PasswordField.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { FieldsForm } from '../FieldsForm.tsx'
import { passwordErrors } from '../field-errors.ts'
import { Entry } from '../../../ui/layout/RuledSection.tsx'
import { StatusBadge } from '../../../ui/feedback/StatusBadge.tsx'
import { useAttempt } from '../use-attempt.ts'
import { useFocusBack } from '../use-focus-back.ts'

/** The password: whether there is one, and choosing another or a first one. */
export function PasswordPart({ user, hasPassword }: { user: CurrentUser; hasPassword: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  const opener = useFocusBack(isOpen)
  const label = hasPassword ? account.changePassword : account.setPassword
  if (isOpen) return <PasswordForm user={user} label={label} onDone={() => setIsOpen(false)} />
  return (
    <Entry
      title={
        <StatusBadge state={hasPassword ? 'good' : 'plain'}>
          {hasPassword ? account.passwordIsSet : account.passwordIsNotSet}
        </StatusBadge>
      }
    >
      <Button ref={opener} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
    </Entry>
  )
}

function PasswordForm({ user, label, onDone }: { user: CurrentUser; label: string; onDone: () => void }) {
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
    <FieldsForm attempt={attempt} onSubmit={submit} opened={{ label, isBusy: attempt.isBusy, onCancel: onDone }}>
      {/* Tells password managers whose password it is. */}
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
