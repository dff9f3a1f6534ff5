import { useLayoutEffect, useRef } from 'react'
import { shell, titles } from '#messages/shell.ts'
import { transfers } from '#messages/transfers.ts'
import { paths } from '../../app/paths.ts'
import { ChoicesSkeleton } from '../../ui/feedback/FormSkeleton.tsx'
import { FlowHead } from '../../ui/flow/FlowHead.tsx'
import { Steps } from '../../ui/layout/Steps.tsx'

interface StepHeadingProps {
  step: number
  /** Goes one step back; undefined on the first step, and while an order is in progress. */
  onBack?: (() => void) | undefined
  /** Also focuses the heading on mount. */
  takesFocus?: boolean
}

/** Title and number of a step. The title takes the focus when the step changes. */
export function StepHeading({ step, onBack, takesFocus = false }: StepHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const lastStep = useRef(takesFocus ? undefined : step)
  useLayoutEffect(() => {
    if (lastStep.current !== step) heading.current?.focus({ preventScroll: true })
    lastStep.current = step
  }, [step])
  return (
    <>
      <FlowHead
        title={step === 2 ? transfers.reviewTitle : titles.send}
        heading={heading}
        onBack={onBack}
        backLabel={transfers.back}
        exit={paths.dashboard}
      />
      <div className="mt-6 max-md:mt-0">
        <Steps steps={transfers.steps} current={step} />
      </div>
    </>
  )
}

export function StepSkeleton() {
  return (
    <div className="form-beside" aria-busy="true" aria-label={shell.loading}>
      <div className="grid gap-3">
        <ChoicesSkeleton />
      </div>
    </div>
  )
}
