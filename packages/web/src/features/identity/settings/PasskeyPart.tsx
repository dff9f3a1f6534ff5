import { addPasskey, type Passkey, passkeyRegistrationOptions, removePasskey } from '@tern/contract/security'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { makePasskey } from '../../../app/step-up/passkeys.ts'
import { callWithStepUp, notConfirmed } from '../../../app/step-up/step-up.ts'
import { callApi } from '../../../app/session/session.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatDate, formatRelative } from '../../../ui/format/format.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { Entry } from '../../../ui/layout/RuledSection.tsx'
import { useSecurityAction } from '../use-security-action.ts'
import { useFocusBack } from '../use-focus-back.ts'
import { PasskeyNameForm } from './PasskeyNameForm.tsx'
import { useRename } from './use-rename.ts'

interface PasskeyPartProps {
  passkeys: readonly Passkey[]
  onCodes: (codes: readonly string[] | null) => void
}

/** The account's passkeys: adding, naming and removing them. */
export function PasskeyPart({ passkeys, onCodes }: PasskeyPartProps) {
  const [isAdding, setIsAdding] = useState(false)
  const opener = useFocusBack(isAdding)
  const { run, isBusy, error } = useSecurityAction()

  const add = (name: string) =>
    run(async () => {
      const begun = await callWithStepUp(passkeyRegistrationOptions, {})
      if (begun === notConfirmed) return begun
      const { ceremony, options } = begun
      const response = await makePasskey(options)
      const { recovery_codes: codes } = await callApi(addPasskey, { body: { ceremony, name, response } })
      onCodes(codes)
      setIsAdding(false)
      return account.passkeyAdded
    })

  const remove = (id: string) =>
    run(async () => {
      const reply = await callWithStepUp(removePasskey, { params: { id } })
      return reply === notConfirmed ? reply : account.passkeyRemoved
    })

  return (
    <>
      {error && <Note tone="error">{error}</Note>}
      {passkeys.length === 0 && !isAdding && <p className="muted">{account.noPasskeys}</p>}
      {passkeys.length > 0 && (
        <ul className="entry-list">
          {passkeys.map((passkey) => (
            <li key={passkey.id}>
              <PasskeyRow passkey={passkey} isBusy={isBusy} onRemove={() => remove(passkey.id)} />
            </li>
          ))}
        </ul>
      )}
      {isAdding ? (
        <PasskeyNameForm
          label={account.goOn}
          hint={account.passkeyNameHint}
          isBusy={isBusy}
          onName={add}
          onCancel={() => setIsAdding(false)}
        />
      ) : (
        <div>
          <Button icon="plus" ref={opener} onClick={() => setIsAdding(true)}>
            {account.addPasskey}
          </Button>
        </div>
      )}
    </>
  )
}

function PasskeyRow({ passkey, isBusy, onRemove }: { passkey: Passkey; isBusy: boolean; onRemove: () => void }) {
  const renaming = useRename(passkey.id)
  if (renaming.isOpen) {
    return (
      <PasskeyNameForm
        label={account.save}
        name={passkey.name}
        isBusy={renaming.isBusy}
        error={renaming.error}
        onName={renaming.save}
        onCancel={renaming.close}
      />
    )
  }
  const { name, synced, created_at: createdAt, last_used_at: lastUsedAt } = passkey
  const facts = [
    synced ? account.synced : account.oneDevice,
    account.added(formatDate(createdAt)),
    lastUsedAt ? account.lastUsed(formatRelative(lastUsedAt)) : account.neverUsed,
  ]
  return (
    <Entry title={name} text={facts.join(' · ')}>
      <Button look="ghost" aria-label={account.renameOf(name)} onClick={renaming.open}>
        {account.rename}
      </Button>
      <Button look="ghost" aria-label={account.removeOf(name)} disabled={isBusy} onClick={onRemove}>
        {account.remove}
      </Button>
    </Entry>
  )
}
