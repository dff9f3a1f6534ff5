import { useQuery } from '@tanstack/react-query'
import { disableOperator, listOperators, type Operator } from '@tern/contract/desk/operators'
import { minReasonLength } from '@tern/contract/desk/reason'
import { desk } from '@tern/messages/en/desk/desk'
import { entries } from '@tern/messages/en/desk/entries'
import { watch } from '@tern/messages/en/desk/watch'
import { type FormEvent, useState } from 'react'
import { Note } from '@tern/web/ui/feedback/Note.tsx'
import { formatDate, formatRelative } from '@tern/web/ui/format/format.ts'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { call, queryKeys } from '../app/client.ts'
import { Modal } from '../app/KeyMap.tsx'
import { errorMessage } from '../app/use-desk.ts'
import { QueryView } from '../app/QueryView.tsx'
import { Page, ScrollArea } from './Page.tsx'

const texts = watch.operators

/** Page with all operators; a lead can disable them. */
export function OperatorsPage() {
  const query = useQuery({ queryKey: queryKeys.operators, queryFn: ({ signal }) => call(listOperators, {}, signal) })
  const [selectedOperator, setSelectedOperator] = useState<Operator>()
  const [notice, setNotice] = useState<string>()
  return (
    <Page title={texts.title} text={texts.text}>
      <QueryView query={query} />
      {notice && <Note live>{notice}</Note>}
      {query.data && (
        <ScrollArea label={texts.title}>
          <table className="dk-table">
            <thead>
              <tr>
                <th scope="col">{texts.name}</th>
                <th scope="col" className="text-start">
                  {texts.roles}
                </th>
                <th scope="col">{texts.passkeys}</th>
                <th scope="col">{texts.lastUsed}</th>
                <th scope="col">
                  <span className="visually-hidden">{texts.disable}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {query.data.operators.map((operator) => (
                <Row key={operator.id} operator={operator} onDisable={() => setSelectedOperator(operator)} />
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
      {selectedOperator && (
        <DisableDialog
          operator={selectedOperator}
          onClose={() => setSelectedOperator(undefined)}
          onDone={() => {
            setNotice(texts.done(selectedOperator.name))
            setSelectedOperator(undefined)
            void query.refetch()
          }}
        />
      )}
    </Page>
  )
}

function Row({ operator, onDisable }: { operator: Operator; onDisable: () => void }) {
  const { name, roles, passkeys, last_used_at: usedAt, disabled_at: disabledAt } = operator
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="text-start">{roles.map((role) => desk.roles[role]).join(', ')}</td>
      <td>{passkeys}</td>
      <td>{usedAt === null ? texts.never : formatRelative(usedAt)}</td>
      <td>
        {disabledAt === null ? (
          <Button look="ghost" onClick={onDisable} aria-label={texts.disableTitle(name)}>
            {texts.disable}
          </Button>
        ) : (
          texts.disabled(formatDate(disabledAt))
        )}
      </td>
    </tr>
  )
}

function DisableDialog({ operator, onClose, onDone }: { operator: Operator; onClose: () => void; onDone: () => void }) {
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string>()
  function disable(event: FormEvent) {
    event.preventDefault()
    call(disableOperator, { params: { id: operator.id }, body: { reason } }).then(onDone, (error: unknown) =>
      setProblem(errorMessage(error)),
    )
  }
  return (
    <Modal title={texts.disableTitle(operator.name)} onClose={onClose}>
      <form className="grid gap-4" onSubmit={disable}>
        <p>{texts.disableText}</p>
        <label className="dk-field">
          {entries.acts.reason}
          <textarea
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            minLength={minReasonLength}
            maxLength={500}
            required
          />
          <span className="dk-hint">{entries.decision.reasonHint}</span>
        </label>
        {problem && <Note tone="error">{problem}</Note>}
        <div className="flex flex-wrap gap-2">
          <Button look="primary" type="submit">
            {texts.disable}
          </Button>
          <Button onClick={onClose}>{entries.acts.cancel}</Button>
        </div>
      </form>
    </Modal>
  )
}
