import { passkeyName } from '@tern/contract/security'
import type { ComponentProps } from 'react'
import { account } from '#messages/identity/account.ts'
import { schemaErrors } from '../../../app/forms/resolver.ts'
import { TextField } from '../../../ui/forms/TextField.tsx'
import { FieldsForm } from '../FieldsForm.tsx'
import { useAttempt } from '../use-attempt.ts'

interface PasskeyNameFormProps {
  name?: string | undefined
  hint?: string | undefined
  error?: string | undefined
  opened: ComponentProps<typeof FieldsForm>['opened']
  onName: (name: string) => void
}

const longestName = 60

/** What a passkey is to be called. */
export function PasskeyNameForm({ name = '', hint, error, opened, onName }: PasskeyNameFormProps) {
  const form = useAttempt<{ name: string }, 'save'>({ name }, (values) => schemaErrors(passkeyName, values))
  return (
    <FieldsForm attempt={form} onSubmit={() => form.submit((values) => onName(values.name.trim()))} opened={opened}>
      <TextField
        label={account.passkeyName}
        autoComplete="off"
        maxLength={longestName}
        hint={hint}
        {...form.field('name')}
        error={form.errorOf('name') ?? error}
      />
    </FieldsForm>
  )
}
