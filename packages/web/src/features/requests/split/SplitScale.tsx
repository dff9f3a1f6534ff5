import type { CSSProperties } from 'react'
import { classNames } from '../../../ui/icon/class-names.ts'
import { monogram } from '../../../ui/format/format.ts'

/** Initials under a block, hidden where two letters do not fit. */
const initialsClass = '@container min-h-4 min-w-0 flex-[var(--part)_0_0] overflow-hidden text-center'

export interface ScaleBlock {
  readonly name: string
  /** Relative width of the block. */
  readonly minor: bigint
  /** `own`: part of the person who splits. `rest`: unassigned. */
  readonly kind: 'part' | 'paid' | 'own' | 'rest'
}

/** Relative width in millionths, since minor units may be too large for a CSS number. */
const computeWidth = (minor: bigint, total: bigint) =>
  ({ '--part': String((minor * 1_000_000n) / (total > 0n ? total : 1n)) }) as CSSProperties

/** Scale bar of a split: each block is as wide as its part of the bill. */
export function SplitScale({ blocks, isStatus }: { blocks: readonly ScaleBlock[]; isStatus?: boolean | undefined }) {
  const total = blocks.reduce((sum, { minor }) => sum + minor, 0n)
  const visibleBlocks = blocks.filter(({ minor }) => minor > 0n)
  if (visibleBlocks.length === 0) return <div className="scale-bar" aria-hidden="true" />
  return (
    <div aria-hidden="true">
      <div className={classNames('split-scale', isStatus && 'split-scale-status')}>
        {visibleBlocks.map(({ minor, kind }, index) => (
          <i key={index} className={`split-${kind}`} style={computeWidth(minor, total)} />
        ))}
      </div>
      <p className="flex pt-1.5 text-tiny text-ink-2">
        {visibleBlocks.map(({ name, minor }, index) => (
          <span key={index} className={initialsClass} style={computeWidth(minor, total)}>
            <span className="@max-[28px]:hidden">{name && monogram(name)}</span>
          </span>
        ))}
      </p>
    </div>
  )
}
