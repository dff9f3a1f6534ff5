import type { CurrentUser } from '@tern/contract/identity'
import { freezeAccount, unfreezeAccount } from '@tern/contract/security'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { callApi, refetchUser } from '../../../../app/session/session.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { formatDateTime } from '../../../../ui/format/format.ts'
import { ConfirmDialog } from '../../../../ui/layout/ConfirmDialog.tsx'
import { SwitchRow } from '../../../../ui/settings/SettingRow.tsx'
import { useSecurityAction } from '../../use-security-action.ts'
import { settingIcons } from '../setting-icons.ts'

/** Freezes the account after a confirmation dialog; unfreezing requires step-up. */
export function FreezeRow({ user: { frozen_at: frozenAt } }: { user: Pick<CurrentUser, 'frozen_at'> }) {
  const [isConfirming, setIsConfirming] = useState(false)
  const { run, confirmAndRun, error } = useSecurityAction()
  const toast = useToast()
  const freeze = () =>
    run(async () => {
      setIsConfirming(false)
      await callApi(freezeAccount, {})
      await refetchUser()
      toast(account.frozen)
    })
  const unfreeze = () =>
    confirmAndRun(unfreezeAccount, {}, async () => {
      await refetchUser()
      return account.unfrozen
    })
  return (
    <SwitchRow
      id="freeze"
      icon={settingIcons.snow}
      title={account.freeze}
      text={frozenAt ? account.frozenSince(formatDateTime(frozenAt)) : account.freezeText}
      checked={frozenAt !== null}
      onSwitch={(isOn) => (isOn ? setIsConfirming(true) : unfreeze())}
    >
      {error && <Note tone="error">{error}</Note>}
      {isConfirming && (
        <ConfirmDialog
          title={account.freezeTitle}
          text={account.freezePoints}
          action={account.freeze}
          cancel={account.cancel}
          onConfirm={freeze}
          onClose={() => setIsConfirming(false)}
        />
      )}
    </SwitchRow>
  )
}
