import '../../css/hold.css'
import { useQuery } from '@tanstack/react-query'
import type { Check } from '@tern/contract/compliance/checks'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { shell, titles } from '#messages/shell.ts'
import { holds as texts } from '#messages/transfers/holds.ts'
import { checksQuery } from '../../app/holds/check-queries.ts'
import { CheckView } from '../../app/holds/CheckView.tsx'
import { chooseKind } from '../../app/holds/hold-texts.ts'
import { paths } from '../../app/paths.ts'
import { useUser } from '../../app/session/session.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { OfflineNote } from '../../ui/feedback/OfflineNote.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'

export const meta = () => [{ title: shell.pageTitle(titles.checks) }]

/** Checks of the signed-in user, or the single check named in the address. */
export default function Checks() {
  const user = useUser()
  const { code } = useParams()
  if (user) return <UserChecks key={user.id} userId={user.id} id={code} />
  return (
    <>
      <Head />
      {skeleton}
    </>
  )
}

const Head = () => (
  <>
    <h1 className="display-m">{titles.checks}</h1>
    <p className="muted mt-2 mb-8">{texts.lead}</p>
  </>
)

const skeleton = (
  <div className="max-w-160" aria-busy="true" aria-label={shell.loading}>
    <TextSkeleton lines={6} />
  </div>
)

function UserChecks({ userId, id }: { userId: number; id: string | undefined }) {
  const checks = useQuery(checksQuery(userId))
  const { data } = checks
  if (!data) {
    return (
      <>
        <Head />
        <DataShell query={checks} skeleton={skeleton} failed={texts.loadFailed} />
      </>
    )
  }
  const openCheck = id === undefined ? undefined : data.find((check) => check.id === id)
  if (id !== undefined && !openCheck) return <EmptyChecks title={texts.gone} text={texts.goneText} />
  if (data.length === 0) return <EmptyChecks title={texts.none} text={texts.noneText} />
  const note = <OfflineNote className="mb-6" readAt={checks.dataUpdatedAt} />
  if (openCheck) return <CheckCard check={openCheck} userId={userId} note={note} />
  return (
    <>
      <Head />
      {note}
      <List checks={data} />
    </>
  )
}

const EmptyChecks = ({ title, text }: { title: string; text: string }) => (
  <>
    <Head />
    <EmptyState title={title} text={text}>
      <LinkButton to={paths.transactions}>{texts.goToTransactions}</LinkButton>
    </EmptyState>
  </>
)

function CheckCard({ check, userId, note }: { check: Check; userId: number; note: ReactNode }) {
  const { transfers } = check
  return (
    <article className="max-w-160">
      <p className="small -mt-3">
        <Link className="inline-block py-3" to={paths.checks}>
          {titles.checks}
        </Link>
      </p>
      <h1 className="display-m mb-6">{texts.kinds[chooseKind(check)]}</h1>
      {note}
      <CheckView check={check} userId={userId} />
      {transfers.length > 0 && (
        <p className="mt-8 border-t pt-4">
          <span className="muted">{texts.payments(transfers.length)}: </span>
          {transfers.map((id, index) => (
            <Link key={id} className="me-4 inline-block py-3" to={`${paths.transactions}?details=${id}`}>
              {transfers.length === 1 ? texts.seePayment : texts.seePaymentOf(index + 1)}
            </Link>
          ))}
        </p>
      )}
    </article>
  )
}

const List = ({ checks }: { checks: readonly Check[] }) => (
  <ul className="border-t border-t-ink max-w-180 [&_a]:grid-cols-[20px_minmax(0,1fr)_auto] [&_a]:gap-4 [&_.icon:first-child]:text-sea [&_[data-state=open]_.icon:first-child]:text-wait">
    {checks.map((check) => {
      const kind = texts.kinds[chooseKind(check)]
      const { state, need_by: answerDeadline, decide_by: decisionDeadline, decided_at: decidedAt } = check
      const by = answerDeadline
        ? `${texts.answerBy} ${formatDateTime(answerDeadline)}`
        : `${texts.decidedBy} ${formatDateTime(decisionDeadline)}`
      return (
        <li key={check.id} data-state={state}>
          <Link
            className="[transition:background-color_var(--fast)] border-b grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-0.5 items-center min-h-18 py-3 px-2 no-underline hover:bg-sea-wash"
            to={`${paths.checks}/${check.id}`}
            aria-label={texts.open(kind)}
          >
            <Icon name={state === 'open' ? 'pause' : state === 'cleared' ? 'check' : 'lock'} />
            <span>
              <b className="block font-medium">{kind}</b>
              <span className="small muted">
                {state === 'open' ? by : `${texts.ended[state]}, ${formatDateTime(decidedAt ?? decisionDeadline)}`}
              </span>
            </span>
            <Icon name="next" />
          </Link>
        </li>
      )
    })}
  </ul>
)
