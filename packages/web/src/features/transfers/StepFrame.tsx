import { useLayoutEffect, useRef } from 'react'
import { shell, titles } from '#messages/shell.ts'
import { transfers } from '#messages/transfers.ts'
import { paths } from '../../app/paths.ts'
import { ChoicesSkeleton } from '../../ui/feedback/FormSkeleton.tsx'
import { FlowHead } from '../../ui/flow/FlowHead.tsx'
import { Steps } from '../../ui/layout/Steps.tsx'

interface StepHeadingProps {
  step: number
  /** One step back; undefined in the first step, and while an order is under way. */
  onBack?: (() => void) | undefined
  /** The heading takes the focus at first, too. */
  takesFocus?: boolean
}

/** The title of a step and its place among all of them. The title takes the focus when another step begins. */
export function StepHeading({ step, onBack, takesFocus = false }: StepHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(takesFocus ? undefined : step)
  useLayoutEffect(() => {
    if (before.current !== step) heading.current?.focus({ preventScroll: true })
    before.current = step
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
      <div className="flow-steps">
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
