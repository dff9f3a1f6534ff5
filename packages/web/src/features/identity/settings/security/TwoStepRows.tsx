import type { Reply } from '@tern/contract/protocol/endpoint'
import { removeTotp, renewRecoveryCodes, type securityOverview, startTotp } from '@tern/contract/security'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { SwitchRow, ValueRow } from '../../../../ui/settings/SettingRow.tsx'
import { useSecurityAction } from '../../use-security-action.ts'
import { settingIcons } from '../setting-icons.ts'
import { RecoveryCodes } from './RecoveryCodes.tsx'
import { SetUpApp } from './SetUpApp.tsx'

interface TwoStepProps {
  email: string
  security: Reply<typeof securityOverview>
  /** Newly created recovery codes. */
  codes: readonly string[] | undefined
  onCodes: (codes: readonly string[] | null) => void
  onSaved: () => void
}

/** Authenticator app, and recovery codes for a lost factor. */
export function TwoStepRows({ email, security, codes, onCodes, onSaved }: TwoStepProps) {
  const [setupReply, setSetupReply] = useState<Reply<typeof startTotp>>()
  const { confirmAndRun, error } = useSecurityAction()

  const start = () => confirmAndRun(startTotp, {}, setSetupReply)
  const remove = () => confirmAndRun(removeTotp, {}, () => account.appRemoved)
  const renew = () => confirmAndRun(renewRecoveryCodes, {}, (reply) => onCodes(reply.recovery_codes))
  const set = (isOn: boolean) => {
    if (!isOn && setupReply) setSetupReply(undefined)
    else if (isOn) start()
    else remove()
  }

  const hasFactor = security.totp || security.passkeys.length > 0
  return (
    <>
      <SwitchRow
        id="two-step"
        icon={settingIcons.shield}
        title={account.twoStepTitle}
        text={account.twoStepText}
        checked={security.totp || setupReply !== undefined}
        onSwitch={set}
      >
        {error && <Note tone="error">{error}</Note>}
        {setupReply && <SetUpApp {...setupReply} onCodes={onCodes} onEnd={() => setSetupReply(undefined)} />}
      </SwitchRow>
      {(hasFactor || codes) && (
        <ValueRow
          icon={settingIcons.list}
          title={account.recoveryCodes}
          text={account.newCodes}
          value={account.codesLeft(security.recovery_codes_left)}
          isOpen={codes !== undefined}
          onPress={codes ? undefined : renew}
        >
          {codes && <RecoveryCodes codes={codes} email={email} onSaved={onSaved} />}
        </ValueRow>
      )}
    </>
  )
}
