import '../../css/outlook.css'
import type { Wallet } from '@tern/contract/wallets'
import type { CurrencyCode } from '@tern/money/currency'
import { schedules } from '#messages/schedules/schedules.ts'
import { paths } from '../../app/paths.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatDay } from '../../ui/format/format-day.ts'
import { Balance } from '../../ui/money/Balance.tsx'
import { formatExact } from '../../ui/money/exact-amount.ts'
import { formatDayParts, shortDay } from './dates.ts'
import { type Outlook, type OutlookDay, computeOutlook } from './outlook.ts'
import type { ScheduledSends } from './schedule-queries.ts'

interface OutlookProps {
  data: ScheduledSends
  wallet: Wallet
}

/** Projected main balance for the next five weeks, with the first day on which it does not suffice. */
export function BalanceOutlook({ data, wallet }: OutlookProps) {
  const currency = wallet.base_currency
  const outlook = computeOutlook(data, currency, wallet.fiat_balance)
  const [first] = outlook.days
  if (!first) return null
  const names = new Map(data.schedules.map(({ id, recipient }) => [id, recipient.name ?? recipient.username]))
  const isMixed = data.coming.some((send) => send.currency !== currency)
  return (
    <>
      <section
        className="border mt-6 pt-6 px-8 pb-5 rounded-sheet bg-water max-md:pt-5 max-md:px-4 max-md:pb-4"
        aria-labelledby="outlook"
      >
        <div className="flex flex-wrap gap-x-8 gap-y-2 items-end justify-between">
          <div>
            <h2 className="small muted" id="outlook">
              {schedules.outlook}
            </h2>
            <p>
              <Balance amount={outlook.total} currency={currency} size="small" />
            </p>
          </div>
          <p className="small muted tabular">{schedules.balanceToday(formatExact(outlook.balance, currency))}</p>
        </div>
        <Plot outlook={outlook} currency={currency} until={data.coming_until} />
        <ol className="outlook-days text-fine grid grid-cols-[repeat(auto-fill,minmax(124px,1fr))] gap-x-4 gap-y-3 mt-5 max-md:hidden">
          {outlook.days.map((day) => (
            <li key={day.date} className={day.shortfall === undefined ? undefined : 'border-wait text-wait'}>
              <time className="block text-ink-2" dateTime={day.date}>
                {formatDay(day.date)}
              </time>
              <b className="font-medium block">
                {schedules.and([...new Set(day.sends.map((send) => firstName(names.get(send.schedule_id) ?? '')))])}
              </b>
              <span className="tabular">{formatExact(day.total, currency)}</span>
            </li>
          ))}
        </ol>
        {isMixed && <p className="small muted mt-3">{schedules.otherCurrencies}</p>}
      </section>
      <ShortNote data={data} currency={currency} outlook={outlook} names={names} />
    </>
  )
}

const firstName = (name: string): string => name.split(/[\s.]/)[0] ?? name

interface NoteProps {
  data: ScheduledSends
  currency: CurrencyCode
  outlook: Outlook
  names: ReadonlyMap<string, string>
}

/** Names the send that cannot be paid on the first short day. */
function ShortNote({ data, currency, outlook, names }: NoteProps) {
  const day = outlook.days.find(({ shortfall }) => shortfall !== undefined)
  const send = day?.sends.find(({ missing }) => missing !== null)
  const schedule = data.schedules.find(({ id }) => id === send?.schedule_id)
  if (!day || !send?.missing || !schedule) return null
  const { amount, side, source_currency: source, target_currency: target } = schedule
  const amountText = formatExact(amount, side === 'source' ? source : target)
  return (
    <div
      className="note note-warning small outlook-note items-center mt-4 max-md:flex-wrap max-md:items-start"
      role="status"
    >
      <Icon name="warning" />
      <p className="grow">
        <b className="font-medium">{schedules.shortOn(shortDay(day.date), formatExact(send.missing, currency))}</b>{' '}
        {schedules.shortWaits(names.get(send.schedule_id) ?? '', amountText)}
      </p>
      <LinkButton to={paths.deposit}>{schedules.addMoney}</LinkButton>
    </div>
  )
}

const size = 100
const toHeight = (decimal: string): number => Math.max(0, Number(decimal)) // not money: a height of a drawing

/** Projected balance, falling at each send; the scale bar below has one block per week. */
function Plot({ outlook, currency, until }: { outlook: Outlook; currency: CurrencyCode; until: string }) {
  const { days, balance, length } = outlook
  const top = Math.max(toHeight(balance) * 1.04, 1)
  const x = ({ day }: OutlookDay) => (Math.min(day, length) / length) * size
  const y = (decimal: string) => size - (toHeight(decimal) / top) * size
  const line = `M0 ${y(balance)}${days.map((day) => `H${x(day)}V${y(day.balanceAfter)}`).join('')}H${size}`
  const from = formatExact(balance, currency)
  const firstShortDay = days.find(({ shortfall }) => shortfall !== undefined)
  const label = firstShortDay?.shortfall
    ? schedules.outlookShort(from, shortDay(firstShortDay.date), formatExact(firstShortDay.shortfall, currency))
    : schedules.outlookLabel(from, formatExact(days.at(-1)?.balanceAfter ?? balance, currency))
  return (
    <>
      <div
        className="[direction:ltr] relative h-44 mt-6 max-md:h-32 [&_path]:fill-none [&_path]:[vector-effect:non-scaling-stroke]"
        role="img"
        aria-label={label}
      >
        <svg
          className="size-full absolute inset-0 overflow-visible"
          viewBox={`0 0 ${size} ${size}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <path className="stroke-line" d={`M0 0H${size}M0 33.3H${size}M0 66.7H${size}`} />
          <path className="fill-sea-wash opacity-70" d={`${line}V${size}H0z`} />
          <path className="stroke-sea stroke-[2] [stroke-linejoin:round]" d={line} />
        </svg>
        {days.map((day) => (
          <span
            key={day.date}
            className={
              day === firstShortDay
                ? '[box-shadow:0_0_0_2px_var(--water)] [transform:translate(-50%,_-50%)] absolute rounded-[50%] size-3 bg-beak'
                : '[box-shadow:0_0_0_2px_var(--water)] [transform:translate(-50%,_-50%)] size-2.25 absolute rounded-[50%] bg-sea'
            }
            style={{ insetInlineStart: `${x(day)}%`, top: `${y(day.balanceAfter)}%` }}
          />
        ))}
      </div>
      <div
        className="[direction:ltr] border-y border-y-ink grid grid-cols-[repeat(5,1fr)] h-1.5 [&_i:nth-child(odd)]:bg-ink"
        aria-hidden="true"
      >
        {Array.from({ length: 5 }, (_, week) => (
          <i key={week} />
        ))}
      </div>
      <div className="[direction:ltr] flex justify-between pt-1.5 tiny faint tabular" aria-hidden="true">
        {Array.from({ length: 6 }, (_, week) => (
          <span className="w-0 whitespace-nowrap last:flex last:justify-end max-md:last:invisible" key={week}>
            {week === 0 ? schedules.today : formatDayParts(subtractWeeks(until, 5 - week)).day}
          </span>
        ))}
      </div>
    </>
  )
}

const subtractWeeks = (date: string, weeks: number): string =>
  new Date(Date.parse(date) - weeks * 7 * 86_400_000).toISOString().slice(0, 10)
