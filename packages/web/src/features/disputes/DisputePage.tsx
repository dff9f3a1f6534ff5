import '../../css/timeline.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Dispute } from '@tern/contract/disputes/disputes'
import { Refused } from '@tern/contract/protocol/client'
import { Link } from 'react-router'
import { disputes as texts } from '#messages/transfers/disputes.ts'
import { paths } from '../../app/paths.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { formatDate, formatDateTime, formatMoney, isZero } from '../../ui/format/format.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { classNames } from '../../ui/icon/class-names.ts'
import { DefinitionList } from '../../ui/layout/DefinitionList.tsx'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'
import { DeadlineScale } from './DeadlineScale.tsx'
import { DisputeActions } from './DisputeActions.tsx'
import { disputeQuery } from './dispute-queries.ts'
import { writeDisputeTitle } from './dispute-title.ts'
import { Evidence } from './Evidence.tsx'

export function DisputePage({ id, userId }: { id: string; userId: number }) {
  const queryClient = useQueryClient()
  const query = disputeQuery(userId, id)
  const disputeResult = useQuery(query)
  if (disputeResult.data) {
    const onChange = (dispute: Dispute) => queryClient.setQueryData(query.queryKey, dispute)
    return <DisputeView dispute={disputeResult.data} onChange={onChange} refetch={() => disputeResult.refetch()} />
  }
  if (disputeResult.error instanceof Refused) {
    return (
      <EmptyState title={texts.unknownTitle} text={texts.unknownText}>
        <LinkButton look="primary" to={paths.transactions}>
          {texts.toTransactions}
        </LinkButton>
      </EmptyState>
    )
  }
  return (
    <div aria-busy={!disputeResult.isError}>
      <DataShell query={disputeResult} skeleton={<TextSkeleton lines={6} />} failed={texts.loadFailed} />
    </div>
  )
}

interface DisputeViewProps {
  dispute: Dispute
  onChange: (dispute: Dispute) => void
  refetch: () => Promise<unknown>
}

function DisputeView({ dispute, onChange, refetch }: DisputeViewProps) {
  const { state, opened_at: openedAt } = dispute
  const isOpen = state === 'open'
  return (
    <>
      <p className="small -mt-3">
        <Link className="inline-block py-3" to={`${paths.transactions}?details=${dispute.transaction.id}`}>
          {texts.backToTransactions}
        </Link>
      </p>
      <p className={classNames('row small mt-1 gap-2', isOpen ? 'text-wait' : 'muted')}>
        <Icon name={isOpen ? 'clock' : state === 'upheld' ? 'check' : 'cross'} small />
        {texts.states[state]}
      </p>
      <FocusedHeading level="h1" className="display-m mt-1">
        {writeDisputeTitle(dispute)}
      </FocusedHeading>
      <p className="small muted mt-2">{texts.sentOn(dispute.id.slice(-12).toUpperCase(), formatDateTime(openedAt))}</p>
      <div className="dispute mt-6">
        <div className="grid content-start gap-6">
          <Progress dispute={dispute} />
          <DisputeActions dispute={dispute} onChange={onChange} refetch={refetch} />
          <History dispute={dispute} />
        </div>
        <aside className="grid gap-6 content-start pt-6 border-t xl:pt-0 xl:ps-8 xl:border-t-0 xl:border-s">
          <DisputeCredits dispute={dispute} />
          <Evidence dispute={dispute} />
        </aside>
      </div>
    </>
  )
}

/** Current state, with the information needed and its deadline. */
function Progress({ dispute }: { dispute: Dispute }) {
  const { state, outcome, need, need_by: answerDeadline, claimed, credit_by: creditDeadline, objection } = dispute
  const amount = formatMoney(claimed.amount, claimed.currency)
  if (objection?.state === 'open') return <Note>{texts.objectionOpen(formatDate(objection.decide_by))}</Note>
  if (state !== 'open') {
    const outcomeText = texts.outcomes[outcome ?? 'withdrawn']
    return <p>{typeof outcomeText === 'string' ? outcomeText : outcomeText(amount)}</p>
  }
  return (
    <div className="grid gap-4">
      {need !== null && answerDeadline !== null && (
        <Note tone="warning">{texts.needs[need](formatDate(answerDeadline))}</Note>
      )}
      {dispute.is_extended && <Note tone="warning">{texts.extended}</Note>}
      <DeadlineScale from={dispute.opened_at} to={dispute.decide_by} startLabel={texts.youSentIt} />
      {creditDeadline !== null && <p className="hint">{texts.creditBy(amount, formatDate(creditDeadline))}</p>}
    </div>
  )
}

function History({ dispute: { events, statement, state, decide_by: decisionDeadline } }: { dispute: Dispute }) {
  return (
    <section>
      <h2 className="field-label">{texts.history}</h2>
      <ol className="timeline">
        {events.map(({ code, text, at }, index) => (
          <li key={index}>
            <span className="wrap-anywhere">
              {texts.events[code]}
              {(text ?? (code === 'opened' ? statement : '')) !== '' && (
                <span className="small muted block">{text ?? (code === 'opened' ? statement : '')}</span>
              )}
            </span>
            <time className="whitespace-nowrap" dateTime={at}>
              {formatDate(at)}
            </time>
          </li>
        ))}
        {state === 'open' && (
          <li className="timeline-open muted">
            <span>{texts.next}</span>
            <span className="whitespace-nowrap">{texts.by(formatDate(decisionDeadline))}</span>
          </li>
        )}
      </ol>
    </section>
  )
}

function DisputeCredits({ dispute: { credits } }: { dispute: Dispute }) {
  if (credits.length === 0) return null
  return (
    <section>
      <h2 className="field-label">{texts.movements}</h2>
      <DefinitionList
        small
        entries={credits.flatMap(({ kind, amount, fee, currency, transaction_id: id }) => {
          const sign = kind === 'taken_back' || kind === 'repaid' ? '−' : '+'
          const term = <Link to={`${paths.transactions}?details=${id}`}>{texts.credits[kind]}</Link>
          const movementEntry = { term, value: `${sign}${formatMoney(amount, currency)}` }
          return isZero(fee)
            ? [movementEntry]
            : [movementEntry, { term: texts.ofItFee, value: `${sign}${formatMoney(fee, currency)}` }]
        })}
      />
    </section>
  )
}
