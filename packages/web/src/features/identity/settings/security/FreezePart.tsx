import type { CurrentUser } from '@tern/contract/identity'
import { freezeAccount, unfreezeAccount } from '@tern/contract/security'
import { account } from '#messages/identity/account.ts'
import { callApi, refetchUser } from '../../../../app/session/session.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { StatusBadge } from '../../../../ui/feedback/StatusBadge.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { formatDateTime } from '../../../../ui/format/format.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { Entry } from '../../../../ui/layout/RuledSection.tsx'
import { useSecurityAction } from '../../use-security-action.ts'

/** Freezing the account with one press, and ending that with a confirmation. */
export function FreezePart({ user: { frozen_at: frozenAt } }: { user: Pick<CurrentUser, 'frozen_at'> }) {
  const { run, confirmAndRun, isBusy, error } = useSecurityAction()
  const toast = useToast()
  const freeze = () =>
    run(async () => {
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
    <>
      {error && <Note tone="error">{error}</Note>}
      <Entry
        title={
          <StatusBadge state={frozenAt ? 'open' : 'plain'}>
            {frozenAt ? account.frozenSince(formatDateTime(frozenAt)) : account.notFrozen}
          </StatusBadge>
        }
        text={account.freezePoints}
      >
        <Button processing={isBusy} onClick={frozenAt ? unfreeze : freeze}>
          {frozenAt ? account.unfreeze : account.freeze}
        </Button>
      </Entry>
    </>
  )
}
