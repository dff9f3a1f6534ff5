import { addressOf } from '@tern/contract/protocol/client'
import type { ReceiptSheet } from '@tern/contract/receipt/receipt-sheet'
import { type Receipt, transactionReceiptFile } from '@tern/contract/transactions'
import { Suspense, useState } from 'react'
import { receiptPage as texts } from '#messages/receipt/page.ts'
import { receipt as words } from '#messages/receipt/words.ts'
import { paths } from '../../../app/paths.ts'
import { saveFile } from '../../../ui/save-file.ts'
import { currentAccessToken } from '../../../app/session/session.ts'
import { useToast } from '../../../ui/feedback/Toast.tsx'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { ExtraIcon } from '../../../ui/icon/ExtraIcon.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'

const SharePicture = lazyComponent(() => import('./SharePicture.tsx'), 'SharePicture')

async function receiptFile(id: string): Promise<Blob> {
  const token = (await currentAccessToken()) ?? ''
  const reply = await fetch(`/api${addressOf(transactionReceiptFile, { params: { id } })}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!reply.ok) throw new Error(`status ${reply.status}`)
  return reply.blob()
}

/** What can be done with a receipt: back to the list, as a PDF, as a picture, on paper. */
export function ReceiptActions({ receipt, facts }: { receipt: Receipt; facts: ReceiptSheet }) {
  const toast = useToast()
  const [isMaking, setIsMaking] = useState(false)
  const [isSharing, setIsSharing] = useState(false)
  const { id, status } = receipt.transaction
  const savePdf = async () => {
    setIsMaking(true)
    try {
      saveFile(await receiptFile(id), words.fileName({ reference: facts.reference }))
      toast(texts.pdfSaved)
    } catch {
      toast(texts.pdfFailed, 'warning')
    }
    setIsMaking(false)
  }
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
        <Button processing={isMaking} onClick={() => void savePdf()}>
          <ExtraIcon name="download" />
          {texts.savePdf}
        </Button>
        <Button onClick={() => print()}>{texts.print}</Button>
      </div>
      {isSharing && (
        <Suspense>
          <SharePicture facts={facts} onClose={() => setIsSharing(false)} />
        </Suspense>
      )}
    </div>
  )
}
