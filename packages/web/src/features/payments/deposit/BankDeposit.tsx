import { payments } from '#messages/payments.ts'
import { accountName } from '../../../app/instruments/payment-methods.ts'
import type { MoneyContent } from '../../../app/orders/MoneyPage.tsx'
import { Receipt } from '../../../app/orders/receipt/Receipt.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { computeCredit } from './deposit-gain.ts'
import type { StartedDeposit } from './use-deposit.ts'

interface BankDepositProps {
  deposit: StartedDeposit
  methods: MoneyContent['methods']
  onRestart: () => void
}

/** Receipt of a bank deposit that was started and takes days to arrive. */
export function BankDeposit({ deposit: { reply, order }, methods, onRestart }: BankDepositProps) {
  const { charged, credited } = computeCredit(order)
  const account = methods?.bank_accounts.find(({ id }) => id === order.body.bankAccountId)
  return (
    <Receipt
      title={payments.onItsWay}
      status="PENDING"
      caption={payments.willGet}
      amount={formatExact(credited.amount, credited.currency)}
      entries={[
        account && { term: payments.from, value: accountName(account) },
        { term: payments.bankPays, value: formatExact(charged.amount, charged.currency) },
        { term: payments.arrives, value: payments.arrivesIn },
        reply.transaction_id !== null && { term: payments.transactionId, value: reply.transaction_id },
      ]}
      note={payments.onItsWayText}
      texts={payments}
      onRestart={onRestart}
    />
  )
}
