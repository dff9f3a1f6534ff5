import { shell } from '#messages/shell.ts'
import { classNames } from '../icon/class-names.ts'

/** Grey placeholder of a line of text; a class such as `w-24` gives its width. */
export function SkeletonLine({ className }: { className?: string | undefined }) {
  return <span className={classNames('skeleton', className)} />
}

export function ActivitySkeleton({ rows = 5 }: { rows?: number | undefined }) {
  return (
    <ul aria-label={shell.loading} aria-busy="true">
      {Array.from({ length: rows }, (_, row) => (
        <li key={row}>
          <div className="activity-row">
            <span className="skeleton size-10 rounded-[50%]" />
            <span className="grid gap-2">
              <SkeletonLine className="w-3/5" />
              <SkeletonLine className="w-2/5" />
            </span>
            <SkeletonLine className="w-18" />
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Placeholder of a definition list or a paragraph. */
export function TextSkeleton({ lines = 3 }: { lines?: number | undefined }) {
  return (
    <div className="grid gap-4" role="status" aria-label={shell.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <SkeletonLine key={line} className={line === lines - 1 ? 'w-3/5' : 'w-full'} />
      ))}
    </div>
  )
}
