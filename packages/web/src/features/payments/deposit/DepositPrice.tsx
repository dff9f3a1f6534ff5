import type { Wallet } from '@tern/contract/wallets'
import { toDecimal } from '@tern/money/money'
import { lazy, Suspense } from 'react'
import { payments } from '#messages/payments.ts'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { formatExact, formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { formatClock } from '../../../ui/format/format.ts'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import type { DepositModel } from './use-deposit.ts'

// Few people pay in another currency than their wallet's.
const PriceSheet = lazy(async () => ({ default: (await import('../../../app/orders/PriceSheet.tsx')).PriceSheet }))

interface DepositPriceProps {
  model: DepositModel
  wallet: Wallet
}

/** What arrives in the wallet, what it costs, and how it goes. */
export function DepositPrice({ model, wallet }: DepositPriceProps) {
  const { live, method, isConverted, payable } = model
  const payer = method === 'card' ? payments.cardPays : payments.bankPays
  if (isConverted) {
    return (
      <Suspense>
        <PriceSheet
          scaleBar
          heading={payments.yourWalletGets}
          totalTerm={payer}
          live={live}
          empty={
            <div className="p-6">
              <Figure amount="0" currency={wallet.base_currency} isFaint />
              <p className="small muted mt-4">{payments.priceHint}</p>
            </div>
          }
        >
          {live.priced && (
            <p className="tabular">{payments.holdsUntil(formatClock(new Date(live.priced.holdsUntilMs)))}</p>
          )}
        </PriceSheet>
      </Suspense>
    )
  }
  const currency = wallet.base_currency
  const decimal = toDecimal(payable ?? { currency, minor: 0n })
  return (
    <Sheet scaleBar>
      <div className="p-6">
        <Figure amount={decimal} currency={currency} isFaint={!payable} />
        <div className="mt-4">
          <DefinitionList
            small
            entries={[
              { term: payments.fee, value: payments.noFee },
              { term: payer, value: formatExact(decimal, currency), sum: true },
            ]}
          />
        </div>
        <HowItGoes model={model} />
      </div>
    </Sheet>
  )
}

interface FigureProps {
  amount: string
  currency: Wallet['base_currency']
  isFaint: boolean
}

function Figure({ amount, currency, isFaint }: FigureProps) {
  return (
    <>
      <p className="small muted">{payments.yourWalletGets}</p>
      <p className={isFaint ? 'balance balance-small faint' : 'balance balance-small'}>
        {formatExactWithSign(amount, currency)}
      </p>
    </>
  )
}

function HowItGoes({ model: { method, cardId } }: { model: DepositModel }) {
  const { newCard, savedCard, bank } = payments.steps
  const steps = method === 'bank' ? bank : cardId === undefined ? newCard : savedCard
  return (
    <>
      <h2 className="field-label mt-6">{payments.how}</h2>
      <ol className="timeline">
        {steps.map((step) => (
          <li key={step}>
            <span className="muted">{step}</span>
          </li>
        ))}
      </ol>
    </>
  )
}
