import '../../../css/orders-chart.css'
import type { Order } from '@tern/contract/orders/orders'
import type { RateAlert } from '@tern/contract/orders/rate-alerts'
import { useState } from 'react'
import { orders as texts } from '#messages/exchange/orders.ts'
import { RateHistory } from '../../../app/rates/RateHistory.tsx'
import { countDecimals, fromUnits, toUnits } from '../../../app/rates/rate-scale.ts'
import { formatPlaces } from '../../../app/rates/rate-words.ts'
import { chooseStep } from '../pair.ts'
import type { OrderFormModel } from '../use-order-form.ts'
import { draftLines, isNear, buildLines, findMarker, shownPair } from './chart-lines.tsx'
import { RateHandle } from './RateHandle.tsx'

interface ChartProps {
  form: OrderFormModel
  orders: readonly Order[]
  alerts: readonly RateAlert[]
  /** Ended order, marked with a coral dot at its end. */
  shown: Order | undefined
}

/** Rate history of the form's pair, with a line for each open order and alert; the form's line has a grip. */
export function OrdersChart({ form, orders, alerts, shown }: ChartProps) {
  const { values, pair, sums, subject, now, isLocked } = form
  /** Rate at the start of a drag; keeps the scale fixed during the drag. */
  const [heldAt, setHeldAt] = useState<string>()
  const chart = shownPair(shown) ?? pair
  const isOwnPair = chart.rateCurrency === pair.rateCurrency && chart.other === pair.other
  const otherLines = buildLines(orders, alerts, chart, subject)
  const near = otherLines.filter((line) => isNear(line.rate, now))
  const draft = isOwnPair && !shown ? draftLines(form) : []
  const rate = sums.rate
  const canMove = draft.length > 0 && rate !== undefined
  const lines = [...draft, ...near, ...(shown ? buildLines([shown], [], chart, undefined) : [])]
  const outside = otherLines.length - near.length
  return (
    <RateHistory
      from={chart.rateCurrency}
      to={chart.other}
      lines={lines}
      frame={lines.map((line) => (line.key === 'draft' && heldAt !== undefined ? heldAt : line.rate))}
      marker={findMarker(shown)}
      note={
        <p className="max-w-[68ch] mt-3 text-pretty small muted">
          {canMove && texts.gripHint(stepText(now ?? rate))} {outside > 0 && texts.outside({ count: outside })}
        </p>
      }
    >
      {({ scale }) =>
        canMove && (
          <RateHandle
            {...{ rate, now, pair, scale }}
            kind={values.kind}
            isLocked={isLocked}
            onHold={(isHeld) => setHeldAt(isHeld ? rate : undefined)}
            onMove={(next) => form.change({ rate: next })}
          />
        )
      }
    </RateHistory>
  )
}

/** "0.0005": change of the rate per arrow key. */
function stepText(rate: string): string {
  const step = chooseStep(toUnits(rate))
  return formatPlaces(fromUnits(step), countDecimals(step))
}
