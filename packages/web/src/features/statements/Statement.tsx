import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { CurrencyCode } from '@tern/money/currency'
import { useState } from 'react'
import { titles } from '#messages/shell.ts'
import { statements as texts } from '#messages/statements/statements.ts'
import { ownTimeZone } from '../../app/browser/time-zone.ts'
import { writeInsightAddress } from '../../app/insight-address.ts'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { OfflineNote } from '../../ui/feedback/OfflineNote.tsx'
import { ActivitySkeleton, TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { Button, LinkButton } from '../../ui/forms/Button.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import type { Period } from '../../app/periods/period-choices.ts'
import { StatementLines } from './StatementLines.tsx'
import { StatementSheet } from './StatementSheet.tsx'
import { type StatementQuery, statementQuery } from './statement-queries.ts'

const DownloadDialog = lazyComponent(() => import('./DownloadDialog.tsx'), 'DownloadDialog')

interface StatementProps {
  userId: number
  currency: CurrencyCode
  period: Period
}

const skeleton = (
  <div className="mt-6 grid gap-6" aria-busy="true">
    <TextSkeleton lines={6} />
    <ActivitySkeleton rows={5} />
  </div>
)

/** One statement: the sheet with its totals, and its lines. */
export function Statement({ userId, currency, period }: StatementProps) {
  const [isDownloading, setIsDownloading] = useState(false)
  const query: StatementQuery = { currency, ...period, time_zone: ownTimeZone() }
  const state = useQuery({ ...statementQuery(userId, query), placeholderData: keepPreviousData })
  const refresh = () => void state.refetch()
  // A refused period, such as one from an old link, keeps no statement of another one on the page.
  if (state.error instanceof Refused)
    return <ErrorState title={texts.failed} text={state.error.message} onRetry={refresh} />
  if (!state.data) return <DataShell query={state} skeleton={skeleton} failed={texts.failed} />
  const { statement, totals, lines, next_cursor: cursor } = state.data
  return (
    <div className={state.isPlaceholderData ? 'opacity-60' : undefined} aria-busy={state.isPlaceholderData}>
      <OfflineNote className="mt-6" readAt={state.dataUpdatedAt} />
      <StatementSheet head={statement} totals={totals} period={period} onRefresh={refresh}>
        {'period' in period && (
          <LinkButton to={writeInsightAddress(currency, period.period)}>{titles.insights}</LinkButton>
        )}
        <Button look="primary" onClick={() => setIsDownloading(true)}>
          <ExtraIcon name="download" />
          {texts.download}
        </Button>
      </StatementSheet>
      <StatementLines
        key={`${JSON.stringify(query)} ${state.dataUpdatedAt}`}
        query={query}
        cursor={cursor}
        head={statement}
        firstLines={lines}
        total={totals?.lines}
      />
      {isDownloading && <DownloadDialog query={query} period={period} onClose={() => setIsDownloading(false)} />}
    </div>
  )
}
