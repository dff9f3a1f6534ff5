import { useQuery } from '@tanstack/react-query'
import type { EndedCall } from '@tern/contract/calls'
import { useEffect, useState } from 'react'
import { calls as texts } from '#messages/identity/calls.ts'
import { shell } from '#messages/shell.ts'
import { useIsOffline } from '../../ui/feedback/OfflineNote.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { formatClock, formatDateTime } from '../../ui/format/format.ts'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { answerAgeMs, callsQuery } from './calls-query.ts'
import { CurrentCallCard } from './CurrentCallCard.tsx'
import { NoCallCard } from './NoCallCard.tsx'

const tickMs = 5000

/** Current time, renewed every few seconds. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** Status of calls, what Tern never asks for, and earlier calls. An old answer is never shown as the current one. */
export function CallReport({ userId }: { userId: number }) {
  const query = useQuery(callsQuery(userId))
  const now = useNow()
  const isOffline = useIsOffline()
  const { data, error, dataUpdatedAt, isFetching, refetch } = query
  if (!data && !error && !isOffline) {
    return (
      <div className="max-w-160" aria-busy="true" aria-label={shell.loading}>
        <TextSkeleton lines={6} />
      </div>
    )
  }
  const isKnown = data && !error && !isOffline && now - dataUpdatedAt < answerAgeMs
  return (
    <div className="grid max-w-160 gap-8">
      <div aria-live="polite">
        {isKnown ? (
          data.current ? (
            <CurrentCallCard call={data.current} userId={userId} />
          ) : (
            <NoCallCard userId={userId} />
          )
        ) : (
          <Sheet className="grid gap-3 p-5 md:p-8">
            <h2 className="display-s">{texts.unknown}</h2>
            <p>{texts.unknownText}</p>
            <Button className="justify-self-start" processing={isFetching && !isOffline} onClick={() => void refetch()}>
              {texts.checkAgain}
            </Button>
          </Sheet>
        )}
      </div>
      {isKnown && <p className="small muted -mt-5">{texts.checkedAt(formatClock(new Date(dataUpdatedAt)))}</p>}
      <section aria-labelledby="never">
        <h2 className="display-s" id="never">
          {texts.neverTitle}
        </h2>
        <ul className="mt-3 grid list-disc gap-1.5 ps-5">
          {texts.never.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      </section>
      {data && <EarlierCalls calls={data.earlier} />}
    </div>
  )
}

function EarlierCalls({ calls }: { calls: readonly EndedCall[] }) {
  return (
    <section aria-labelledby="earlier">
      <h2 className="display-s" id="earlier">
        {texts.earlierTitle}
      </h2>
      {calls.length === 0 ? (
        <p className="muted mt-3">{texts.earlierNone}</p>
      ) : (
        <ul className="mt-3 border-t">
          {calls.map(({ id, caller, about, started_at: startedAt, ended_by: endedBy }) => (
            <li key={id} className="grid gap-0.5 border-b py-3">
              <b className="font-medium">{texts.earlier(caller, texts.about[about])}</b>
              <span className="small muted">
                {formatDateTime(startedAt)} · {texts.ended[endedBy]}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
