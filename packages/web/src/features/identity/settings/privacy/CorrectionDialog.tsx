import { useQueryClient } from '@tanstack/react-query'
import { correctableField, type CorrectableField } from '@tern/contract/privacy/correctable-field'
import { correctionForm } from '@tern/contract/privacy/correction-form'
import { askForCorrection } from '@tern/contract/privacy/privacy'
import { privacy } from '#messages/identity/privacy.ts'
import { schemaErrors } from '../../../../app/forms/resolver.ts'
import { callApi } from '../../../../app/session/session.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { SelectField } from '../../../../ui/forms/SelectField.tsx'
import { TextField } from '../../../../ui/forms/TextField.tsx'
import { Dialog } from '../../../../ui/layout/Dialog.tsx'
import { useAttempt, useFocusInvalidField } from '../../use-attempt.ts'

interface Values {
  field: CorrectableField | ''
  right_value: string
  note: string
}

export function CorrectionDialog({ userId, onClose }: { userId: number; onClose: () => void }) {
  const toast = useToast()
  const queryClient = useQueryClient()
  const attempt = useAttempt<Values, 'ask'>({ field: '', right_value: '', note: '' }, (values) => ({
    ...schemaErrors(correctionForm, values),
    ...(values.field === '' ? { field: privacy.fieldMissing } : {}),
  }))
  const form = useFocusInvalidField(attempt.failures)
  const submit = () =>
    attempt.submit(({ field, ...rest }) =>
      attempt.run('ask', privacy.askFailed, async () => {
        if (field === '') return
        await callApi(askForCorrection, { body: { field, ...rest } })
        await queryClient.invalidateQueries({ queryKey: ['privacy', userId] })
        toast(privacy.asked)
        onClose()
      }),
    )
  return (
    <Dialog open onClose={onClose} title={privacy.correctTitle} size="small">
      <p className="muted mt-2">{privacy.correctText}</p>
      <form
        ref={form}
        className="mt-6 grid gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <SelectField
          label={privacy.field}
          placeholder={privacy.fieldPlaceholder}
          choices={correctableField.options.map((value) => ({ value, label: privacy.fields[value] }))}
          {...attempt.field('field')}
        />
        <TextField label={privacy.rightValue} {...attempt.field('right_value')} />
        <TextField label={privacy.note} optional hint={privacy.noteHint} {...attempt.field('note')} />
        {attempt.error && <Note tone="error">{attempt.error}</Note>}
        <Button type="submit" look="primary" big wide {...attempt.button('ask')}>
          {privacy.ask}
        </Button>
      </form>
    </Dialog>
  )
}
