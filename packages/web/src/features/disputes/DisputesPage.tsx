import '../../css/disputes.css'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { shell, titles } from '#messages/shell.ts'
import { disputes as texts } from '#messages/transfers/disputes.ts'
import { paths } from '../../app/paths.ts'
import { useUser } from '../../app/session/session.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { formatDate } from '../../ui/format/format.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { classNames } from '../../ui/icon/class-names.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { writeDisputeTitle } from './dispute-title.ts'
import { disputesQuery } from './dispute-queries.ts'

const NewDispute = lazyComponent(() => import('./NewDispute.tsx'), 'NewDispute')
const DisputePage = lazyComponent(() => import('./DisputePage.tsx'), 'DisputePage')

export const meta = () => [{ title: shell.pageTitle(titles.disputes) }]

/** List of the user's disputes, the dispute named in the address, or a new one about the transaction named there. */
export default function DisputesPage() {
  const user = useUser()
  const { code } = useParams()
  const [address] = useSearchParams()
  const transactionId = address.get('transaction')
  if (!user) return <DisputesSkeleton />
  return (
    <Suspense fallback={<DisputesSkeleton />}>
      {code !== undefined ? (
        <DisputePage key={code} id={code} userId={user.id} />
      ) : transactionId !== null ? (
        <NewDispute transactionId={transactionId} userId={user.id} />
      ) : (
        <DisputeList userId={user.id} />
      )}
    </Suspense>
  )
}

function DisputesSkeleton() {
  return (
    <>
      <h1 className="display-m">{titles.disputes}</h1>
      <div className="mt-6" aria-busy="true">
        <TextSkeleton lines={6} />
      </div>
    </>
  )
}

function DisputeList({ userId }: { userId: number }) {
  const all = useQuery(disputesQuery(userId))
  if (all.isPending) return <DisputesSkeleton />
  const disputes = all.data?.disputes
  return (
    <>
      <h1 className="display-m">{titles.disputes}</h1>
      <p className="muted mt-2">{texts.listText}</p>
      {!disputes ? (
        <DataShell query={all} skeleton={null} failed={texts.loadFailed} />
      ) : disputes.length === 0 ? (
        <EmptyState title={texts.emptyTitle} text={texts.emptyText}>
          <LinkButton look="primary" to={paths.transactions}>
            {texts.toTransactions}
          </LinkButton>
        </EmptyState>
      ) : (
        <ul className="border-t border-t-ink max-w-180 mt-8">
          {disputes.map((dispute) => {
            const { id, state, opened_at: at, decide_by: decisionDeadline } = dispute
            return (
              <li key={id}>
                <Link
                  className="[transition:background-color_var(--fast)] border-b grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 items-center min-h-18 py-3 px-2 no-underline hover:bg-sea-wash"
                  to={`${paths.disputes}/${id}`}
                >
                  <span>
                    <b className="block font-medium">{writeDisputeTitle(dispute)}</b>
                    <span className={classNames('small', state === 'open' ? 'text-wait' : 'muted')}>
                      {texts.states[state]}
                    </span>
                    <span className="small muted">
                      {' · '}
                      {state === 'open' ? `${texts.decisionBy} ${formatDate(decisionDeadline)}` : formatDate(at)}
                    </span>
                  </span>
                  <Icon name="next" />
                </Link>
              </li>
            )
          })}
        </ul>
      )}
    </>
  )
}
