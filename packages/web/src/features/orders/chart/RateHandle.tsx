import { type CSSProperties, type KeyboardEvent, type PointerEvent, useRef } from 'react'
import { orders as texts } from '#messages/exchange/orders.ts'
import { computeDepth, fromUnits, type RateScale, toUnits, computeValue } from '../../../app/rates/rate-scale.ts'
import { OrderIcon } from '../OrderIcon.tsx'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { type Kind, formatTypedRate } from '../order-form.ts'
import { formatDistanceText, formatOwnRate } from '../order-text.ts'
import { computeDistance, moveRate, findNearest, pageSteps, type RatePair, chooseStep } from '../pair.ts'

interface RateHandleProps {
  kind: Kind
  rate: string
  now: string | undefined
  pair: RatePair
  scale: RateScale
  isLocked: boolean
  /** Called when a drag starts or ends. */
  onHold: (isHeld: boolean) => void
  onMove: (rate: string) => void
}

/** Handle of the form's line: a vertical slider beside the plot, for pointer and keyboard. */
export function RateHandle({ kind, rate, now, pair, scale, isLocked, onHold, onMove }: RateHandleProps) {
  /** Distance of the pointer from the line at the start of the drag, as a share of the plot's height. */
  const offset = useRef<number>(undefined)
  const units = toUnits(rate)
  // Derived from the current market rate, so that the step size stays constant during the drag.
  const step = chooseStep(now === undefined ? units : toUnits(now))
  const depth = Math.min(1, Math.max(0, computeDepth(units, scale)))

  const handleKey = (event: KeyboardEvent) => {
    const steps = {
      ArrowUp: 1n,
      ArrowRight: 1n,
      ArrowDown: -1n,
      ArrowLeft: -1n,
      PageUp: pageSteps,
      PageDown: -pageSteps,
    }[event.key]
    if (steps === undefined || isLocked) return
    event.preventDefault()
    onMove(formatTypedRate(moveRate(units, steps, step)))
  }
  const findArea = (event: PointerEvent<HTMLElement>) =>
    (event.currentTarget.offsetParent ?? event.currentTarget).getBoundingClientRect()
  const handlePress = (event: PointerEvent<HTMLButtonElement>) => {
    if (isLocked || event.button !== 0) return
    const { top, height } = findArea(event)
    event.currentTarget.setPointerCapture(event.pointerId)
    offset.current = (event.clientY - top) / height - depth
    onHold(true)
  }
  const handleDrag = (event: PointerEvent<HTMLButtonElement>) => {
    if (offset.current === undefined) return
    const { top, height } = findArea(event)
    const depth = (event.clientY - top) / height - offset.current
    const next = formatTypedRate(findNearest(computeValue(Math.min(1, Math.max(0, depth)), scale), step))
    if (toUnits(next) !== units) onMove(next)
  }
  const release = () => {
    offset.current = undefined
    onHold(false)
  }
  return (
    <button
      type="button"
      className="rate-grip [touch-action:none] absolute z-4 top-[calc(var(--y)-22px)] -end-17 grid place-items-center min-w-(--touch) h-(--touch) cursor-ns-resize focus-visible:[outline:0]"
      role="slider"
      aria-orientation="vertical"
      aria-label={texts.grip[kind]}
      aria-valuemin={Number(fromUnits(scale.ground))} // not money: a place on the drawing
      aria-valuemax={Number(fromUnits(scale.top))} // not money: a place on the drawing
      aria-valuenow={Number(rate)} // not money: a place on the drawing
      aria-valuetext={texts.gripValue(
        formatRateLine(rate, pair.rateCurrency, pair.otherCurrency),
        formatDistanceText(computeDistance(rate, now)),
      )}
      aria-disabled={isLocked || undefined}
      style={{ '--y': `${(depth * 100).toFixed(2)}%` } as CSSProperties}
      onKeyDown={handleKey}
      onPointerDown={handlePress}
      onPointerMove={handleDrag}
      onPointerUp={release}
      onPointerCancel={release}
    >
      <span className="tabular">
        <OrderIcon name="grip" />
        {formatOwnRate(rate)}
      </span>
    </button>
  )
}
