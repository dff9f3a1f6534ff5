import { buildReceiptSheet } from '@tern/contract/receipt/receipt-sheet'
import type { Receipt } from '@tern/contract/transactions'
import { Suspense } from 'react'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { ReceiptActions } from './ReceiptActions.tsx'
import { ReceiptSheet } from './ReceiptSheet.tsx'
import { pageWriting } from './page-writing.ts'

const LogProof = lazyComponent(() => import('./LogProof.tsx'), 'LogProof')

export function FullReceipt({ receipt }: { receipt: Receipt }) {
  const facts = buildReceiptSheet(receipt, pageWriting)
  return (
    <div className="chart-sheet-page">
      <ReceiptActions receipt={receipt} facts={facts} />
      <ReceiptSheet facts={facts} address={location.href} />
      <Suspense>
        <LogProof id={receipt.transaction.id} />
      </Suspense>
    </div>
  )
}
