import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type MailChoice, mailChoices, setMailChoices } from '@tern/contract/notifications/mail-choices'
import { mailChoices as texts } from '#messages/identity/mail-choices.ts'
import { buildQuery } from '../../../app/session/query.ts'
import { useApiMutation } from '../../../app/use-api-mutation.ts'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { EntrySkeleton } from '../../../ui/layout/RuledSection.tsx'
import { SettingGroup, SwitchRow } from '../../../ui/settings/SettingRow.tsx'
import { settingIcons } from './setting-icons.ts'

const switches: readonly (readonly [MailChoice, string, string])[] = [
  ['payments', texts.payments, settingIcons.money],
  ['requests', texts.requests, settingIcons.mail],
]

/** Optional emails; each switch is saved at once. */
export function MailChoices({ userId }: { userId: number }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const query = buildQuery(['mail-choices', userId], mailChoices, {})
  const choices = useQuery(query)
  const mutation = useApiMutation({ failed: () => texts.saveFailed })
  const save = (newChoices: Record<MailChoice, boolean>) =>
    mutation.send(setMailChoices, { body: newChoices }, (saved) => {
      queryClient.setQueryData(query.queryKey, saved)
      toast(texts.saved)
    })
  return (
    <SettingGroup title={texts.title}>
      <DataShell query={choices} skeleton={<EntrySkeleton />} failed={texts.loadFailed}>
        {(data) => (
          <fieldset disabled={mutation.isBusy}>
            <legend className="visually-hidden">{texts.legend}</legend>
            <p className="small muted mb-4">{texts.text}</p>
            {switches.map(([choice, title, icon]) => (
              <SwitchRow
                key={choice}
                icon={icon}
                title={title}
                checked={data[choice]}
                onSwitch={(isOn) => save({ ...data, [choice]: isOn })}
              />
            ))}
            {mutation.error && <Note tone="error">{mutation.error}</Note>}
          </fieldset>
        )}
      </DataShell>
    </SettingGroup>
  )
}
