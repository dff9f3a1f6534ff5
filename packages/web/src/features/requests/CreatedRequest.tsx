import '../../css/slip.css'
import type { PaymentRequest } from '@tern/contract/requests/requests'
import { copying } from '#messages/copying.ts'
import { receive } from '#messages/transfers/requests.ts'
import { useCopy } from '../../ui/feedback/use-copy.ts'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { formatDate } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { ExtraIcon } from '../../ui/icon/ExtraIcon.tsx'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'
import { Menu, type MenuItem } from '../../ui/layout/Menu.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { Balance } from '../../ui/money/Balance.tsx'
import { RequestCode } from './RequestCode.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { requestPicture } from './request-code.ts'
import { describeAmount, requesterName, shareAddresses, shareText } from './share.ts'

/** A request ready for sharing: QR code, link, and share options. */
export function CreatedRequest({ request, onRestart }: { request: PaymentRequest; onRestart: () => void }) {
  const copy = useCopy()
  const toast = useToast()
  const { url, currency, state } = request
  const download = async () => {
    const picture = { url, amount: describeAmount(request), name: requesterName(request) }
    saveFile(await requestPicture(picture), receive.fileName)
  }
  const payer = request.payer && receive.from(request.payer.name ?? request.payer.username)
  return (
    <section aria-labelledby="request-slip">
      <Sheet scaleBar>
        <div className="grid grid-cols-[232px_minmax(0,1fr)] gap-5 items-center p-5 max-md:grid-cols-1 max-md:justify-items-center max-md:text-center">
          <div className="[background:#fff] p-1 rounded-control max-md:w-58">
            <RequestCode url={url} label={receive.qrLabel} />
          </div>
          <div className="min-w-0 wrap-anywhere">
            <FocusedHeading className="small muted font-normal" id="request-slip">
              {receive.asking}
            </FocusedHeading>
            <p className="mt-0.5 mb-3">
              <Balance
                amount={state === 'part_paid' ? request.remaining_amount : request.amount}
                currency={currency}
                size="small"
              />
            </p>
            <p>{request.description}</p>
            <div className="small muted mt-4">
              <p>{receive.to(requesterName(request))}</p>
              {payer && <p>{payer}</p>}
              <p>{receive.openUntil(formatDate(request.expires_at))}</p>
              {request.allows_parts && <p>{receive.inParts}</p>}
            </div>
          </div>
        </div>
        <p className="slip-link small">
          <ExtraIcon name="link" />
          <span translate="no">{url.replace(/^https?:\/\//, '')}</span>
        </p>
      </Sheet>
      <div className="flex flex-wrap gap-3 mt-5 max-md:[&_.button]:flex-auto max-md:[&_.button-primary]:basis-full">
        <Button look="primary" icon="copy" onClick={() => copy(url, copying.done)}>
          {receive.copyLink}
        </Button>
        <Menu
          className="button button-secondary"
          trigger={
            <>
              <ExtraIcon name="share" />
              {receive.share}
            </>
          }
          heading={shareText(request)}
          items={useShareItems(request)}
        />
        <Button onClick={() => void download().catch(() => toast(receive.downloadFailed, 'warning'))}>
          <ExtraIcon name="download" />
          {receive.downloadQr}
        </Button>
      </div>
      <Button look="ghost" className="-ms-3 mt-3" onClick={onRestart}>
        {receive.another}
      </Button>
    </section>
  )
}

function useShareItems(request: PaymentRequest): readonly MenuItem[] {
  const copy = useCopy()
  const { whatsApp, email } = shareAddresses(request)
  const text = shareText(request)
  const open = (address: string) => void window.open(address, '_blank', 'noopener,noreferrer')
  // Closing the system's share sheet is not an error.
  const shareNatively = () => void navigator.share({ text, url: request.url }).catch(() => undefined)
  const canShareNatively = typeof navigator.share === 'function'
  return [
    { label: receive.whatsApp, icon: <ExtraIcon name="chat" />, onChoose: () => open(whatsApp) },
    { label: receive.email, icon: <ExtraIcon name="mail" />, onChoose: () => location.assign(email) },
    {
      label: receive.copyText,
      icon: <Icon name="copy" />,
      onChoose: () => copy(`${text}\n${request.url}`, copying.copied(receive.textCopied)),
    },
    { label: receive.copyLink, icon: <ExtraIcon name="link" />, onChoose: () => copy(request.url, copying.done) },
    ...(canShareNatively
      ? [{ label: receive.moreWays, icon: <ExtraIcon name="share" />, onChoose: shareNatively }]
      : []),
    { label: receive.cancel, icon: <Icon name="cross" />, onChoose: () => undefined, isLast: true },
  ]
}
