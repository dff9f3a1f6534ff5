import { useEffect, useState } from 'react'
import { pay } from '#messages/transfers/requests.ts'
import { Icon } from '../../../../ui/icon/Icon.tsx'
import { formatMinutesLeft } from './minutes-left.ts'

/** Remaining time of a price, updated every second and not announced to screen readers. */
export function ReservedTime({ untilMs }: { untilMs: number }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <p className="flex gap-1.5 items-center ps-3 text-small/[1.5] text-ink-2 tabular-nums [&_.icon]:size-4">
      <Icon name="clock" />
      {pay.heldFor(formatMinutesLeft(untilMs, now))}
    </p>
  )
}
