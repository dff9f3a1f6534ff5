import '../../css/limit-ways.css'
import { useQuery } from '@tanstack/react-query'
import { type Limits, type ExceededLimit, exceededLimitShape } from '@tern/contract/limits'
import type { CurrencyCode } from '@tern/money/currency'
import { parseDecimal, toDecimal } from '@tern/money/money'
import { limits as texts } from '#messages/identity/limits.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { useUser } from '../session/session.ts'
import {
  cents,
  findReleaseTime,
  findLimit,
  limitsQuery,
  createFormatter,
  formatRemaining,
  describeTime,
} from './limit-queries.ts'

/** Order refused by a limit, with ways to change it. */
export interface RefusedOrder {
  readonly verb: keyof typeof texts.ways.less
  /** Amount of the order as a plain decimal. */
  readonly amount: string
  readonly currency: CurrencyCode
  /** Fills a smaller amount into the form. */
  readonly onReduce: (amount: string) => void
  /** Link that schedules the same order for a day, such as `2026-11-27`; undefined if it cannot be scheduled. */
  readonly scheduledOn?: ((day: string) => string) | undefined
}

interface LimitOptionsProps {
  /** The problem's `limit`, not yet parsed. */
  limit: unknown
  order: RefusedOrder
}

/** Options after a limit refused an order: a smaller amount, a later day, or a higher limit. */
export function LimitOptions({ limit, order }: LimitOptionsProps) {
  const user = useUser()
  const exceededLimit = exceededLimitShape.safeParse(limit).data
  const { data } = useQuery(limitsQuery(user?.id))
  if (!exceededLimit) return null
  const reducedAmount = computeReducedAmount(exceededLimit, order)
  return (
    <ul className="limit-ways border-t" aria-label={texts.ways.title}>
      {reducedAmount && (
        <li>
          <button type="button" onClick={() => order.onReduce(toDecimal(reducedAmount))}>
            <OptionText
              title={texts.ways.less[order.verb](formatExact(toDecimal(reducedAmount), reducedAmount.currency))}
              text={
                exceededLimit.period === 'payment'
                  ? texts.ways.parts
                  : texts.ways.lessText(formatRemaining(exceededLimit))
              }
            />
            <Icon name="next" />
          </button>
        </li>
      )}
      {data && <WaitOption metLimit={exceededLimit} order={order} data={data} />}
      {data && <RaiseLimitOption metLimit={exceededLimit} data={data} />}
    </ul>
  )
}

function OptionText({ title, text }: { title: string; text: string }) {
  return (
    <span>
      <b>{title}</b>
      <span className="small muted">{text}</span>
    </span>
  )
}

/**
 * Order amount reduced in proportion to what is left of the limit, rounded down; undefined if that is zero, or if the
 * limit covers the whole order.
 */
export function computeReducedAmount(
  { left, asked }: ExceededLimit,
  { amount, currency }: Pick<RefusedOrder, 'amount' | 'currency'>,
) {
  const [available, requestedMinor] = [cents(left ?? '0'), cents(asked)]
  if (available <= 0n || requestedMinor <= 0n || available >= requestedMinor) return undefined
  const parsed = parseDecimal(currency, amount)
  const minor = (parsed.minor * available) / requestedMinor
  return minor > 0n ? { ...parsed, minor } : undefined
}

/** Local hour at which scheduled sends run. */
const scheduledHour = 9

/** First `scheduledHour` after `moment`. */
function getNextMorning(moment: string): Date {
  const from = new Date(moment)
  const nextMorning = new Date(from)
  nextMorning.setHours(scheduledHour, 0, 0, 0)
  if (nextMorning <= from) nextMorning.setDate(nextMorning.getDate() + 1)
  return nextMorning
}

/** Local date such as "2026-11-27". */
const formatDay = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

function WaitOption({ metLimit, order, data }: { metLimit: ExceededLimit; order: RefusedOrder; data: Limits }) {
  const limit = findLimit(data, metLimit)
  const from = limit && findReleaseTime(limit, cents(metLimit.asked))
  if (from === undefined) return null
  const amount = formatExact(order.amount, order.currency)
  const describeRelease = (at: string) => texts.ways.later[order.verb](amount, describeTime(at))
  const morning = getNextMorning(from)
  return (
    <li>
      {order.scheduledOn ? (
        <Link to={order.scheduledOn(formatDay(morning))}>
          <OptionText title={describeRelease(morning.toISOString())} text={texts.ways.scheduleText} />
          <Icon name="next" />
        </Link>
      ) : (
        <OptionText title={describeRelease(from)} text={texts.ways.laterText} />
      )}
    </li>
  )
}

/** Link to raise a personal limit, to see the product's limits, or to verify, without which these are zero. */
function RaiseLimitOption({ metLimit, data }: { metLimit: ExceededLimit; data: Limits }) {
  const isVerified = data.verification_state === 'verified'
  const next = data.own.find(
    ({ direction, period }) => direction === metLimit.direction && period === metLimit.period,
  )?.next
  const raiseText = next
    ? texts.ways.rising(next.max === null ? undefined : createFormatter(data.own_rate)(next.max), describeTime(next.at))
    : texts.ways.raiseText
  return (
    <li>
      <Link to={isVerified ? paths.limitSettings : paths.register}>
        {metLimit.own ? (
          <OptionText title={next ? texts.ways.see : texts.ways.raise} text={raiseText} />
        ) : isVerified ? (
          <OptionText title={texts.ways.see} text={texts.ways.seeText} />
        ) : (
          <OptionText title={texts.ways.verify} text={texts.ways.verifyText} />
        )}
        <Icon name="next" />
      </Link>
    </li>
  )
}
