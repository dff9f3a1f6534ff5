import { useQuery } from '@tanstack/react-query'
import { parseDecimal } from '@tern/money/money'
import { Suspense } from 'react'
import { withdrawals } from '#messages/withdrawals.ts'
import { accountName } from '../../../app/instruments/payment-methods.ts'
import { Receipt } from '../../../app/orders/receipt/Receipt.tsx'
import { heldQuery, isWaiting } from '../../../app/undo/held-transfer.ts'
import { formatDay } from '../../../ui/format/format-day.ts'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { feeText, type PlacedWithdrawal } from './use-withdrawal.ts'

const HoldDetails = lazyComponent(() => import('../../../app/undo/HoldDetails.tsx'), 'HoldDetails')

interface WithdrawalReceiptProps {
  placed: PlacedWithdrawal
  onRestart: () => void
}

/** Receipt of a withdrawal: on its way, completed, on hold with the reason, or returned to the wallet. */
export function WithdrawalReceipt({ placed: { reply, order, account }, onRestart }: WithdrawalReceiptProps) {
  const isDone = reply.status === 'completed'
  const { data: held } = useQuery(
    heldQuery({
      ...{ id: reply.transaction_id, transaction_type: 'WITHDRAW', status: isDone ? 'COMPLETED' : 'PENDING' },
    }),
  )
  const isOnHold = held !== undefined && isWaiting(held)
  const isReturned = held?.transfer.state === 'released'
  const stage = isOnHold ? stages.onHold : isReturned ? stages.back : isDone ? stages.arrived : stages.onItsWay
  return (
    <Receipt
      {...stage}
      caption={withdrawals.youWillGet}
      amount={formatExact(String(order.amount), order.currency)}
      entries={[
        account && { term: withdrawals.to, value: accountName(account) },
        { term: withdrawals.fee, value: feeText(parseDecimal(order.currency, reply.fee)) },
        // The duration of a hold is unknown.
        !isOnHold && !isReturned && { term: withdrawals.arrivesBy, value: formatDay(reply.expected_on) },
        { term: withdrawals.transactionId, value: reply.transaction_id },
      ]}
      header={
        isOnHold && (
          <div className="mb-6">
            <Suspense>
              <HoldDetails transaction={held.transfer.transaction} />
            </Suspense>
          </div>
        )
      }
      texts={withdrawals}
      onRestart={onRestart}
    />
  )
}

const stages = {
  onHold: { title: withdrawals.onHold, status: 'HELD', note: withdrawals.onHoldText },
  back: { title: withdrawals.notMade, status: 'CANCELED', note: withdrawals.notMadeText },
  onItsWay: { title: withdrawals.onItsWay, status: 'PENDING', note: withdrawals.onItsWayText },
  arrived: { title: withdrawals.arrived, status: 'COMPLETED', note: undefined },
}
