import { useQueryClient } from '@tanstack/react-query'
import type { CurrentUser } from '@tern/contract/identity'
import type { Transaction } from '@tern/contract/transactions'
import type { Wallet } from '@tern/contract/wallets'
import { useEffect, useRef, useState } from 'react'
import { transfers } from '#messages/transfers.ts'
import { refreshMoney } from '../../live.ts'
import type { DatedQuote } from '../../quotes.ts'
import { Steps } from '../../ui/Steps.tsx'
import { readPending } from './pending-transfer.ts'
import { RecipientStep } from './RecipientStep.tsx'
import { ReviewStep } from './ReviewStep.tsx'
import { emptyForm, quoteRequestOf, type SendForm } from './send-form.ts'
import type { Round } from './use-round.ts'
import { WalletStep } from './WalletStep.tsx'

interface SendWizardProps {
  user: CurrentUser
  wallet: Wallet
  round: Round
  onSent: (transaction: Transaction) => void
}

interface Draft {
  readonly form: SendForm
  /** The price of just this form. */
  readonly priced: DatedQuote | undefined
}

/** The form after a change: a price that was for something else is none. */
const changed = ({ form, priced }: Draft, next: SendForm): Draft => {
  const isSame = JSON.stringify(quoteRequestOf(next)) === JSON.stringify(quoteRequestOf(form))
  return { form: next, priced: isSame ? priced : undefined }
}

/** The three steps, in one place, so that going back and forth keeps what was typed. */
export function SendWizard({ user, wallet, round, onSent }: SendWizardProps) {
  const queryClient = useQueryClient()
  const [restored] = useState(() => readPending(user.id))
  const [draft, setDraft] = useState<Draft>(() => ({
    form: restored?.formData ?? { ...emptyForm(round.cryptoPreSelected), source: wallet.base_currency },
    priced: restored?.priced,
  }))
  const { form, priced } = draft
  const setForm = (change: (form: SendForm) => SendForm) => setDraft((last) => changed(last, change(last.form)))
  const asked = round.step ?? restored?.activeStep ?? 0
  const review = asked === 2 && priced && form.recipient ? { priced, recipient: form.recipient } : undefined
  const step = asked === 2 && !review ? 1 : asked
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirstStep = useRef(true)
  useEffect(() => {
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
      {step === 0 && (
        <WalletStep
          wallet={wallet}
          source={form.source}
          onSource={(source) => setForm((last) => ({ ...last, source }))}
          onNext={() => round.goOn(1)}
        />
      )}
      {step === 1 && (
        <RecipientStep
          user={user}
          wallet={wallet}
          form={form}
          onForm={setForm}
          onBack={() => round.goBack(1)}
          onNext={(quote) => {
            setDraft((last) => ({ ...last, priced: quote }))
            round.goOn(2)
          }}
        />
      )}
      {review && (
        <ReviewStep
          user={user}
          wallet={wallet}
          form={form}
          {...review}
          restored={restored}
          onPriced={(fresh) => setDraft((last) => ({ ...last, priced: fresh }))}
          onBack={() => round.goBack(2)}
          onSent={({ transaction }) => {
            void refreshMoney(queryClient, user.id)
            onSent(transaction)
          }}
        />
      )}
    </>
  )
}
