import { useEffect, useState } from 'react'
import { demo } from '#messages/site/demo.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { Button } from '../../ui/forms/Button.tsx'

const stages = [
  demo.instant.confirm(formatMoney('404.00', 'USD')),
  demo.instant.convert(formatMoney('400', 'USDT')),
  demo.instant.arrive(formatMoney('372.00', 'EUR')),
]
const last = stages.length - 1
const stageMs = 700

/** Replays a transfer stage by stage; initially at its last stage. */
export function Flight() {
  const [stage, setStage] = useState(last)
  useEffect(() => {
    if (stage >= last) return
    const timer = setTimeout(() => setStage(stage + 1), stageMs)
    return () => clearTimeout(timer)
  }, [stage])
  const playAnimation = () => setStage(matchMedia('(prefers-reduced-motion: reduce)').matches ? last : 0)
  return (
    <>
      <p className="muted">{demo.instant.lead}</p>
      <div className="demo-body flex-1 mt-5 sm:max-xl:mt-0">
        <svg className="flight demo-flight" viewBox="0 0 520 92" aria-hidden="true" data-stage={stage}>
          <path className="flight-ground" d="M8 80H512" />
          <path className="demo-arc stroke-[2] [stroke-dasharray:1]" pathLength="1" d="M8 80A460 460 0 0 1 512 80" />
          <circle className="flight-start" cx="8" cy="80" r="5" />
          <circle className={stage === last ? 'flight-end' : 'flight-stop'} cx="512" cy="80" r="6.5" />
        </svg>
        <ol className="timeline demo-stages mt-4">
          {stages.map((text, index) => (
            <li key={text} className={index > stage ? 'demo-later text-ink-3' : undefined}>
              <span>{text}</span>
            </li>
          ))}
        </ol>
        <p className="visually-hidden" role="status">
          {stage === last ? demo.instant.arrived : demo.instant.onTheWay}
        </p>
      </div>
      <p className="demo-foot flex-wrap mt-3 [&_.button-ghost]:-ms-3.25 row">
        <Button onClick={playAnimation}>{demo.instant.again}</Button>
        <span className="tiny faint">{demo.instant.note}</span>
      </p>
    </>
  )
}
