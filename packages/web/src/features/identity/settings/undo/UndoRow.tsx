import { useQuery, useQueryClient } from '@tanstack/react-query'
import { setUndoWindow, type UndoWindow, undoWindow } from '@tern/contract/transfers'
import { useState } from 'react'
import { undo as texts } from '#messages/transfers/undo.ts'
import { buildQuery } from '../../../../app/session/query.ts'
import { useApiMutation } from '../../../../app/use-api-mutation.ts'
import { ErrorState } from '../../../../ui/feedback/ErrorState.tsx'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { RadioList } from '../../../../ui/forms/RadioList.tsx'
import { SelectField } from '../../../../ui/forms/SelectField.tsx'
import { ValueRow } from '../../../../ui/settings/SettingRow.tsx'
import { settingIcons } from '../setting-icons.ts'

const choicesInSeconds = [0, 15, 30, 60, 300, 1800]

const undoQuery = (userId: number) => buildQuery(['undo-window', userId], undoWindow, {})

/** Undo window of outgoing payments and the payees it covers; expands to the form. */
export function UndoRow({ userId }: { userId: number }) {
  const [isOpen, setIsOpen] = useState(false)
  const { data, isError, refetch } = useQuery(undoQuery(userId))
  if (isError && !data) return <ErrorState title={texts.loadFailed} onRetry={() => void refetch()} />
  const isOff = !data || data.applies_to === 'nobody' || data.seconds === 0
  return (
    <ValueRow
      icon={settingIcons.undo}
      title={texts.howLong}
      text={texts.whom[data?.applies_to ?? 'nobody']}
      value={data && (isOff ? texts.none : texts.length(data.seconds))}
      isOpen={isOpen}
      onPress={() => setIsOpen(!isOpen)}
    >
      {isOpen && data && <UndoWindowForm userId={userId} stored={data} onDone={() => setIsOpen(false)} />}
    </ValueRow>
  )
}

function UndoWindowForm({ userId, stored, onDone }: { userId: number; stored: UndoWindow; onDone: () => void }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const [chosen, setChosen] = useState(stored)
  const mutation = useApiMutation({ failed: texts.saveFailed })
  const save = () =>
    mutation.send(setUndoWindow, { body: chosen }, (saved) => {
      queryClient.setQueryData(undoQuery(userId).queryKey, saved)
      toast(texts.saved)
      onDone()
    })
  const { seconds, applies_to: appliesTo } = chosen
  const lengths = [...new Set([...choicesInSeconds, stored.seconds])].toSorted((a, b) => a - b)
  return (
    <form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <p className="small muted">{texts.settingsText}</p>
      {mutation.error && <Note tone="error">{mutation.error}</Note>}
      <RadioList
        legend={texts.forWhom}
        choices={(['new_payees', 'everybody', 'nobody'] as const).map((value) => ({ value, label: texts.whom[value] }))}
        value={appliesTo}
        onChange={(value) => setChosen({ ...chosen, applies_to: value })}
      />
      {appliesTo !== 'nobody' && (
        <SelectField
          label={texts.howLong}
          hint={texts.bankHint}
          choices={lengths.map((length) => ({
            value: String(length),
            label: length === 0 ? texts.none : texts.length(length),
          }))}
          value={String(seconds)}
          // not money: a time
          onChange={(event) => setChosen({ ...chosen, seconds: Number(event.target.value) })}
        />
      )}
      <div>
        <Button type="submit" look="primary" processing={mutation.isBusy}>
          {texts.save}
        </Button>
      </div>
    </form>
  )
}
