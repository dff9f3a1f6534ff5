import { useLayoutEffect, useRef } from 'react'
import { shell, titles } from '#messages/shell.ts'
import { transfers } from '#messages/transfers.ts'
import { ChoicesSkeleton } from '../../ui/feedback/FormSkeleton.tsx'
import { Steps } from '../../ui/layout/Steps.tsx'

/**
 * The title of a step, and where that stands among all of them. It takes the focus when another step begins, before
 * anybody can be in one of its fields; with `takesFocus` also at first.
 */
export function StepHeading({ step, takesFocus = false }: { step: number; takesFocus?: boolean }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(takesFocus ? undefined : step)
  useLayoutEffect(() => {
    if (before.current !== step) heading.current?.focus({ preventScroll: true })
    before.current = step
  }, [step])
  return (
    <>
      <h1 className="display-m outline-none" tabIndex={-1} ref={heading}>
        {step === 2 ? transfers.reviewTitle : titles.send}
      </h1>
      <div className="mt-6">
        <Steps steps={transfers.steps} current={step} />
      </div>
    </>
  )
}

/** The place of a step that is on its way. */
export function StepSkeleton() {
  return (
    <div className="form-beside" aria-busy="true" aria-label={shell.loading}>
      <div className="grid gap-3">
        <ChoicesSkeleton />
      </div>
    </div>
  )
}
