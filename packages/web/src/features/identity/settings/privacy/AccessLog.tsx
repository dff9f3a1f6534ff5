import { useQuery } from '@tanstack/react-query'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type DataAccess, dataAccesses } from '@tern/contract/privacy/privacy'
import { useState } from 'react'
import { privacy } from '#messages/identity/privacy.ts'
import { buildQuery } from '../../../../app/session/query.ts'
import { useApiMutation } from '../../../../app/use-api-mutation.ts'
import { DataShell } from '../../../../ui/feedback/DataShell.tsx'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { formatDate, formatTime } from '../../../../ui/format/format.ts'
import { textLocale } from '../../../../ui/format/locale.ts'
import { EntrySkeleton } from '../../../../ui/layout/RuledSection.tsx'
import { useArrival } from '../../../../ui/layout/use-arrival.ts'

const listClass =
  '[&>li]:grid [&>li]:grid-cols-[64px_minmax(0,1fr)] [&>li]:py-3 [&>li]:border-b [&>li_time]:text-ink-2 ' +
  '[&>li_time]:tabular-nums'

type Page = Reply<typeof dataAccesses>

/** Log of access to the user's data by day, newest first. */
export function AccessLog({ userId }: { userId: number }) {
  const newest = useQuery(buildQuery(['privacy', userId], dataAccesses, {}))
  const place = useArrival<HTMLDivElement>('who-looked', newest.data !== undefined)
  const [earlierPages, setEarlierPages] = useState<readonly Page[]>([])
  const { send, isBusy, error } = useApiMutation({ failed: () => privacy.lookedFailed })
  const lastPage = earlierPages.at(-1) ?? newest.data
  const showEarlier = () =>
    send(dataAccesses, { query: { before: lastPage?.accesses.at(-1)?.id } }, (page) =>
      setEarlierPages([...earlierPages, page]),
    )
  return (
    <div id="who-looked" ref={place} tabIndex={-1}>
      <h2 className="display-s">{privacy.lookedTitle}</h2>
      <p className="small muted mt-2">{privacy.lookedText}</p>
      <DataShell
        query={newest}
        skeleton={<EntrySkeleton />}
        failed={privacy.lookedFailed}
        empty={({ accesses }) => accesses.length === 0 && <p className="mt-6">{privacy.lookedNobody}</p>}
      >
        {(first) => (
          <>
            <Days accesses={[first, ...earlierPages].flatMap(({ accesses }) => accesses)} />
            {error && <Note tone="error">{error}</Note>}
            {lastPage?.has_more && (
              <Button look="ghost" className="-ms-3 mt-2" processing={isBusy} onClick={showEarlier}>
                {privacy.lookedMore}
              </Button>
            )}
          </>
        )}
      </DataShell>
    </div>
  )
}

const Days = ({ accesses }: Pick<Page, 'accesses'>) =>
  [...Map.groupBy(accesses, ({ at }) => formatDate(at))].map(([day, dayAccesses]) => (
    <div key={day}>
      <h3 className="small muted mt-6 font-medium">{day}</h3>
      <ul className={listClass}>
        {dayAccesses.map((access) => (
          <li key={access.id}>
            <time dateTime={access.at}>{formatTime(access.at)}</time>
            <Access access={access} />
          </li>
        ))}
      </ul>
    </div>
  ))

function Access({ access: { role, operator, purpose, what } }: { access: DataAccess }) {
  if (purpose === 'export') return <span>{privacy.exported}</span>
  const accessedData = new Intl.ListFormat(textLocale()).format(what.map((item) => privacy.accessed[item]))
  if (role === 'you') return <span>{privacy.openedOwn(accessedData)}</span>
  return (
    <span>
      {privacy.opened(accessedData)}
      <span className="small muted block">
        {privacy.by(operator ?? privacy.roles[role], privacy.purposes[purpose])}
      </span>
    </span>
  )
}
