import { withdrawals } from '#messages/withdrawals.ts'
import { accountName } from '../../../app/instruments/payment-methods.ts'
import { Receipt } from '../../../app/orders/Receipt.tsx'
import { formatDay } from '../../../ui/format/format-day.ts'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import type { Ordered } from './use-withdrawal.ts'

/** The receipt of a withdrawal: the wallet is debited, the bank has it by the day shown. */
export default function WithdrawalOrdered({ reply, order, account, onAnother }: Ordered & { onAnother: () => void }) {
  const isDone = reply.status === 'completed'
  return (
    <Receipt
      title={isDone ? withdrawals.arrived : withdrawals.onItsWay}
      status={isDone ? 'COMPLETED' : 'PENDING'}
      caption={withdrawals.youWillGet}
      amount={formatExactWithSign(String(order.amount), order.currency)}
      entries={[
        account && { term: withdrawals.to, value: accountName(account) },
        { term: withdrawals.fee, value: withdrawals.noFee },
        { term: withdrawals.arrivesBy, value: formatDay(reply.expected_on) },
        { term: withdrawals.transactionId, value: reply.transaction_id },
      ]}
      note={!isDone && withdrawals.onItsWayText}
      texts={withdrawals}
      onAnother={onAnother}
    />
  )
}
