import { useQueryClient } from '@tanstack/react-query'
import { type Limit, type Limits, type HolderLimit, setOwnLimit } from '@tern/contract/limits'
import { Suspense, useState } from 'react'
import { limits as texts } from '#messages/identity/limits.ts'
import {
  cents,
  findLimit,
  limitsQuery,
  type FormatDollars,
  createFormatter,
  describeTime,
} from '../../app/limits/limit-queries.ts'
import { useApiMutation } from '../../app/use-api-mutation.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { LimitGauge } from './LimitGauge.tsx'

const limitRowClass =
  'grid items-center border-t py-5 first:border-ink last:border-b [&>.button]:-me-3 [&>.button]:justify-self-end ' +
  'min-[768px]:grid-cols-[168px_minmax(0,1fr)_88px] min-[768px]:gap-x-8 min-[768px]:gap-y-2 ' +
  'max-[768px]:grid-cols-[minmax(0,1fr)_auto] max-[768px]:gap-x-4 max-[768px]:gap-y-3'
const amountClass = 'text-[1.625rem]/8 font-normal font-display tracking-[-0.012em]'
/** Line about a pending rise, with a button whose touch area is 44 px high. */
const pendingLineClass =
  'mt-1 [&_button]:relative [&_button]:[border-bottom:1px_solid] [&_button]:text-sea [&_button]:font-medium ' +
  '[&_button]:after:absolute [&_button]:after:-inset-x-1 [&_button]:after:-inset-y-3'

const ChangeLimit = lazyComponent(() => import('./ChangeLimit.tsx'), 'ChangeLimit')

interface RowProps {
  userId: number
  data: Limits
  direction: Limit['direction']
  period: Limit['period']
}

/** One period of one direction: amount left, gauge, next release, and a form for the user's own limit. */
export function LimitRow({ userId, data, direction, period }: RowProps) {
  const [isChanging, setIsChanging] = useState(false)
  const format = createFormatter(data.own_rate)
  const productLimit = findLimit(data, { direction, period, own: false })
  const own = findLimit(data, { direction, period, own: true })
  const next =
    data.own.find((candidate) => candidate.direction === direction && candidate.period === period)?.next ?? undefined
  const limit = chooseTightest(productLimit, own)
  if (!limit && period === 'payment') return null
  const maximum = productLimit?.max ?? limit?.max
  return (
    <div className={limitRowClass} role="group" aria-label={texts.periods[period]}>
      <LimitLead period={period} limit={limit} format={format} />
      <div className="min-w-0 max-[768px]:col-span-full max-[768px]:row-start-2">
        {maximum && limit && (
          <LimitGauge
            format={format}
            used={limit.used}
            total={maximum}
            isProductLimit={productLimit !== undefined}
            own={own?.max ?? undefined}
            next={next?.max}
          />
        )}
        <p className="small muted">
          {limit && describeUsed(limit, format)} {period === 'payment' ? texts.notSettable : !own && texts.noneOwn}
        </p>
        {own && next && <PendingIncrease userId={userId} own={own} next={next} format={format} />}
      </div>
      {period !== 'payment' && (
        <Button
          look="ghost"
          aria-label={(own ? texts.changeOf : texts.setOf)[period][direction]}
          onClick={() => setIsChanging(true)}
        >
          {own ? texts.change : texts.set}
        </Button>
      )}
      {isChanging && period !== 'payment' && (
        <Suspense>
          <ChangeLimit
            userId={userId}
            direction={direction}
            period={period}
            productLimit={productLimit}
            own={own}
            next={next}
            ownRate={data.own_rate}
            onClose={() => setIsChanging(false)}
          />
        </Suspense>
      )}
    </div>
  )
}

function chooseTightest(productLimit: Limit | undefined, own: Limit | undefined): Limit | undefined {
  if (!productLimit || !own) return own ?? productLimit
  return cents(own.left ?? '0') <= cents(productLimit.left ?? '0') ? own : productLimit
}

interface LimitLeadProps {
  period: Limit['period']
  limit: Limit | undefined
  format: FormatDollars
}

function LimitLead({ period, limit, format }: LimitLeadProps) {
  const { max, left, own } = limit ?? {}
  return (
    <div>
      <h3 className="text-control font-medium">{texts.periods[period]}</h3>
      {!max || !left ? (
        <p className={amountClass}>{texts.noLimit}</p>
      ) : (
        <>
          <p className={`${amountClass} tabular`}>{format(left)}</p>
          <p className="small muted">
            {period === 'payment'
              ? texts.ourLimit
              : own
                ? texts.leftOfYours(format(max))
                : texts.leftOfOurs(format(max))}
          </p>
        </>
      )}
    </div>
  )
}

/** Text for the used amount and its release: all at once, or the earliest part. */
function describeUsed({ period, used, comes_back: releases }: Limit, format: FormatDollars): string {
  const [first, ...laterReleases] = releases
  if (!first) return period === 'payment' ? '' : texts.unused[period]
  const time = describeTime(first.at)
  const releaseText = laterReleases.length === 0 ? texts.allBack(time) : texts.partBack(format(first.amount), time)
  return `${texts.used(format(used))} ${releaseText}`
}

interface PendingProps {
  userId: number
  own: Limit
  next: NonNullable<HolderLimit['next']>
  format: FormatDollars
}

/** Pending rise or removal of a limit. It is canceled by setting the current limit again. */
function PendingIncrease({ userId, own, next, format }: PendingProps) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const action = useApiMutation({ failed: texts.failed })
  const { direction, period, max } = own
  const time = describeTime(next.at)
  const cancel = () => {
    if (period === 'payment' || max === null) return
    action.send(setOwnLimit, { body: { direction, period, max } }, (data) => {
      queryClient.setQueryData(limitsQuery(userId).queryKey, data)
      toast(texts.riseCanceled(format(max)))
    })
  }
  return (
    <>
      <p className={`small ${pendingLineClass}`}>
        {next.max === null ? texts.ends(time) : texts.rises(format(next.max), time)}{' '}
        <button type="button" disabled={action.isBusy} onClick={cancel}>
          {next.max === null ? texts.keepLimit : texts.cancelRise}
        </button>
      </p>
      {action.error && <Note tone="error">{action.error}</Note>}
    </>
  )
}
