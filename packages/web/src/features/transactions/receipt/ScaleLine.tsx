import type { ReceiptMap } from '@tern/contract/receipt/receipt-sheet'
import { receipt as texts } from '#messages/receipt/words.ts'
import { formatCount } from '../../../ui/format/format-count.ts'

const thickness = 6
const [figures, height] = [20, 26]
/** Between two figures there is at least this much. */
const figureRoom = 56
/** The figure of the end needs this much. */
const endRoom = 80

/** The scale bar under a map with what it measures. `width` is that of the map, in the same units. */
export function ScaleLine({ map, width, part }: { map: ReceiptMap; width: number; part: number }) {
  const { segments, marks, total, segment } = map.bar
  const length = width * part
  const isNarrow = (length * segment) / total < figureRoom
  return (
    <figcaption className="sheet-scale">
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <rect className="scale-frame" x="0.5" y="0.5" width={length - 1} height={thickness} />
        {segments
          .filter(({ isDark }) => isDark)
          .map(({ from, to }) => (
            <rect key={from} className="scale-part" x={from * length} y="0" width={(to - from) * length} height="7" />
          ))}
        {marks
          .filter(({ isEven, at }) => (isEven || !isNarrow) && at * length < length - endRoom)
          .map(({ km, at }) => (
            <text key={km} x={at * length} y={figures} textAnchor={at === 0 ? 'start' : 'middle'}>
              {formatCount(km)}
            </text>
          ))}
        <text className="scale-end" x={length} y={figures} textAnchor="end">
          {texts.distance({ count: formatCount(total) })}
        </text>
      </svg>
      <p className="tiny muted">{map.barText}</p>
    </figcaption>
  )
}
