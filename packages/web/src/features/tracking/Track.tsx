import '../../css/track.css'
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { trackedTransfer } from '@tern/contract/transfers/tracking'
import { Suspense, useEffect, useState } from 'react'
import { useParams } from 'react-router'
import { shell, titles } from '#messages/shell.ts'
import { tracking } from '#messages/transfers/tracking.ts'
import { readLinkData } from '../../app/browser/link-text.ts'
import { paths } from '../../app/paths.ts'
import { retryUnlessRefused, buildVisitorQuery } from '../../app/session/query.ts'
import { VisitorFrame } from '../../app/shell/VisitorFrame.tsx'
import { DataShell } from '../../ui/feedback/DataShell.tsx'
import { OfflineNote } from '../../ui/feedback/OfflineNote.tsx'
import { TextSkeleton } from '../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatDateTime } from '../../ui/format/format.ts'
import { formatDay } from '../../ui/format/format-day.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { EyeIcon } from '../../ui/icon/EyeIcon.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import type { IconName } from '../../ui/icon/icons.ts'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { routeBetween } from '../../ui/maps/route/countries.ts'
import { formatExact } from '../../ui/money/exact-amount.ts'

const RouteMap = lazyComponent(() => import('../../ui/maps/route/RouteMap.tsx'), 'RouteMap')

type TrackedTransfer = Reply<typeof trackedTransfer>

export const meta = () => [
  { title: shell.pageTitle(titles.track) },
  { name: 'robots', content: 'noindex' },
  { name: 'referrer', content: 'no-referrer' },
]

const pollMs = 5000
const newQueryClient = () => new QueryClient({ defaultOptions: { queries: { retry: 1, staleTime: pollMs } } })

/** Status of one transfer, for anyone with its tracking link. */
export default function Track() {
  const [queryClient] = useState(newQueryClient)
  return (
    <QueryClientProvider client={queryClient}>
      <VisitorFrame>
        <Content />
      </VisitorFrame>
    </QueryClientProvider>
  )
}

const isNotFound = (error: unknown): boolean => error instanceof Refused && error.code === 'not_found'
const isFinal = ({ state }: TrackedTransfer): boolean => state === 'delivered' || state === 'returned'

function Content() {
  const { code: rawCode = '' } = useParams()
  const code = readLinkData(rawCode)
  // One prerendered page serves every code, so the code is unknown before the page is mounted.
  const [hasMounted, setHasMounted] = useState(false)
  useEffect(() => setHasMounted(true), [])
  const trackingQuery = useQuery({
    ...buildVisitorQuery(['tracking'], trackedTransfer, { params: { code } }),
    enabled: hasMounted && code !== '',
    refetchInterval: ({ state: { data, error } }) => (isNotFound(error) || (data && isFinal(data)) ? false : pollMs),
    retry: retryUnlessRefused(2),
  })
  const isUnknown = (hasMounted && code === '') || isNotFound(trackingQuery.error)
  if (isUnknown) return <UnknownTransfer />
  if (trackingQuery.data) {
    return (
      <div className="max-w-360 mx-auto pt-10 px-16 pb-16 max-xl:px-10 max-md:px-4 max-sm:pt-4 *:max-w-260">
        <OfflineNote className="mb-4" readAt={trackingQuery.dataUpdatedAt} />
        <TransferProgress transfer={trackingQuery.data} readAt={trackingQuery.dataUpdatedAt} />
      </div>
    )
  }
  return (
    <div
      className="max-w-360 mx-auto pt-10 px-16 pb-16 max-xl:px-10 max-md:px-4 max-sm:pt-4 *:max-w-260"
      aria-busy={!trackingQuery.isError}
    >
      <DataShell query={trackingQuery} skeleton={<TextSkeleton lines={6} />} failed={tracking.loadFailed} />
    </div>
  )
}

function UnknownTransfer() {
  return (
    <section className="max-w-360 mx-auto pt-10 px-16 pb-16 max-xl:px-10 max-md:px-4 max-sm:pt-4 *:max-w-260">
      <FocusedHeading level="h1" className="display-m">
        {tracking.unknownTitle}
      </FocusedHeading>
      <p className="muted mt-3">{tracking.unknownText}</p>
      <p className="mt-6">
        <LinkButton to={paths.howItWorks} reloadDocument>
          {tracking.howItWorks}
        </LinkButton>
      </p>
    </section>
  )
}

const stateIcons: Readonly<Record<TrackedTransfer['state'], IconName>> = {
  being_paid: 'clock',
  being_checked: 'clock',
  on_its_way: 'send',
  delivered: 'check',
  returned: 'cross',
}

function TransferProgress({ transfer, readAt }: { transfer: TrackedTransfer; readAt: number }) {
  const { state, reference, sender, recipient, expected_on: expectedOn } = transfer
  const route = routeBetween(transfer.sender_country, transfer.recipient_country)
  const time = formatDateTime(new Date(readAt).toISOString())
  return (
    <>
      <Sheet className="track-sheet">
        <p className="flex flex-wrap gap-x-4 gap-y-1 items-center" role="status">
          <span className={`track-chip track-${state}`}>
            <Icon name={stateIcons[state]} />
            {tracking.states[state]}
          </span>
          <span className="small muted tabular">{reference}</span>
        </p>
        <div className="track-head">
          <div className="min-w-0">
            <h1 className="display-m wrap-anywhere" dir="auto">
              {recipient === null ? tracking.toBank(sender) : tracking.between(sender, recipient)}
            </h1>
            {route && <p className="lead muted mt-1">{tracking.fromTo(route.from.name, route.to.name)}</p>}
            {!isFinal(transfer) && expectedOn !== null && (
              <p className="muted mt-1">{tracking.expected(formatDay(expectedOn))}</p>
            )}
          </div>
          <Amounts transfer={transfer} />
        </div>
        {route && (
          <div className={classNames('track-map', state !== 'delivered' && 'track-ahead')}>
            <Suspense fallback={<div className="border-2 aspect-[640/220]" />}>
              <RouteMap {...route} />
            </Suspense>
          </div>
        )}
        <Steps transfer={transfer} />
      </Sheet>
      <div className="track-foot">
        <p className="small muted">
          {isFinal(transfer) ? tracking.final(time) : tracking.checked(time)} {tracking.never}
        </p>
        <LinkButton to={paths.howItWorks} reloadDocument>
          {tracking.howItWorks}
        </LinkButton>
      </div>
    </>
  )
}

/** While a transfer is being paid, an amount to be received in another currency is an estimate. */
function chooseReceivedTerm({ state, source_currency: source, target_currency: target }: TrackedTransfer): string {
  if (state === 'delivered') return tracking.received
  return state === 'being_paid' && source !== target ? tracking.toReceiveAbout : tracking.toReceive
}

function Amounts({ transfer }: { transfer: TrackedTransfer }) {
  const { state, amounts, sender, source_currency: source, target_currency: target } = transfer
  if (!amounts) {
    return (
      <p className="track-amounts small muted">
        <EyeIcon name="hidden" />
        {tracking.hidden(sender)}
      </p>
    )
  }
  return (
    <dl className="track-amounts tabular">
      <div>
        <dt className="small muted">{tracking.sent}</dt>
        <dd>{formatExact(amounts.sent, source)}</dd>
      </div>
      {state !== 'returned' && (
        <div>
          <dt className="small muted">{chooseReceivedTerm(transfer)}</dt>
          <dd>{formatExact(amounts.received, target)}</dd>
        </div>
      )}
    </dl>
  )
}

/** Final steps count as reached even if their time is unknown. */
const isFinalStep = (step: TrackedTransfer['steps'][number]['step']): boolean =>
  step === 'returned' || step === 'not_paid'

function Steps({ transfer: { steps, state } }: { transfer: TrackedTransfer }) {
  return (
    <section aria-label={tracking.timeline}>
      <ol className={classNames('track-steps', state === 'returned' && 'track-steps-back')}>
        {steps.map(({ step, at }) => (
          <li key={step} className={classNames(at === null && !isFinalStep(step) && 'track-open')}>
            <b className="font-medium">{tracking.steps[step]}</b>
            {at === null ? (
              !isFinalStep(step) && <span className="small muted">{tracking.notYet}</span>
            ) : (
              <time className="small muted tabular" dateTime={at}>
                {formatDateTime(at)}
              </time>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
