import { type CSSProperties, type PointerEvent, useState } from 'react'

export interface Reading {
  /** Such as "Nov 17". */
  readonly time: string
  /** Such as "€9,690.61". */
  readonly amount: string
  /** Share of the plot below the value, from 0 at the ground to 1 at the top. */
  readonly height: number
}

interface CrosshairProps {
  label: string
  /** Number of readings, evenly spaced from the left edge to the right one. */
  count: number
  createReading: (index: number) => Reading
  describeReading: (reading: Reading) => string
}

/**
 * Reads a chart: a line with the time and the value at the pointer. For the keyboard it is a slider, moved with arrows,
 * Page Up and Down, Home and End; its value is announced.
 */
export function Crosshair({ label, count, createReading, describeReading }: CrosshairProps) {
  const last = count - 1
  const [index, setIndex] = useState(last)
  const [isHovered, setIsHovered] = useState(false)
  const at = Math.min(index, last)
  const reading = createReading(at)
  const trackPointer = ({ clientX, currentTarget }: PointerEvent<HTMLInputElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setIndex(Math.min(last, Math.max(0, Math.round(((clientX - left) / width) * last))))
    setIsHovered(true)
  }
  // Positions on the drawing, set by script, since the page's policy forbids styles in its markup.
  const place = { '--x': at / last, '--y': 1 - reading.height } as CSSProperties
  return (
    <div className="crosshair" data-hovered={isHovered || undefined} style={place}>
      <input
        type="range"
        min={0}
        max={last}
        value={at}
        aria-label={label}
        aria-valuetext={describeReading(reading)}
        onChange={(event) => setIndex(event.target.valueAsNumber)}
        onPointerMove={trackPointer}
        onPointerLeave={() => setIsHovered(false)}
      />
      <i className="crosshair-line" />
      <i className="crosshair-ring" />
      <p className="crosshair-reading" aria-hidden="true">
        <span className="muted">{reading.time}</span> <b>{reading.amount}</b>
      </p>
    </div>
  )
}
