import { payments } from '#messages/payments.ts'
import { accountName } from '../../../app/instruments/payment-methods.ts'
import type { MoneyContent } from '../../../app/orders/MoneyPage.tsx'
import { Receipt } from '../../../app/orders/receipt/Receipt.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { computeGain } from './deposit-gain.ts'
import type { StartedDeposit } from './use-deposit.ts'

interface BankDepositProps {
  begun: StartedDeposit
  methods: MoneyContent['methods']
  onAnother: () => void
}

/** Receipt of a bank deposit that was started and takes days to arrive. */
export function BankDeposit({ begun: { reply, order }, methods, onAnother }: BankDepositProps) {
  const { charged, gained } = computeGain(order)
  const account = methods?.bank_accounts.find(({ id }) => id === order.body.bankAccountId)
  return (
    <Receipt
      title={payments.onItsWay}
      status="PENDING"
      caption={payments.willGet}
      amount={formatExact(gained.amount, gained.currency)}
      entries={[
        account && { term: payments.from, value: accountName(account) },
        { term: payments.bankPays, value: formatExact(charged.amount, charged.currency) },
        { term: payments.arrives, value: payments.arrivesIn },
        reply.transaction_id !== null && { term: payments.transactionId, value: reply.transaction_id },
      ]}
      note={payments.onItsWayText}
      texts={payments}
      onAnother={onAnother}
    />
  )
}
