import type { CurrentUser } from '@tern/contract/identity'
import { Suspense, useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { Entry } from '../../../../ui/layout/RuledSection.tsx'
import { lazyComponent } from '../../../../ui/lazy-component.ts'
import { StatusBadge } from '../../../../ui/feedback/StatusBadge.tsx'
import { useFocusBack } from '../../use-focus-back.ts'

const PasswordForm = lazyComponent(() => import('./PasswordForm.tsx'), 'PasswordForm')

/** The password: whether there is one, and choosing another or a first one. */
export function PasswordPart({ user, hasPassword }: { user: CurrentUser; hasPassword: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  const opener = useFocusBack(isOpen)
  const label = hasPassword ? account.changePassword : account.setPassword
  if (isOpen) {
    return (
      <Suspense>
        <PasswordForm user={user} label={label} onDone={() => setIsOpen(false)} />
      </Suspense>
    )
  }
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
