import { useQuery } from '@tanstack/react-query'
import type { SplitSummary } from '@tern/contract/requests/splits'
import { useState } from 'react'
import { Link } from 'react-router'
import { split } from '#messages/transfers/split.ts'
import { paths } from '../../../app/paths.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { ActivitySkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { formatDate } from '../../../ui/format/format.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { splitsQuery } from './split-queries.ts'

const link =
  'grid min-h-18 grid-cols-[minmax(0,1fr)_auto_20px] items-center gap-x-4 py-3 text-inherit no-underline ' +
  '[&_b]:font-medium hover:[&_b]:text-sea [&>.icon]:text-ink-3'

export function SplitList({ userId }: { userId: number }) {
  const [olderCursors, setOlderCursors] = useState<readonly string[]>([])
  return (
    <section
      className="mt-16 max-w-[calc(100%-444px)] max-xl:max-w-160 max-md:max-w-none"
      aria-labelledby="your-splits"
    >
      <h2 className="display-s" id="your-splits">
        {split.yourSplits}
      </h2>
      {[undefined, ...olderCursors].map((cursor, index) => (
        <Page
          key={cursor ?? ''}
          {...{ userId, cursor }}
          onMore={index === olderCursors.length ? (next) => setOlderCursors([...olderCursors, next]) : undefined}
        />
      ))}
    </section>
  )
}

interface PageProps {
  userId: number
  cursor: string | undefined
  onMore: ((cursor: string) => void) | undefined
}

function Page({ userId, cursor, onMore }: PageProps) {
  const query = useQuery(splitsQuery(userId, cursor))
  const { data } = query
  if (!data) return <DataShell query={query} skeleton={<ActivitySkeleton rows={2} />} failed={split.listFailed} />
  const next = data.next_cursor
  if (data.splits.length === 0) return <EmptyState title={split.empty} text={split.emptyText} />
  return (
    <>
      <ul className="mt-3 border-t border-ink">
        {data.splits.map((summary) => (
          <Row key={summary.id} summary={summary} />
        ))}
      </ul>
      {next !== null && onMore && (
        <Button look="ghost" className="-ms-3 mt-3" onClick={() => onMore(next)}>
          {split.showMore}
        </Button>
      )}
    </>
  )
}

function Row({ summary }: { summary: SplitSummary }) {
  const paid = formatExact(summary.paid_amount, summary.currency)
  const requestedText = formatExact(summary.asked_amount, summary.currency)
  return (
    <li className="not-first:border-t">
      <Link className={link} to={`${paths.split}?id=${summary.id}`}>
        <span className="min-w-0 wrap-anywhere">
          <b>{summary.description ?? split.untitled}</b>
          <span className="small muted block">
            {split.paidOf(summary.paid, summary.asked)} · {formatDate(summary.created_at)}
          </span>
        </span>
        <span className="tabular text-end whitespace-nowrap">
          <b>{formatExact(summary.total, summary.currency)}</b>
          <span className="small muted block">{split.amountOfAmount(paid, requestedText)}</span>
        </span>
        <Icon name="next" />
      </Link>
    </li>
  )
}
