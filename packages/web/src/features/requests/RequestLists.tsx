import '../../css/request-lists.css'
import { useQuery } from '@tanstack/react-query'
import type { PaymentRequest } from '@tern/contract/requests/requests'
import { useState } from 'react'
import { receive } from '#messages/transfers/requests.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { ActivitySkeleton } from '../../ui/feedback/Skeleton.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { RequestRow } from './RequestRow.tsx'
import { requestsQuery } from './request-queries.ts'
import { chooseGroup } from './request-state.ts'

interface RequestListsProps {
  userId: number
  /** Opens a request for sharing. */
  onShow: (request: PaymentRequest) => void
}

export function RequestLists({ userId, onShow }: RequestListsProps) {
  const incoming = useQuery(requestsQuery(userId, { direction: 'incoming', group: 'waiting' }))
  const incomingRequests = incoming.data?.requests ?? []
  return (
    <div className="grid gap-12 content-start min-w-0">
      {incomingRequests.length > 0 && (
        <section aria-labelledby="requests-for-you">
          <h2 className="display-s" id="requests-for-you">
            {receive.forYou}
          </h2>
          <ul className="mt-3 border-t border-t-ink">
            {incomingRequests.map((request) => (
              <RequestRow key={request.id} {...{ userId, request, onShow }} />
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="your-requests">
        <h2 className="display-s" id="your-requests">
          {receive.yours}
        </h2>
        <OwnRequests {...{ userId, onShow }} />
      </section>
    </div>
  )
}

const headings = { waiting: receive.waiting, paid: receive.paid, closed: receive.closed } as const
const groups = ['waiting', 'paid', 'closed'] as const

function OwnRequests({ userId, onShow }: RequestListsProps) {
  const query = useQuery(requestsQuery(userId, { direction: 'outgoing' }))
  const { data } = query
  const [olderCursors, setOlderCursors] = useState<readonly string[]>([])
  if (!data) return <DataShell query={query} skeleton={<ActivitySkeleton rows={3} />} failed={receive.listFailed} />
  if (data.requests.length === 0) return <EmptyState title={receive.empty} text={receive.emptyText} />
  const next = data.next_cursor
  return (
    <>
      {groups.map((group) => {
        const requests = data.requests.filter((request) => chooseGroup(request) === group)
        const remainingText = data.totals.remaining_amount
        if (requests.length === 0) return null
        return (
          <div key={group} className="mt-3 [div+&]:mt-8">
            <div className="request-heading">
              <h3>{headings[group]}</h3>
              {group === 'waiting' && remainingText !== null && (
                <span className="tabular">{receive.toCome(formatExact(remainingText, data.totals.currency))}</span>
              )}
            </div>
            <ul>
              {requests.map((request) => (
                <RequestRow key={request.id} {...{ userId, request, onShow }} />
              ))}
            </ul>
          </div>
        )
      })}
      {olderCursors.map((cursor, index) => (
        <OlderRequests
          key={cursor}
          {...{ userId, onShow, cursor }}
          onMore={
            index === olderCursors.length - 1
              ? (nextCursor) => setOlderCursors([...olderCursors, nextCursor])
              : undefined
          }
        />
      ))}
      {next !== null && olderCursors.length === 0 && (
        <Button look="ghost" className="-ms-3 mt-3" onClick={() => setOlderCursors([next])}>
          {receive.showMore}
        </Button>
      )}
    </>
  )
}

interface OlderRequestsProps extends RequestListsProps {
  cursor: string
  onMore: ((cursor: string) => void) | undefined
}

/** Next page of older requests in any state. */
function OlderRequests({ userId, onShow, cursor, onMore }: OlderRequestsProps) {
  const query = useQuery(requestsQuery(userId, { direction: 'outgoing', cursor }))
  const { data } = query
  if (!data) return <DataShell query={query} skeleton={<ActivitySkeleton rows={3} />} failed={receive.listFailed} />
  const next = data.next_cursor
  return (
    <>
      <ul className="mt-3 border-t border-t-ink">
        {data.requests.map((request) => (
          <RequestRow key={request.id} {...{ userId, request, onShow }} />
        ))}
      </ul>
      {next !== null && onMore && (
        <Button look="ghost" className="-ms-3 mt-3" onClick={() => onMore(next)}>
          {receive.showMore}
        </Button>
      )}
    </>
  )
}
