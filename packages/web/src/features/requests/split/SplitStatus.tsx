import '../../../css/split.css'
import { useQuery } from '@tanstack/react-query'
import type { Split } from '@tern/contract/requests/splits'
import { type CurrencyCode } from '@tern/money/currency'
import { add, type Money, parseDecimal, toDecimal, zero } from '@tern/money/money'
import { Link, useLocation } from 'react-router'
import { split } from '#messages/transfers/split.ts'
import { paths } from '../../../app/paths.ts'
import { useUser } from '../../../app/session/session.ts'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { DataShell } from '../../../ui/feedback/DataShell.tsx'
import { ActivitySkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { formatDate } from '../../../ui/format/format.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { Balance } from '../../../ui/money/Balance.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { chooseGroup } from '../request-state.ts'
import { SplitScale } from './SplitScale.tsx'
import { SplitPart } from './SplitPart.tsx'
import { splitQuery } from './split-queries.ts'
import { canRemind, useSplitActions } from './use-split-actions.tsx'

const backLinkClass =
  '-ms-1 inline-flex min-h-11 items-center gap-1.5 text-control font-book text-ink-2 no-underline hover:text-ink ' +
  '[&_.icon]:size-4.5'

/** One split: paid and open parts, with the available actions. */
export function SplitStatus({ userId, id }: { userId: number; id: string }) {
  const query = useQuery(splitQuery(userId, id))
  if (query.data === null) {
    return (
      <EmptyState title={split.unknown}>
        <LinkButton look="primary" to={paths.split}>
          {split.title}
        </LinkButton>
      </EmptyState>
    )
  }
  if (query.data) return <SplitView userId={userId} data={query.data} />
  return <DataShell query={query} skeleton={<ActivitySkeleton />} failed={split.splitFailed} />
}

const sumAmounts = (currency: CurrencyCode, amounts: readonly string[]): Money =>
  amounts.reduce<Money>((sum, amount) => add(sum, parseDecimal(currency, amount)), zero(currency))

const headings = { waiting: split.stillToPay, paid: split.paid, closed: split.closed } as const
const groups = ['waiting', 'paid', 'closed'] as const

function SplitView({ userId, data }: { userId: number; data: Split }) {
  const location = useLocation()
  const actions = useSplitActions(userId, data)
  const { currency, parts, own } = data
  const isNew = (location.state as { isNew?: boolean } | null)?.isNew === true
  const title = data.description ?? split.untitled
  const text = (amount: string) => formatExact(amount, currency)
  const due = parts.filter(({ request }) => canRemind(request))
  return (
    <>
      <Link className={backLinkClass} to={paths.split}>
        <Icon name="previous" />
        {split.title}
      </Link>
      {isNew ? (
        <FocusedHeading level="h1" className="display-m wrap-anywhere">
          {title}
        </FocusedHeading>
      ) : (
        <h1 className="display-m wrap-anywhere">{title}</h1>
      )}
      <p className="muted mt-1">
        {split.betweenOn(text(data.total), parts.length + (own ? 1 : 0), formatDate(data.created_at))}
      </p>
      <div className="mt-8 grid items-start gap-16 max-xl:grid-cols-1 max-xl:gap-12 xl:grid-cols-[minmax(0,1fr)_380px] max-xl:max-w-160 max-xl:max-md:max-w-none [&_section+section]:mt-8">
        <div className="min-w-0">
          {groups.map((group) => {
            const requests = parts.map(({ request }) => request).filter((request) => chooseGroup(request) === group)
            if (requests.length === 0) return null
            const sum = toDecimal(
              sumAmounts(
                currency,
                requests.map(({ amount }) => amount),
              ),
            )
            return (
              <section key={group} aria-label={headings[group]}>
                <div className="request-heading">
                  <h2>{headings[group]}</h2>
                  <span className="tabular">{text(sum)}</span>
                </div>
                <ul>
                  {requests.map((request) => (
                    <SplitPart key={request.id} request={request} onRemind={() => actions.promptRemind(request)} />
                  ))}
                </ul>
                {group === 'waiting' && due.length > 1 && (
                  <Button look="ghost" className="-ms-3 mt-1" onClick={() => actions.promptRemind(undefined)}>
                    {split.remindAll}
                  </Button>
                )}
              </section>
            )
          })}
          {own && (
            <section aria-label={split.yours}>
              <div className="request-heading">
                <h2>{split.yours}</h2>
                <span className="tabular">{text(own.amount)}</span>
              </div>
              <p className="small muted pt-3">{split.settled}</p>
            </section>
          )}
        </div>
        <SettledShares data={data} onCancel={actions.promptCancel} />
      </div>
      {actions.dialog}
    </>
  )
}

/** Amount paid back, with a scale bar of all parts of the bill. */
function SettledShares({ data, onCancel }: { data: Split; onCancel: () => void }) {
  const user = useUser()
  const { currency, parts, own } = data
  const parseMinor = (amount: string) => parseDecimal(currency, amount).minor
  const paid = parts.filter(({ request }) => request.state === 'paid').length
  const canCancel = parts.some(({ request }) => chooseGroup(request) === 'waiting' && request.state !== 'processing')
  const blocks = [
    ...(own ? [{ name: user?.name ?? user?.username ?? '', minor: parseMinor(own.amount), kind: 'own' as const }] : []),
    ...parts.map(({ request: { payer, amount, state } }) => ({
      name: payer?.name ?? payer?.username ?? '',
      minor: parseMinor(amount),
      kind: state === 'paid' ? ('paid' as const) : ('part' as const),
    })),
  ]
  return (
    <aside className="sticky top-24 max-xl:static max-xl:-order-1" aria-label={split.summary}>
      <Sheet>
        <SplitScale isStatus blocks={blocks} />
        <div className="px-6 pt-5 pb-6">
          <p className="small muted">{split.paidBack}</p>
          <p className="mb-3 wrap-anywhere">
            <Balance amount={data.paid_amount} currency={currency} size="small" />
          </p>
          <p className="muted" role="status">
            {paid === parts.length
              ? split.allPaid
              : split.byPeople(formatExact(data.asked_amount, currency), paid, parts.length)}
          </p>
          {canCancel && (
            <Button look="ghost" className="-ms-3 -mb-2 mt-3" onClick={onCancel}>
              {split.cancelRest}
            </Button>
          )}
        </div>
      </Sheet>
    </aside>
  )
}
