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
import { emptyForm, type SendForm } from './send-form.ts'
import { WalletStep } from './WalletStep.tsx'

interface SendWizardProps {
  user: CurrentUser
  wallet: Wallet
  cryptoPreSelected: boolean
  onSent: (transaction: Transaction) => void
}

type Step = 0 | 1 | 2

/** The three steps, in one place, so that going back keeps what was typed. */
export function SendWizard({ user, wallet, cryptoPreSelected, onSent }: SendWizardProps) {
  const queryClient = useQueryClient()
  const [restored] = useState(() => readPending(user.id))
  const [step, setStep] = useState<Step>(restored?.activeStep ?? 0)
  const [form, setForm] = useState<SendForm>(
    restored?.formData ?? { ...emptyForm(cryptoPreSelected), source: wallet.base_currency },
  )
  const [priced, setPriced] = useState<DatedQuote | undefined>(restored?.priced)
  const heading = useRef<HTMLHeadingElement>(null)
  const go = (to: Step) => {
    setStep(to)
    scrollTo({ top: 0 })
  }
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
          onSource={(source) => setForm({ ...form, source })}
          onNext={() => go(1)}
        />
      )}
      {step === 1 && (
        <RecipientStep
          user={user}
          wallet={wallet}
          form={form}
          onForm={setForm}
          onBack={() => go(0)}
          onNext={(quote) => {
            setPriced(quote)
            go(2)
          }}
        />
      )}
      {step === 2 && priced && form.recipient && (
        <ReviewStep
          user={user}
          wallet={wallet}
          form={form}
          recipient={form.recipient}
          priced={priced}
          restored={restored}
          onPriced={setPriced}
          onBack={() => go(1)}
          onSent={({ transaction }) => {
            void refreshMoney(queryClient, user.id)
            onSent(transaction)
          }}
        />
      )}
    </>
  )
}
