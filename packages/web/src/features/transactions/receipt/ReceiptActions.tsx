import type { ReceiptSheet } from '@tern/contract/receipt/receipt-sheet'
import type { Receipt } from '@tern/contract/transactions'
import { Suspense, useState } from 'react'
import { receiptPage as texts } from '#messages/receipt/page.ts'
import { useAction } from '../../../app/use-action.ts'
import { paths } from '../../../app/paths.ts'
import { findStatementAddress } from '../../../app/statement-address.ts'
import { saveReceipt } from '../../../app/orders/receipt/receipt-file.ts'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { ExtraIcon } from '../../../ui/icon/ExtraIcon.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'

const SharePicture = lazyComponent(() => import('./SharePicture.tsx'), 'SharePicture')

export function ReceiptActions({ receipt, facts }: { receipt: Receipt; facts: ReceiptSheet }) {
  const toast = useToast()
  const pdfAction = useAction({ failed: () => texts.pdfFailed, onFailed: (why) => toast(why, 'warning') })
  const [isSharing, setIsSharing] = useState(false)
  const { id, status } = receipt.transaction
  const savePdf = () => pdfAction.run(() => saveReceipt(id).then(() => toast(texts.pdfSaved)))
  const hasPicture = facts.map !== undefined && status === 'COMPLETED'
  return (
    <div className="chart-sheet-bar">
      <LinkButton look="ghost" icon="previous" to={`${paths.transactions}?details=${id}`}>
        {texts.back}
      </LinkButton>
      <div className="chart-sheet-actions">
        {hasPicture && (
          <Button look="primary" onClick={() => setIsSharing(true)}>
            <ExtraIcon name="share" />
            {texts.share}
          </Button>
        )}
        <Button processing={pdfAction.isBusy} onClick={savePdf}>
          <ExtraIcon name="download" />
          {texts.savePdf}
        </Button>
        <Button onClick={() => print()}>{texts.print}</Button>
        <LinkButton to={findStatementAddress(receipt.transaction)}>{texts.statement}</LinkButton>
      </div>
      {isSharing && (
        <Suspense>
          <SharePicture facts={facts} onClose={() => setIsSharing(false)} />
        </Suspense>
      )}
    </div>
  )
}
