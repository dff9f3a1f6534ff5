import { disputes as texts } from '#messages/transfers/disputes.ts'
import { formatDate } from '../../ui/format/format.ts'

interface DeadlineScaleProps {
  from: string
  to: string
  startLabel: string
}

const parts = [0, 2, 4, 6, 8]

/** Time until a decision as a scale of ten equal parts, with the elapsed share. */
export function DeadlineScale({ from, to, startLabel }: DeadlineScaleProps) {
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  const share = end > begin ? (Date.now() - begin) / (end - begin) : 1
  const percent = Math.round(Math.min(Math.max(share, 0), 1) * 100)
  const label = [texts.scale(formatDate(from), formatDate(to)), texts.scaleElapsed(percent)].join(' ')
  return (
    <figure>
      <svg className="block overflow-visible" role="img" aria-label={label} width="100%" height="28" focusable="false">
        {parts.map((part) => (
          <rect key={part} className="fill-ink" x={`${part * 10}%`} y="0" width="10%" height="6" />
        ))}
        <rect className="fill-none stroke-ink" x="0" y="0" width="100%" height="6" />
        <rect className="fill-sea" x="0" y="10" width={`${Math.max(percent, 1)}%`} height="3" />
        <text
          className="text-[0.75rem] font-medium fill-sea"
          x={`${percent}%`}
          y="27"
          textAnchor={percent < 8 ? 'start' : percent > 92 ? 'end' : 'middle'}
        >
          {texts.today}
        </text>
      </svg>
      <figcaption className="text-small flex gap-4 justify-between mt-2">
        <span className="last:text-end">
          <b className="block font-medium">{startLabel}</b>
          {formatDate(from)}
        </span>
        <span className="last:text-end">
          <b className="block font-medium">{texts.decisionBy}</b>
          {formatDate(to)}
        </span>
      </figcaption>
    </figure>
  )
}
