import { buildReceiptSheet } from '@tern/contract/receipt/receipt-sheet'
import type { Receipt } from '@tern/contract/transactions'
import { ReceiptActions } from './ReceiptActions.tsx'
import { ReceiptSheet } from './ReceiptSheet.tsx'
import { pageWriting } from './page-writing.ts'

export function FullReceipt({ receipt }: { receipt: Receipt }) {
  const facts = buildReceiptSheet(receipt, pageWriting)
  return (
    <div className="chart-sheet-page">
      <ReceiptActions receipt={receipt} facts={facts} />
      <ReceiptSheet facts={facts} address={location.href} />
    </div>
  )
}
