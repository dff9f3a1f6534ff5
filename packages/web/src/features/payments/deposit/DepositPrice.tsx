import type { Wallet } from '@tern/contract/wallets'
import { toDecimal } from '@tern/money/money'
import { Suspense } from 'react'
import { payments } from '#messages/payments.ts'
import { Figure } from '../../../ui/money/Figure.tsx'
import { formatExact, formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { formatTime } from '../../../ui/format/format.ts'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import type { DepositModel } from './use-deposit.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'

// Few people pay in another currency than their wallet's.
const PriceSheet = lazyComponent(() => import('../../../app/orders/PriceSheet.tsx'), 'PriceSheet')

/** What arrives in the wallet, and what it costs. */
export function DepositPrice({ model, wallet }: { model: DepositModel; wallet: Wallet }) {
  const { live, method, isConverted, payable } = model
  const currency = wallet.base_currency
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
            <Figure caption={payments.yourWalletGets} amount={formatExactWithSign('0', currency)} isFaint>
              <p className="small muted mt-4">{payments.priceHint}</p>
            </Figure>
          }
        >
          {live.priced && (
            <p className="tabular">{payments.holdsUntil(formatTime(new Date(live.priced.holdsUntilMs)))}</p>
          )}
        </PriceSheet>
      </Suspense>
    )
  }
  const decimal = toDecimal(payable ?? { currency, minor: 0n })
  return (
    <Sheet scaleBar>
      <Figure
        caption={payments.yourWalletGets}
        amount={formatExactWithSign(decimal, currency)}
        isFaint={!payable}
        entries={[
          { term: payments.fee, value: payments.noFee },
          { term: payer, value: formatExact(decimal, currency), sum: true },
        ]}
      />
    </Sheet>
  )
}
