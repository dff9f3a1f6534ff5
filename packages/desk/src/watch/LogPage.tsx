import { useQuery } from '@tanstack/react-query'
import { type DeskLine, readLog } from '@tern/contract/desk/queues'
import { type DeskQueue, deskQueues } from '@tern/contract/desk/roles'
import { desk } from '@tern/messages/en/desk/desk'
import { watch } from '@tern/messages/en/desk/watch'
import { useState } from 'react'
import { formatClock, formatDate } from '@tern/web/ui/format/format.ts'
import { Button } from '@tern/web/ui/forms/Button.tsx'
import { verdictName } from '../entry/entry-text.ts'
import { call, queryKeys } from '../app/client.ts'
import { QueryView } from '../app/QueryView.tsx'
import { Page, ScrollArea } from './Page.tsx'

const texts = watch.log
const columns = [texts.when, texts.who, texts.did, texts.on, texts.because, texts.hash]

/** Log of operators' actions and views, newest first, 100 lines at a time. */
export function LogPage() {
  const [beforeNumber, setBeforeNumber] = useState<number>()
  const query = useQuery({
    queryKey: [...queryKeys.log, beforeNumber],
    queryFn: ({ signal }) => call(readLog, { query: { before: beforeNumber } }, signal),
  })
  const lines = query.data?.lines ?? []
  const last = lines.at(-1)
  return (
    <Page title={texts.title} text={texts.text}>
      <QueryView query={query} />
      {lines.length > 0 && (
        <ScrollArea label={texts.title}>
          <table className="dk-table dk-log">
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <Line key={line.number} line={line} />
              ))}
            </tbody>
          </table>
        </ScrollArea>
      )}
      {last && last.number > 1 && <Button onClick={() => setBeforeNumber(last.number)}>{texts.older}</Button>}
    </Page>
  )
}

/** Returns the text for a recorded value: a verdict or roles, otherwise the value itself. */
function describeValue(queue: string | null, act: string, value: string): string {
  if (decidingActs.has(act) && isQueue(queue)) return verdictName(queue, value)
  const { roles } = desk
  return value
    .split(/, ?/)
    .map((role) => (role in roles ? roles[role as keyof typeof roles] : role))
    .join(', ')
}

const decidingActs = new Set(['decided', 'agreed', 'disagreed', 'carried_out'])
const isQueue = (name: string | null): name is DeskQueue => deskQueues.some((queue) => queue === name)

function Line({ line: { at, by, act, queue, subject, reason, before, after, hash } }: { line: DeskLine }) {
  const change = [before, after]
    .filter((value) => value !== null)
    .map((value) => describeValue(queue, act, value))
    .join(' → ')
  const isHidden = act === 'decided' && after === null
  const place = queue === null ? undefined : desk.rail[queue as keyof typeof desk.rail]
  return (
    <tr>
      <td className="min-w-37 tabular-nums">
        <time dateTime={at}>
          {formatDate(at)} {formatClock(at)}
        </time>
      </td>
      <th scope="row">{by}</th>
      <td className="min-w-37.5 whitespace-normal">
        {texts.acts[act as keyof typeof texts.acts]}
        {change && `: ${change}`}
      </td>
      <td className="min-w-50 wrap-anywhere whitespace-normal">
        {place} {subject !== null && <span className="block text-tiny whitespace-nowrap text-ink-2">{subject}</span>}
      </td>
      <td className="min-w-50 wrap-anywhere whitespace-normal">{isHidden ? <i>{texts.hidden}</i> : reason}</td>
      <td className="min-w-22.5 whitespace-normal text-ink-3 tabular-nums">{hash}</td>
    </tr>
  )
}
