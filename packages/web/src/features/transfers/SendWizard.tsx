import type { CurrentUser } from '@tern/contract/identity'
import type { Wallet } from '@tern/contract/wallets'
import { Suspense, useState } from 'react'
import { SupportText } from '../../app/support/SupportText.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import type { FormArrival } from './receipt/arrival.ts'
import { onlySourceOf } from './send-form.ts'
import { useDraft } from './use-draft.ts'
import { asPendingOrder } from './pending-transfer.ts'
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
  /** The form as it was left before, with what there is to say about it. */
  arrival: FormArrival
  onSent: ReviewStepProps['onSent']
  onAwaited: ReviewStepProps['onAwaited']
}

/** The three steps, in one place, so that going back and forth keeps what was typed. */
export function SendWizard({ user, wallet, flow, arrival, onSent, onAwaited }: SendWizardProps) {
  const { restored, notice, link } = arrival
  const [order] = useState(() => restored && asPendingOrder(restored))
  const draft = useDraft(restored, {
    cryptoPreSelected: flow.cryptoPreSelected,
    again: flow.again,
    source: onlySourceOf(wallet) ?? wallet.base_currency,
  })
  const { form, values, priced } = draft
  const [isOrdered, setIsOrdered] = useState(false)
  // With money in one balance alone there is nothing to choose, nor when an earlier transfer is made once more.
  const begins = flow.again || onlySourceOf(wallet) ? 1 : 0
  const asked = flow.step ?? restored?.activeStep ?? begins
  const review = asked === 2 && priced && values.recipient ? { priced, recipient: values.recipient } : undefined
  const step = asked === 2 && !review ? 1 : asked
  // What comes next is there before anybody comes to it: fetched as soon as this step is touched.
  const loadNext = () => void [loadRecipient, loadReview, loadReceipt][step]?.()
  return (
    <>
      <StepHeading step={step} onBack={step === 0 || isOrdered ? undefined : () => flow.goBack(step === 2 ? 2 : 1)} />
      {/* Said until the person goes on. */}
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
      <div className="contents" onPointerEnter={loadNext} onFocus={loadNext}>
        <Suspense fallback={<StepSkeleton />}>
          {step === 0 && <WalletStep user={user} wallet={wallet} form={form} onNext={() => flow.goOn(1)} />}
          {step === 1 && (
            <RecipientStep
              user={user}
              wallet={wallet}
              draft={draft}
              onBack={() => flow.goBack(1)}
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
              onBack={() => flow.goBack(2)}
              onOrdered={setIsOrdered}
              onSent={onSent}
              onAwaited={onAwaited}
            />
          )}
        </Suspense>
      </div>
    </>
  )
}
