import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { setUndoWindow, type UndoWindow, undoWindow } from '@tern/contract/transfers'
import { useState } from 'react'
import { undo as texts } from '#messages/transfers/undo.ts'
import { callApi } from '../../../../app/session/session.ts'
import { useAction } from '../../../../app/use-action.ts'
import { ErrorState } from '../../../../ui/feedback/ErrorState.tsx'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { RadioList } from '../../../../ui/forms/RadioList.tsx'
import { SelectField } from '../../../../ui/forms/SelectField.tsx'
import { EntrySkeleton } from '../../../../ui/layout/RuledSection.tsx'

const offered = [0, 15, 30, 60, 300, 1800]

const queryKeyOf = (userId: number) => ['undo-window', userId]

/** How long a person can take back what they send, and from whom. */
export function UndoChoice({ userId }: { userId: number }) {
  const { data, isError, refetch } = useQuery({
    queryKey: queryKeyOf(userId),
    queryFn: ({ signal }) => callApi(undoWindow, {}, signal),
  })
  if (data) return <Choice userId={userId} stored={data} />
  return isError ? <ErrorState title={texts.loadFailed} onRetry={() => void refetch()} /> : <EntrySkeleton />
}

function Choice({ userId, stored }: { userId: number; stored: UndoWindow }) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const [chosen, setChosen] = useState(stored)
  const saving = useAction({ sentenceOf: (error) => (error instanceof Refused ? error.message : texts.saveFailed) })
  const save = () =>
    saving.run(async () => {
      queryClient.setQueryData(queryKeyOf(userId), await callApi(setUndoWindow, { body: chosen }))
      toast(texts.saved)
    })
  const { seconds, applies_to: appliesTo } = chosen
  const lengths = [...new Set([...offered, stored.seconds])].toSorted((one, other) => one - other)
  const isChanged = seconds !== stored.seconds || appliesTo !== stored.applies_to
  return (
    <form
      className="grid gap-5"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      {saving.error && <Note tone="error">{saving.error}</Note>}
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
        <Button type="submit" look="primary" processing={saving.isBusy} disabled={!isChanged && !saving.isBusy}>
          {texts.save}
        </Button>
      </div>
    </form>
  )
}
