import type { CSSProperties } from 'react'
import { classNames } from '../../../ui/icon/class-names.ts'
import { initialsOf } from '../../../ui/format/format.ts'

export interface ScaleBlock {
  readonly name: string
  /** As wide as this, beside the others. */
  readonly minor: bigint
  /** `own`: of whoever split. `rest`: nobody's yet. */
  readonly kind: 'part' | 'paid' | 'own' | 'rest'
}

/** Styles know its share of the width; amounts too large for a number of CSS are only drawn. */
const widthOf = (minor: bigint, whole: bigint) =>
  ({ '--part': String((minor * 1_000_000n) / (whole > 0n ? whole : 1n)) }) as CSSProperties

/** The scale bar of a split, true to the minor unit: each block is as wide as its part of the bill. */
export function SplitScale({ blocks, isStatus }: { blocks: readonly ScaleBlock[]; isStatus?: boolean | undefined }) {
  const whole = blocks.reduce((sum, { minor }) => sum + minor, 0n)
  const shown = blocks.filter(({ minor }) => minor > 0n)
  if (shown.length === 0) return <div className="scale-bar" aria-hidden="true" />
  return (
    <div aria-hidden="true">
      <div className={classNames('split-scale', isStatus && 'split-scale-status')}>
        {shown.map(({ minor, kind }, index) => (
          <i key={index} className={`split-${kind}`} style={widthOf(minor, whole)} />
        ))}
      </div>
      <p className="split-ends">
        {shown.map(({ name, minor }, index) => (
          <span key={index} style={widthOf(minor, whole)}>
            <span>{name && initialsOf(name)}</span>
          </span>
        ))}
      </p>
    </div>
  )
}
