import { useEffect, useState } from 'react'
import { holds as texts } from '#messages/transfers/holds.ts'
import { formatDateTime } from '../../ui/format/format.ts'
import { chooseBlock, listBlocks, computeElapsed } from '../../ui/time/clock.ts'

interface ClockBarProps {
  /** ISO times. */
  from: string
  until: string
  untilText: string
}

const tickMs = 30_000

/** Progress bar of a period: equal blocks, a line for the elapsed time, both ends labelled. */
export function ClockBar({ from, until, untilText }: ClockBarProps) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs)
    return () => clearInterval(timer)
  }, [])
  const [fromMs, untilMs] = [Date.parse(from), Date.parse(until)]
  const totalMs = Math.max(1, untilMs - fromMs)
  const elapsedShare = computeElapsed(fromMs, untilMs, now)
  const { unit, count } = chooseBlock(totalMs)
  const [start, end] = [formatDateTime(from), formatDateTime(until)]
  return (
    <figure dir="ltr">
      <svg
        className="block overflow-visible"
        width="100%"
        height="34"
        role="img"
        aria-label={texts.clock({ from: start, to: end, untilText })}
      >
        <rect className="fill-sheet stroke-ink" y="0.5" width="100%" height="9" />
        {listBlocks(totalMs).map(
          ({ from: at, length }, index) =>
            index % 2 === 0 && <rect className="fill-ink" key={at} x={`${at}%`} width={`${length}%`} height="10" />,
        )}
        <rect className="fill-sea stroke-sheet" y="3" width={`${elapsedShare}%`} height="4" />
        <line className="stroke-sea stroke-2" x1={`${elapsedShare}%`} x2={`${elapsedShare}%`} y1="-2" y2="16" />
        <text
          className="text-[0.75rem] font-medium fill-sea"
          x={`${elapsedShare}%`}
          y="30"
          textAnchor={elapsedShare < 12 ? 'start' : elapsedShare > 88 ? 'end' : 'middle'}
        >
          {now > untilMs ? texts.late : texts.now}
        </text>
      </svg>
      <figcaption className="text-fine flex gap-4 mt-1.5 justify-between text-ink-2 tabular-nums">
        <span className="last:text-end">
          <b className="block font-medium text-ink">{texts.putOnHold}</b>
          <time dateTime={from}>{start}</time>
        </span>
        <span className="last:text-end">
          <b className="block font-medium text-ink">{untilText}</b>
          <time dateTime={until}>{end}</time>
        </span>
      </figcaption>
      <p className="tiny muted mt-2">{texts.block[unit](count)}</p>
    </figure>
  )
}
