import { entries } from '@tern/messages/en/desk/entries'
import { useState } from 'react'
import { chooseBlock, listBlocks, computeElapsed } from '@tern/web/ui/time/clock.ts'
import { formatDateTime } from '@tern/web/ui/format/format.ts'

/**
 * Progress bar from opening to deadline (ISO 8601), divided into equal time blocks, with the elapsed part underneath.
 */
export function DueRuler({ from, until }: { from: string; until: string }) {
  const [now] = useState(Date.now)
  const [fromMs, untilMs] = [Date.parse(from), Date.parse(until)]
  const totalMs = Math.max(1, untilMs - fromMs)
  const elapsedShare = computeElapsed(fromMs, untilMs, now)
  const { unit, count } = chooseBlock(totalMs)
  return (
    <figure className="mt-2 max-w-160" dir="ltr">
      <svg
        className="overflow-visible"
        width="100%"
        height="12"
        role="img"
        aria-label={entries.ruler(formatDateTime(from), formatDateTime(until))}
      >
        {listBlocks(totalMs).map(
          ({ from: at, length }, index) =>
            index % 2 === 0 && <rect key={at} className="fill-ink" x={`${at}%`} width={`${length}%`} height="6" />,
        )}
        <rect className="fill-none stroke-ink" x="0" y="0" width="100%" height="6" />
        <rect className="fill-sea" x="0" y="9" width={`${Math.max(elapsedShare, 0.5)}%`} height="3" />
      </svg>
      <figcaption className="mt-0.5 flex justify-between gap-4 text-tiny text-ink-2">
        <span>{entries.block[unit](count)}</span>
        <span>{entries.decideBy(formatDateTime(until))}</span>
      </figcaption>
    </figure>
  )
}
