import '../../../css/orders-chart.css'
import type { Order } from '@tern/contract/orders/orders'
import type { RateAlert } from '@tern/contract/orders/rate-alerts'
import { useState } from 'react'
import { orders as texts } from '#messages/exchange/orders.ts'
import { RateHistory } from '../../../app/rates/RateHistory.tsx'
import { countDecimals, fromUnits, toUnits } from '../../../app/rates/rate-scale.ts'
import { formatPlaces } from '../../../app/rates/rate-text.ts'
import { chooseStep } from '../pair.ts'
import type { OrderFormModel } from '../use-order-form.ts'
import { draftLines, isNear, buildLines, findMarker, choosePair } from './chart-lines.tsx'
import { RateHandle } from './RateHandle.tsx'

interface ChartProps {
  form: OrderFormModel
  orders: readonly Order[]
  alerts: readonly RateAlert[]
  /** Ended order; the time of its fill is marked with a coral dot. */
  selectedOrder: Order | undefined
}

/**
 * Rate history of the selected ended order's pair, otherwise of the form's. Lines show orders and alerts near the rate;
 * the form's own line can be dragged by a handle.
 */
export function OrdersChart({ form, orders, alerts, selectedOrder }: ChartProps) {
  const { values, pair, sums, subject, now, isLocked } = form
  /** Rate at the start of a drag; keeps the scale fixed during the drag. */
  const [draggedRate, setDraggedRate] = useState<string>()
  const chart = choosePair(selectedOrder) ?? pair
  const isOwnPair = chart.rateCurrency === pair.rateCurrency && chart.otherCurrency === pair.otherCurrency
  const otherLines = buildLines(orders, alerts, chart, subject)
  const nearLines = otherLines.filter((line) => isNear(line.rate, now))
  const draft = isOwnPair && !selectedOrder ? draftLines(form) : []
  const rate = sums.rate
  const canMove = draft.length > 0 && rate !== undefined
  const lines = [...draft, ...nearLines, ...(selectedOrder ? buildLines([selectedOrder], [], chart, undefined) : [])]
  const outsideCount = otherLines.length - nearLines.length
  return (
    <RateHistory
      from={chart.rateCurrency}
      to={chart.otherCurrency}
      lines={lines}
      frame={lines.map((line) => (line.key === 'draft' && draggedRate !== undefined ? draggedRate : line.rate))}
      marker={findMarker(selectedOrder)}
      note={
        <p className="max-w-[68ch] mt-3 text-pretty small muted">
          {canMove && texts.gripHint(stepText(now ?? rate))}{' '}
          {outsideCount > 0 && texts.outside({ count: outsideCount })}
        </p>
      }
    >
      {({ scale }) =>
        canMove && (
          <RateHandle
            {...{ rate, now, pair, scale }}
            kind={values.kind}
            isLocked={isLocked}
            onHold={(isHeld) => setDraggedRate(isHeld ? rate : undefined)}
            onMove={(next) => form.change({ rate: next })}
          />
        )
      }
    </RateHistory>
  )
}

/** Change of the rate per arrow key, such as "0.0005". */
function stepText(rate: string): string {
  const step = chooseStep(toUnits(rate))
  return formatPlaces(fromUnits(step), countDecimals(step))
}
