import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense, useState } from 'react'
import { SupportText } from '../../app/support/SupportText.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import type { FormArrival } from './receipt/arrival.ts'
import { findOnlySource } from './send-form.ts'
import { useDraft } from './use-draft.ts'
import { toPendingOrder } from './pending-transfer.ts'
import type { ReviewStepProps } from './review/use-review.ts'
import type { SendFlow } from './use-send-flow.ts'
import { StepHeading, StepSkeleton } from './StepFrame.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'

const WalletStep = lazyComponent(() => import('./WalletStep.tsx'), 'WalletStep')
const loadRecipient = () => import('./recipient/RecipientStep.tsx')
const RecipientStep = lazyComponent(loadRecipient, 'RecipientStep')
const loadReview = () => import('./review/ReviewStep.tsx')
const ReviewStep = lazyComponent(loadReview, 'ReviewStep')
export const loadReceipt = () => import('./receipt/Result.tsx')
const LinkNote = lazyComponent(() => import('../../app/instruments/LinkNote.tsx'), 'LinkNote')

export interface SendWizardProps {
  user: CurrentUser
  wallet: Wallet
  flow: SendFlow
  /** Restored form with its notice. */
  arrival: FormArrival
  onSent: ReviewStepProps['onSent']
  onAwaitPayment: ReviewStepProps['onAwaitPayment']
}

/** The three steps in one component, so that navigating between them keeps the input. */
export function SendWizard({ user, wallet, flow, arrival, onSent, onAwaitPayment }: SendWizardProps) {
  const { restored, notice, link } = arrival
  const [order] = useState(() => restored && toPendingOrder(restored))
  const draft = useDraft(restored, {
    cryptoPreSelected: flow.cryptoPreSelected,
    again: flow.again,
    source: findOnlySource(wallet) ?? wallet.base_currency,
  })
  const { form, values, priced } = draft
  const [isOrdered, setIsOrdered] = useState(false)
  // The first step is skipped if only one balance holds money, or an earlier transfer is repeated.
  const firstStep = flow.again || findOnlySource(wallet) ? 1 : 0
  const requestedStep = flow.step ?? restored?.activeStep ?? firstStep
  const review = requestedStep === 2 && priced && values.recipient ? { priced, recipient: values.recipient } : undefined
  const step = requestedStep === 2 && !review ? 1 : requestedStep
  // Preloads the next step on the first interaction.
  const preloadNext = () => void [loadRecipient, loadReview, loadReceipt][step]?.()
  return (
    <>
      <StepHeading step={step} onBack={step === 0 || isOrdered ? undefined : () => flow.goToStep(step === 2 ? 2 : 1)} />
      {/* Shown until the user continues. */}
      {notice && flow.step === undefined && (
        <div className="mt-6 max-w-140">
          <Note tone={notice.tone} live>
            <SupportText text={notice.text} />
          </Note>
        </div>
      )}
      {link && flow.step === undefined && (
        <Suspense>
          <LinkNote userId={user.id} link={link} onLinked={draft.payFrom} />
        </Suspense>
      )}
      <div className="contents" onPointerEnter={preloadNext} onFocus={preloadNext}>
        <Suspense fallback={<StepSkeleton />}>
          {step === 0 && <WalletStep user={user} wallet={wallet} form={form} onNext={() => flow.goOn(1)} />}
          {step === 1 && (
            <RecipientStep
              user={user}
              wallet={wallet}
              draft={draft}
              onBack={() => flow.goToStep(1)}
              onNext={(quote, chosen) => {
                draft.setPriced(quote)
                draft.setFunding(chosen)
                flow.goOn(2)
              }}
            />
          )}
          {review && (
            <ReviewStep
              {...review}
              user={user}
              wallet={wallet}
              draft={draft}
              restored={order}
              onBack={() => flow.goToStep(2)}
              onOrderChange={setIsOrdered}
              onSent={onSent}
              onAwaitPayment={onAwaitPayment}
            />
          )}
        </Suspense>
      </div>
    </>
  )
}
