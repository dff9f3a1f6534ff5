import { undo as texts } from '#messages/transfers/undo.ts'
import { chooseSegment, listSegments } from './countdown.ts'

const height = 6

/** Progress bar of an undo window: equal segments that empty as time passes. Both props are in seconds. */
export function UndoBar({ window, remaining }: { window: number; remaining: number }) {
  const elapsedSeconds = Math.max(0, window - remaining)
  return (
    <div>
      <svg
        className="block w-full h-1.5 border border-ink overflow-hidden rtl:[scale:-1_1]"
        viewBox={`0 0 ${window} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {listSegments(window).map(
          ({ from, length }, index) =>
            index % 2 === 0 && <rect key={from} className="fill-ink" x={from} width={length} height={height} />,
        )}
        <rect className="fill-sheet" width={elapsedSeconds} height={height} />
        {elapsedSeconds > 0 && (
          <line
            className="[vector-effect:non-scaling-stroke] stroke-sea stroke-[3px]"
            x1={elapsedSeconds}
            x2={elapsedSeconds}
            y2={height}
          />
        )}
      </svg>
      <p className="tiny muted mt-2">
        {texts.segment(chooseSegment(window))} {texts.thenFinal}
      </p>
    </div>
  )
}
