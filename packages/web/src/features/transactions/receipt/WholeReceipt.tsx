import { receiptSheet } from '@tern/contract/receipt/receipt-sheet'
import type { Receipt } from '@tern/contract/transactions'
import { ReceiptActions } from './ReceiptActions.tsx'
import { ReceiptSheet } from './ReceiptSheet.tsx'
import { pageWriting } from './writing.ts'

export function WholeReceipt({ receipt }: { receipt: Receipt }) {
  const facts = receiptSheet(receipt, pageWriting)
  return (
    <div className="max-w-276 mx-auto max-md:mx-[calc(-1*var(--gutter))] print:border-0 print:m-0 print:p-0">
      <ReceiptActions receipt={receipt} facts={facts} />
      <ReceiptSheet facts={facts} address={location.href} />
    </div>
  )
}
