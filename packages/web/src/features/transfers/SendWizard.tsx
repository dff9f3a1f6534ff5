import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { useLayoutEffect, useRef, useState } from 'react'
import { transfers } from '#messages/transfers.ts'
import { refreshMoney } from '../../app/session/live.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { Steps } from '../../ui/layout/Steps.tsx'
import type { FormSignIn } from './receipt/arrival.ts'
import { useDraft } from './use-draft.ts'
import { LinkNote } from './LinkNote.tsx'
import { asPendingOrder } from './receipt/pending-transfer.ts'
import { RecipientStep } from './recipient/RecipientStep.tsx'
import { ReviewStep } from './review/ReviewStep.tsx'
import type { ReviewStepProps } from './review/use-review.ts'
import type { SendFlow } from './use-send-flow.ts'
import { WalletStep } from './WalletStep.tsx'

export interface SendWizardProps {
  user: CurrentUser
  wallet: Wallet
  flow: SendFlow
  /** The form as it was left before, with what there is to say about it. */
  arrival: FormSignIn
  onSent: (transaction: Transaction) => void
  onAwaited: ReviewStepProps['onAwaited']
}

/** The three steps, in one place, so that going back and forth keeps what was typed. */
export function SendWizard({ user, wallet, flow, arrival, onSent, onAwaited }: SendWizardProps) {
  const queryClient = useQueryClient()
  const { restored, notice, link } = arrival
  const [order] = useState(() => restored && asPendingOrder(restored))
  const draft = useDraft(restored, { cryptoPreSelected: flow.cryptoPreSelected, source: wallet.base_currency })
  const { form, priced, means, setForm } = draft
  const asked = flow.step ?? restored?.activeStep ?? 0
  const review = asked === 2 && priced && form.recipient ? { priced, recipient: form.recipient } : undefined
  const step = asked === 2 && !review ? 1 : asked
  const shared = { user, wallet, form, means }
  const finish = (transaction: Transaction) => {
    void refreshMoney(queryClient, user.id)
    onSent(transaction)
  }
  return (
    <>
      <Heading step={step} />
      {/* Said until the person goes on. */}
      {notice && flow.step === undefined && (
        <div className="mt-6 max-w-140">
          <Note tone={notice.tone} live>
            {notice.text}
          </Note>
        </div>
      )}
      {link && flow.step === undefined && <LinkNote user={user} link={link} onLinked={({ id }) => draft.payFrom(id)} />}
      {step === 0 && (
        <WalletStep
          wallet={wallet}
          source={form.source}
          onSource={(source) => setForm((last) => ({ ...last, source }))}
          onNext={() => flow.goOn(1)}
        />
      )}
      {step === 1 && (
        <RecipientStep
          {...shared}
          onForm={setForm}
          onBack={() => flow.goBack(1)}
          onNext={(quote, chosen) => {
            draft.set({ priced: quote, means: chosen })
            flow.goOn(2)
          }}
        />
      )}
      {review && (
        <ReviewStep
          {...shared}
          {...review}
          restored={order}
          onMeans={(chosen) => draft.set({ means: chosen })}
          onPriced={(fresh) => draft.set({ priced: fresh })}
          onBack={() => flow.goBack(2)}
          onSent={finish}
          onAwaited={onAwaited}
        />
      )}
    </>
  )
}

/** Takes the focus when another step begins, before anybody can be in one of its fields. */
function Heading({ step }: { step: number }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirstStep = useRef(true)
  useLayoutEffect(() => {
    if (!isFirstStep.current) heading.current?.focus({ preventScroll: true })
    isFirstStep.current = false
  }, [step])
  return (
    <>
      <h1 className="display-m outline-none" tabIndex={-1} ref={heading}>
        {step === 2 ? transfers.reviewTitle : transfers.title}
      </h1>
      <div className="mt-6">
        <Steps steps={transfers.steps} current={step} />
      </div>
    </>
  )
}
