import { drawLine, type LineFacts } from './rate-line.ts'

interface SparklineProps {
  /** In percent of its first rate: as whole numbers, `one` of which are 100 %. */
  facts: LineFacts
  ground: bigint
  top: bigint
}

/** A rate in miniature. Several share one percent scale, so that what is steady looks steady. Words beside it say the same. */
export function Sparkline({ facts, ground, top }: SparklineProps) {
  const { line } = drawLine({ ...facts, rests: [] }, { ground, top, lines: [], step: 1n })
  return (
    <svg className="sparkline" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true">
      <path className="sparkline-base" d={`M0 ${1000 - Number(((one - ground) * 1000n) / (top - ground))}H1000`} />
      <path d={line} />
    </svg>
  )
}

/** What is its own measure never changes. */
export function FlatLine(scale: Pick<SparklineProps, 'ground' | 'top'>) {
  return <Sparkline facts={{ steps: [{ at: 0, units: one }], from: 0, until: 1, rests: [], gaps: [] }} {...scale} />
}

/** The first rate of each sparkline. */
export const one = 1_000_000n

/** A history in shares of its first rate. */
export function inPercent(facts: LineFacts): LineFacts {
  const first = facts.steps[0]?.units ?? 1n
  return { ...facts, steps: facts.steps.map(({ at, units }) => ({ at, units: (units * one) / first })) }
}

/** The scale that all of them share, with a little room; never narrower than a tenth. */
export function sharedScale(all: readonly LineFacts[]): { ground: bigint; top: bigint } {
  const values = all.flatMap(({ steps }) => steps.map(({ units }) => units))
  const tenth = one / 20n
  let [ground, top] = [one - tenth, one + tenth]
  for (const value of values) {
    if (value < ground) ground = value
    if (value > top) top = value
  }
  const room = (top - ground) / 12n
  return { ground: ground - room, top: top + room }
}
