import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { FieldsForm, FormActions } from '../FieldsForm.tsx'

interface PasskeyNameFormProps {
  /** The words on its button. */
  label: string
  name?: string | undefined
  hint?: string | undefined
  isBusy: boolean
  error?: string | undefined
  onName: (name: string) => void
  onCancel: () => void
}

const longestName = 60

/** What a passkey is to be called. */
export function PasskeyNameForm({ label, name = '', hint, isBusy, error, onName, onCancel }: PasskeyNameFormProps) {
  const [typed, setTyped] = useState(name)
  const [misses, setMisses] = useState(0)
  const isMissing = misses > 0 && typed.trim() === ''

  function submit() {
    if (typed.trim() === '') setMisses((count) => count + 1)
    else onName(typed.trim())
  }

  return (
    <FieldsForm failures={misses} takesFocus onSubmit={submit}>
      <TextField
        label={account.passkeyName}
        name="passkey-name"
        autoComplete="off"
        maxLength={longestName}
        hint={hint}
        value={typed}
        error={isMissing ? account.passkeyNameMissing : error}
        onChange={(event) => setTyped(event.target.value)}
      />
      <FormActions label={label} isBusy={isBusy} onCancel={onCancel} />
    </FieldsForm>
  )
}
