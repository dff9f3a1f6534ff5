import { buildAddress, Refused } from '@tern/contract/protocol/client'
import { exportData } from '@tern/contract/privacy/privacy'
import { useState } from 'react'
import { account } from '#messages/identity/account.ts'
import { privacy } from '#messages/identity/privacy.ts'
import { currentAccessToken } from '../../../../app/session/session.ts'
import { notConfirmed, withStepUp } from '../../../../app/step-up/step-up.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { useToast } from '../../../../ui/feedback/Toast.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { Dialog } from '../../../../ui/layout/Dialog.tsx'
import { saveFile } from '../../../../ui/save-file.ts'
import { describeError } from '../../errors.ts'

type Format = 'json' | 'csv'

/** Downloads the archive; throws if the server refuses. */
async function fetchArchive(format: Format, confirmation: string | undefined): Promise<Blob> {
  const token = (await currentAccessToken()) ?? ''
  const reply = await fetch(`/api${buildAddress(exportData, { query: { format } })}`, {
    headers: { authorization: `Bearer ${token}`, ...(confirmation === undefined ? {} : { 'step-up': confirmation }) },
  })
  if (reply.ok) return reply.blob()
  throw new Refused((await reply.json()) as Refused['problem'])
}

/** Asks for the format and a confirmation, then saves the file. */
export function DownloadDialog({ onClose }: { onClose: () => void }) {
  const toast = useToast()
  const [runningFormat, setRunningFormat] = useState<Format>()
  const [error, setError] = useState<string>()

  async function download(format: Format): Promise<void> {
    setRunningFormat(format)
    setError(undefined)
    try {
      const archive = await withStepUp((confirmation) => fetchArchive(format, confirmation))
      if (archive === notConfirmed) return toast(account.notConfirmed, 'info')
      saveFile(archive, privacy.fileName({ date: new Date().toISOString().slice(0, 10), format }))
      toast(privacy.downloaded)
      onClose()
    } catch (cause) {
      setError(describeError(cause, privacy.downloadFailed))
    } finally {
      setRunningFormat(undefined)
    }
  }

  const button = (format: Format) => ({
    big: true,
    icon: 'deposit' as const,
    processing: runningFormat === format,
    disabled: runningFormat !== undefined && runningFormat !== format,
    onClick: () => void download(format),
  })
  return (
    <Dialog open onClose={onClose} title={privacy.downloadTitle} size="small">
      <p className="muted mt-2">{privacy.downloadText}</p>
      {error && (
        <div className="mt-4">
          <Note tone="error">{error}</Note>
        </div>
      )}
      <p className="sr-only" role="status">
        {runningFormat && privacy.preparing}
      </p>
      <div className="form-actions mt-6">
        <Button look="primary" className="grow" {...button('json')}>
          {privacy.asJson}
        </Button>
        <Button className="grow" {...button('csv')}>
          {privacy.asCsv}
        </Button>
      </div>
    </Dialog>
  )
}
