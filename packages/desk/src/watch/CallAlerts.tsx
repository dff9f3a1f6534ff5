import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type CallAlert, closeCallAlert, listCallAlerts } from '@tern/contract/desk/calls'
import { minReasonLength } from '@tern/contract/desk/reason'
import { calls as texts } from '@tern/messages/en/desk/calls'
import { type FormEvent, useState } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { formatRelative } from '@tern/web/ui/format/format.ts'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { call, queryKeys } from '../app/client.ts'
import { QueryView } from '../app/QueryView.tsx'
import { errorMessage } from '../app/use-desk.ts'

/** Unseen alerts of customers about calls. They are loaded when asked for, because reading them is logged. */
export function CallAlerts({ count }: { count: number }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <section className="mb-4 grid max-w-160 justify-items-start gap-2" aria-labelledby="call-alerts">
      <h2 className="m-0" id="call-alerts">
        {texts.alerts}
      </h2>
      {isOpen ? <AlertList /> : <Button onClick={() => setIsOpen(true)}>{texts.alertsShow(count)}</Button>}
    </section>
  )
}

function AlertList() {
  const client = useQueryClient()
  const query = useQuery({
    queryKey: queryKeys.callAlerts,
    queryFn: ({ signal }) => call(listCallAlerts, {}, signal),
    refetchOnWindowFocus: false,
  })
  const refresh = async () => {
    await query.refetch()
    await client.invalidateQueries({ queryKey: queryKeys.ownCall })
  }
  return (
    <>
      <p className="muted">{texts.alertsText}</p>
      <QueryView query={query} />
      {query.data?.alerts.length === 0 && <p>{texts.alertsNone}</p>}
      <ul className="grid w-full gap-4">
        {query.data?.alerts.map((alert) => (
          <Alert key={alert.id} alert={alert} onClosed={refresh} />
        ))}
      </ul>
    </>
  )
}

function Alert({ alert, onClosed }: { alert: CallAlert; onClosed: () => Promise<void> }) {
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()

  async function close(event: FormEvent) {
    event.preventDefault()
    try {
      await call(closeCallAlert, { params: { id: alert.id }, body: { reason } })
      await onClosed()
    } catch (error) {
      setProblem(errorMessage(error))
    }
  }

  return (
    <li className="grid gap-2 border-t pt-3">
      <p>
        <b className="font-medium">{alert.person.username}</b> · {alert.person.id} · {formatRelative(alert.raised_at)}
      </p>
      <p>{alert.kind === 'impostor' ? texts.kinds.impostor : texts.kinds.refused(alert.operator ?? '')}</p>
      <form className="grid justify-items-start gap-2" onSubmit={(event) => void close(event)}>
        <label className="dk-field w-full">
          {texts.done}
          <input
            value={reason}
            minLength={minReasonLength}
            maxLength={500}
            required
            onChange={({ target }) => setReason(target.value)}
          />
          <span className="muted">{texts.doneHint}</span>
        </label>
        {problem && <Note tone="error">{problem}</Note>}
        <Button type="submit">{texts.close}</Button>
      </form>
    </li>
  )
}
