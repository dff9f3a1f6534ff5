import type { FiatCode } from '@tern/money/currency'
import { payments } from '#messages/payments.ts'
import { PriceSheet } from '../../../app/orders/PriceSheet.tsx'
import { formatTime } from '../../../ui/format/format.ts'
import { Figure } from '../../../ui/money/Figure.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import type { DepositModel } from './use-deposit.ts'

interface ConvertedPriceProps {
  model: DepositModel
  currency: FiatCode
  payer: string
}

/** Amount added to the wallet by a deposit in another currency, and its cost. */
export function ConvertedPrice({ model: { live }, currency, payer }: ConvertedPriceProps) {
  return (
    <PriceSheet
      scaleBar
      heading={payments.yourWalletGets}
      totalTerm={payer}
      live={live}
      empty={
        <Figure caption={payments.yourWalletGets} amount={formatExact('0', currency)} isFaint>
          <p className="small muted mt-4">{payments.priceHint}</p>
        </Figure>
      }
    >
      {live.priced && <p className="tabular">{payments.holdsUntil(formatTime(new Date(live.priced.holdsUntilMs)))}</p>}
    </PriceSheet>
  )
}
