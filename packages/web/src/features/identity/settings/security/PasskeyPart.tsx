import { useQueryClient } from '@tanstack/react-query'
import {
  addPasskey,
  type Passkey,
  passkeyName,
  passkeyRegistrationOptions,
  removePasskey,
  renamePasskey,
} from '@tern/contract/security'
import { type ComponentProps, useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { createPasskey } from '../../../../app/step-up/passkeys.ts'
import { useAction } from '../../../../app/use-action.ts'
import { describeError } from '../../errors.ts'
import { schemaErrors } from '../../../../app/forms/resolver.ts'
import { callApi } from '../../../../app/session/session.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { formatDate, formatRelative } from '../../../../ui/format/format.ts'
import { TextField } from '../../../../ui/forms/TextField.tsx'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { Entry } from '../../../../ui/layout/RuledSection.tsx'
import { useSecurityAction } from '../../use-security-action.ts'
import { FieldsForm } from '../../FieldsForm.tsx'
import { useAttempt } from '../../use-attempt.ts'
import { useFocusReturn } from '../../../../ui/settings/use-focus-return.ts'

interface PasskeyPartProps {
  passkeys: readonly Passkey[]
  onCodes: (codes: readonly string[] | null) => void
}

/** List of passkeys with add, rename and remove. */
export function PasskeyPart({ passkeys, onCodes }: PasskeyPartProps) {
  const [isAdding, setIsAdding] = useState(false)
  const opener = useFocusReturn(isAdding)
  const { confirmAndRun, isBusy, error } = useSecurityAction()

  const add = (name: string) =>
    confirmAndRun(passkeyRegistrationOptions, {}, async ({ ceremony, options }) => {
      const response = await createPasskey(options)
      const { recovery_codes: codes } = await callApi(addPasskey, { body: { ceremony, name, response } })
      onCodes(codes)
      setIsAdding(false)
      return account.passkeyAdded
    })

  const remove = (id: string) => confirmAndRun(removePasskey, { params: { id } }, () => account.passkeyRemoved)

  return (
    <>
      {error && <Note tone="error">{error}</Note>}
      {passkeys.length === 0 && !isAdding && <p className="muted">{account.noPasskeys}</p>}
      {passkeys.length > 0 && (
        <ul className="[&>li+li]:mt-4 [&>li+li]:pt-4 [&>li+li]:border-t">
          {passkeys.map((passkey) => (
            <li key={passkey.id}>
              <PasskeyRow passkey={passkey} isBusy={isBusy} onRemove={() => remove(passkey.id)} />
            </li>
          ))}
        </ul>
      )}
      {isAdding ? (
        <PasskeyNameForm
          hint={account.passkeyNameHint}
          openedForm={{ label: account.goOn, isBusy, onCancel: () => setIsAdding(false) }}
          onName={add}
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
  const { id, name, synced, created_at: createdAt, last_used_at: lastUsedAt } = passkey
  const queryClient = useQueryClient()
  const [isRenaming, setIsRenaming] = useState(false)
  const renameAction = useAction({ failed: (error) => describeError(error, account.failed) })
  const rename = (next: string) =>
    renameAction.run(async () => {
      await callApi(renamePasskey, { params: { id }, body: { name: next } })
      await queryClient.invalidateQueries({ queryKey: ['security'] })
      setIsRenaming(false)
    })
  if (isRenaming) {
    const openedForm = { label: account.save, isBusy: renameAction.isBusy, onCancel: () => setIsRenaming(false) }
    return <PasskeyNameForm name={name} error={renameAction.error} openedForm={openedForm} onName={rename} />
  }
  const facts = [
    synced ? account.synced : account.oneDevice,
    account.added(formatDate(createdAt)),
    lastUsedAt ? account.lastUsed(formatRelative(lastUsedAt)) : account.neverUsed,
  ]
  return (
    <Entry title={name} text={facts.join(' · ')}>
      <Button look="ghost" aria-label={account.renameOf(name)} onClick={() => setIsRenaming(true)}>
        {account.rename}
      </Button>
      <Button look="ghost" aria-label={account.removeOf(name)} disabled={isBusy} onClick={onRemove}>
        {account.remove}
      </Button>
    </Entry>
  )
}

interface PasskeyNameFormProps {
  name?: string | undefined
  hint?: string | undefined
  error?: string | undefined
  openedForm: ComponentProps<typeof FieldsForm>['openedForm']
  onName: (name: string) => void
}

const longestName = 60

function PasskeyNameForm({ name = '', hint, error, openedForm, onName }: PasskeyNameFormProps) {
  const form = useAttempt<{ name: string }, 'save'>({ name }, (values) => schemaErrors(passkeyName, values))
  return (
    <FieldsForm
      attempt={form}
      onSubmit={() => form.submit((values) => onName(values.name.trim()))}
      openedForm={openedForm}
    >
      <TextField
        label={account.passkeyName}
        autoComplete="off"
        maxLength={longestName}
        hint={hint}
        {...form.field('name')}
        error={form.fieldError('name') ?? error}
      />
    </FieldsForm>
  )
}
