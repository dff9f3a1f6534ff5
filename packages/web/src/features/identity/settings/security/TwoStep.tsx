import type { Reply } from '@tern/contract/protocol/endpoint'
import { removeTotp, renewRecoveryCodes, type securityOverview, startTotp } from '@tern/contract/security'
import { lazy, Suspense, useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { Entry } from '../../../../ui/layout/RuledSection.tsx'
import { StatusBadge } from '../../../../ui/feedback/StatusBadge.tsx'
import { useSecurityAction } from '../../use-security-action.ts'
import { useFocusBack } from '../../use-focus-back.ts'

const SetUpApp = lazy(async () => ({ default: (await import('./SetUpApp.tsx')).SetUpApp }))
const RecoveryCodes = lazy(async () => ({ default: (await import('./RecoveryCodes.tsx')).RecoveryCodes }))

type Started = Reply<typeof startTotp>

interface TwoStepProps {
  email: string
  security: Reply<typeof securityOverview>
  /** Recovery codes that were made just now. */
  codes: readonly string[] | undefined
  onCodes: (codes: readonly string[] | null) => void
  onSaved: () => void
}

/** The authenticator app, and the recovery codes that stand in for a lost factor. */
export function TwoStep({ email, security, codes, onCodes, onSaved }: TwoStepProps) {
  const [started, setStarted] = useState<Started>()
  const setUpButton = useFocusBack(started !== undefined)
  const newCodesButton = useFocusBack(codes !== undefined)
  const { confirmAndRun, isBusy, error } = useSecurityAction()

  const start = () => confirmAndRun(startTotp, {}, setStarted)
  const remove = () => confirmAndRun(removeTotp, {}, () => account.appRemoved)
  const renew = () => confirmAndRun(renewRecoveryCodes, {}, (reply) => onCodes(reply.recovery_codes))

  const hasFactor = security.totp || security.passkeys.length > 0
  return (
    <>
      {error && <Note tone="error">{error}</Note>}
      <Entry
        title={account.app}
        text={
          <StatusBadge state={security.totp ? 'good' : 'plain'}>{security.totp ? account.on : account.off}</StatusBadge>
        }
      >
        {!started &&
          (security.totp ? (
            <Button disabled={isBusy} onClick={remove}>
              {account.remove}
            </Button>
          ) : (
            <Button ref={setUpButton} processing={isBusy} onClick={start}>
              {account.setUp}
            </Button>
          ))}
      </Entry>
      <Suspense>{started && <SetUpApp {...started} onCodes={onCodes} onEnd={() => setStarted(undefined)} />}</Suspense>
      {hasFactor && !codes && (
        <Entry title={account.recoveryCodes} text={account.codesLeft(security.recovery_codes_left)}>
          <Button ref={newCodesButton} disabled={isBusy} onClick={renew}>
            {account.newCodes}
          </Button>
        </Entry>
      )}
      <Suspense>{codes && <RecoveryCodes codes={codes} email={email} onSaved={onSaved} />}</Suspense>
    </>
  )
}
