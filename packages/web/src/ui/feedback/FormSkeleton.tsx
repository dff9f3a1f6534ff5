import { shell } from '#messages/shell.ts'
import { SkeletonLine } from './Skeleton.tsx'

export function FormSkeleton() {
  return (
    <div className="form-beside" role="status" aria-busy="true" aria-label={shell.loading}>
      <div className="grid gap-3">
        <SkeletonLine className="w-20" />
        <SkeletonLine className="h-18 w-full" />
        <SkeletonLine className="w-32" />
      </div>
    </div>
  )
}

export function ChoicesSkeleton() {
  return (
    <>
      <SkeletonLine className="w-24" />
      <div className="radio-list">
        <div className="radio-option">
          <SkeletonLine className="w-2/5" />
        </div>
      </div>
    </>
  )
}
