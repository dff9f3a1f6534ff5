import { passkeyName } from '@tern/contract/security'
import { account } from '#messages/identity/account.ts'
import { schemaErrors } from '../../../app/forms/resolver.ts'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { FieldsForm, FormActions } from '../FieldsForm.tsx'
import { useAttempt } from '../use-attempt.ts'

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
  const form = useAttempt<{ name: string }, 'save'>({ name }, (values) => schemaErrors(passkeyName, values))
  return (
    <FieldsForm
      failures={form.failures}
      takesFocus
      onSubmit={() => form.submit((values) => onName(values.name.trim()))}
    >
      <TextField
        label={account.passkeyName}
        autoComplete="off"
        maxLength={longestName}
        hint={hint}
        {...form.field('name')}
        error={form.errorOf('name') ?? error}
      />
      <FormActions label={label} isBusy={isBusy} onCancel={onCancel} />
    </FieldsForm>
  )
}
