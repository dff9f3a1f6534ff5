import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type MailChoice, mailChoices, setMailChoices } from '@tern/contract/notifications/mail-choices'
import { mailChoices as texts } from '#messages/identity/mail-choices.ts'
import { callApi } from '../../../app/session/session.ts'
import { useAction } from '../../../app/use-action.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { Switch } from '../../../ui/forms/Switch.tsx'
import { EntrySkeleton, RuledSection } from '../../../ui/layout/RuledSection.tsx'

const switches: readonly (readonly [MailChoice, string])[] = [
  ['payments', texts.payments],
  ['requests', texts.requests],
]

/** Which emails a person gets besides those that always come; each switch is saved at once. */
export function MailChoices({ userId }: { userId: number }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const queryKey = ['mail-choices', userId]
  const { data, isError, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => callApi(mailChoices, {}, signal),
  })
  const saving = useAction({ sentenceOf: () => texts.saveFailed })
  const save = (chosen: Record<MailChoice, boolean>) =>
    saving.run(async () => {
      queryClient.setQueryData(queryKey, await callApi(setMailChoices, { body: chosen }))
      toast(texts.saved)
    })
  return (
    <RuledSection title={texts.title} text={texts.text}>
      {data ? (
        <fieldset className="grid gap-3" disabled={saving.isBusy}>
          <legend className="small mb-3">{texts.legend}</legend>
          {switches.map(([choice, label]) => (
            <Switch
              key={choice}
              checked={data[choice]}
              onChange={({ target }) => save({ ...data, [choice]: target.checked })}
            >
              {label}
            </Switch>
          ))}
          {saving.error && <Note tone="error">{saving.error}</Note>}
        </fieldset>
      ) : isError ? (
        <ErrorState title={texts.loadFailed} onRetry={() => void refetch()} />
      ) : (
        <EntrySkeleton />
      )}
    </RuledSection>
  )
}
