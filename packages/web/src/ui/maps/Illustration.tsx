import '../../css/arc.css'
import '../../css/illustration.css'
import { Bird } from '../icon/Brand.tsx'

const drawings = {
  empty: (
    <>
      <path className="helper-line" d="M4 100H196" />
      <path className="route-planned" d="M24 100A98 98 0 0 1 176 100" />
      <circle cx="24" cy="100" r="4" />
      <path className="helper-line" d="M44 108h24M36 114h12M132 108h30M150 114h14" />
      <g transform="translate(82 22) scale(1.15)">
        <Bird className="bird" />
      </g>
      <circle className="destination" cx="176" cy="100" r="5" />
    </>
  ),
  arcs: (
    <>
      <path className="helper-line" d="M4 104A300 300 0 0 1 196 104M40 96V86M100 89V79M160 96V86" />
      <path className="route" d="M40 96A46 46 0 0 1 100 89" />
      <path className="route" d="M40 96A76 66 0 0 1 160 96" />
      <path className="route-planned" d="M100 89A46 46 0 0 1 160 96" />
      <circle cx="40" cy="96" r="3.5" />
      <circle cx="100" cy="89" r="3.5" />
      <circle className="destination" cx="160" cy="96" r="5" />
    </>
  ),
  safe: (
    <>
      <circle className="helper-line" cx="100" cy="62" r="52" />
      <path className="helper-line" d="M48 62h104M58 34h84M58 90h84M100 10v104" />
      <path className="helper-line" d="M100 10A70 70 0 0 0 100 114M100 10A70 70 0 0 1 100 114" />
      <path className="paper" d="M78 58h44v32H78z" />
      <path d="M86 58V46a14 14 0 0 1 28 0v12" />
      <circle className="destination" cx="100" cy="71" r="4.5" />
      <path d="M100 76v6" />
    </>
  ),
  arrived: (
    <>
      <path className="helper-line" d="M4 100H196" />
      <path className="route arc-draws" pathLength={1} d="M24 100A98 98 0 0 1 176 100" />
      <circle cx="24" cy="100" r="4" />
      <circle className="destination" cx="176" cy="100" r="6" />
    </>
  ),
}

export type IllustrationName = keyof typeof drawings

/** Line drawing of 200 by 120. 'arrived' draws its arc once, when a transfer is complete. */
export function Illustration({ name }: { name: IllustrationName }) {
  return (
    <svg className="illustration" viewBox="0 0 200 120" aria-hidden="true">
      {drawings[name]}
    </svg>
  )
}
