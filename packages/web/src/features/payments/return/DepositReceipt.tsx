import '../../../css/arrived.css'
import type { Wallet } from '@tern/contract/wallets'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { paymentReturns } from '#messages/payments/returns.ts'
import { payments } from '#messages/payments.ts'
import { prices } from '#messages/prices.ts'
import { transactionsQuery } from '../../../app/session/live.ts'
import { paths } from '../../../app/paths.ts'
import { ReceiptFrame } from '../../../app/orders/receipt/Receipt.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { FocusedHeading } from '../../../ui/layout/FocusedHeading.tsx'
import type { Payment } from './payment-status.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'

const Illustration = lazyComponent(() => import('../../../ui/maps/Illustration.tsx'), 'Illustration')

interface DepositReceiptProps {
  userId: number
  payment: Payment
  wallet: Wallet
  onRestart: () => void
}

export function DepositReceipt({ userId, payment, wallet, onRestart }: DepositReceiptProps) {
  return (
    <ReceiptFrame to={paths.wallet} toText={payments.toWallet} texts={payments} onRestart={onRestart}>
      <div className="p-6">
        <div className="row items-start">
          <div className="grow">
            <div className="row">
              <p className="small muted">{paymentReturns.paid[payment.method]}</p>
              <Chip status="COMPLETED" />
            </div>
            <p className="balance balance-small mt-1">{formatExact(payment.amount, payment.currency)}</p>
          </div>
          <div className="arrived-place">
            <Suspense>
              <Illustration name="arrived" />
            </Suspense>
          </div>
        </div>
        <FocusedHeading className="display-s mt-6">{paymentReturns.success}</FocusedHeading>
        <p className="muted tabular mt-2">{payments.balance(formatExact(wallet.fiat_balance, wallet.base_currency))}</p>
        {payment.currency !== wallet.base_currency && <Conversion userId={userId} id={payment.transaction_id} />}
      </div>
    </ReceiptFrame>
  )
}

/** Conversion price of a deposit in a currency other than the wallet's. */
function Conversion({ userId, id }: { userId: number; id: string | null }) {
  const { data } = useQuery({ ...transactionsQuery(userId, { search: id ?? '', limit: '1' }), enabled: id !== null })
  const transaction = data?.transactions.find((found) => found.id === id)
  if (!transaction) return null
  return (
    <div className="mt-4 border-t pt-2">
      <DefinitionList
        small
        entries={[
          { term: payments.amount, value: formatExact(transaction.source_amount, transaction.source_currency) },
          transaction.rate !== null && {
            term: prices.midMarketRate,
            value: formatRateLine(transaction.rate, transaction.source_currency, transaction.target_currency),
          },
          { term: payments.fee, value: formatExact(transaction.fee, transaction.fee_currency) },
          {
            term: payments.yourWalletGets,
            value: formatExact(transaction.target_amount, transaction.target_currency),
            sum: true,
          },
        ]}
      />
    </div>
  )
}
