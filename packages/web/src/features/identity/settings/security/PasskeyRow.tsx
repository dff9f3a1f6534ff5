import type { Passkey } from '@tern/contract/security'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { ValueRow } from '../../../../ui/settings/SettingRow.tsx'
import { settingIcons } from '../setting-icons.ts'
import { PasskeyPart } from './PasskeyPart.tsx'

interface PasskeyRowProps {
  passkeys: readonly Passkey[]
  onCodes: (codes: readonly string[] | null) => void
}

/** Number of passkeys; expands to the list. */
export function PasskeyRow({ passkeys, onCodes }: PasskeyRowProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <ValueRow
      icon={settingIcons.key}
      title={account.passkeysTitle}
      text={account.passkeysText}
      value={passkeys.length === 0 ? account.noneYet : account.passkeysCount(passkeys.length)}
      isOpen={isOpen}
      onPress={() => setIsOpen(!isOpen)}
    >
      {isOpen && <PasskeyPart passkeys={passkeys} onCodes={onCodes} />}
    </ValueRow>
  )
}
