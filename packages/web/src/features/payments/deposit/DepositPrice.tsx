import type { Wallet } from '@tern/contract/wallets'
import { toDecimal } from '@tern/money/money'
import { Suspense } from 'react'
import { payments } from '#messages/payments.ts'
import { Figure } from '../../../ui/money/Figure.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import type { DepositModel } from './use-deposit.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'

// Loaded lazily: few users pay in a currency other than their wallet's.
const ConvertedPrice = lazyComponent(() => import('./ConvertedPrice.tsx'), 'ConvertedPrice')

/** Amount credited to the wallet, and its cost. */
export function DepositPrice({ model, wallet }: { model: DepositModel; wallet: Wallet }) {
  const { method, isConverted, payable } = model
  const currency = wallet.base_currency
  const payer = method === 'card' ? payments.cardPays : payments.bankPays
  if (isConverted) {
    return (
      <Suspense>
        <ConvertedPrice model={model} currency={currency} payer={payer} />
      </Suspense>
    )
  }
  const decimal = toDecimal(payable ?? { currency, minor: 0n })
  return (
    <Sheet scaleBar>
      <Figure
        caption={payments.yourWalletGets}
        amount={formatExact(decimal, currency)}
        isFaint={!payable}
        entries={[
          { term: payments.fee, value: payments.noFee },
          { term: payer, value: formatExact(decimal, currency), sum: true },
        ]}
      />
    </Sheet>
  )
}
