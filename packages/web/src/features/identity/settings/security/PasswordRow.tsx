import type { CurrentUser } from '@tern/contract/identity'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { ValueRow } from '../../../../ui/settings/SettingRow.tsx'
import { settingIcons } from '../setting-icons.ts'
import { PasswordForm } from './PasswordForm.tsx'

export function PasswordRow({ user, hasPassword }: { user: CurrentUser; hasPassword: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <ValueRow
      icon={settingIcons.lock}
      title={account.passwordTitle}
      text={hasPassword ? account.passwordText : account.passwordIsNotSet}
      value={hasPassword ? account.change : account.noneYet}
      isOpen={isOpen}
      onPress={() => setIsOpen(!isOpen)}
    >
      {isOpen && (
        <PasswordForm
          user={user}
          label={hasPassword ? account.changePassword : account.setPassword}
          onDone={() => setIsOpen(false)}
        />
      )}
    </ValueRow>
  )
}
