import { shell } from '#messages/shell.ts'
import { SkeletonLine } from '../../ui/feedback/Skeleton.tsx'

/** The place of a step that is on its way. */
export function StepSkeleton() {
  return (
    <div className="form-beside" aria-busy="true" aria-label={shell.loading}>
      <div className="grid gap-3">
        <SkeletonLine className="w-24" />
        <div className="radio-list">
          <div className="radio-option">
            <SkeletonLine className="w-2/5" />
          </div>
        </div>
      </div>
    </div>
  )
}
