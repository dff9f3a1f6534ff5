import { Refused } from '@tern/contract/protocol/client'
import { useEffect, useRef, useState } from 'react'
import { statements as texts } from '#messages/statements/statements.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { useToast } from '../../ui/feedback/Toast.tsx'
import { personLocale } from '../../ui/format/locale.ts'
import { Button } from '../../ui/forms/Button.tsx'
import { RadioList, RadioPills } from '../../ui/forms/RadioList.tsx'
import { Dialog } from '../../ui/layout/Dialog.tsx'
import { downloadFile } from './download-file.ts'
import { type DownloadFormat, formatTexts, listFormats, requestFile } from './download-formats.ts'
import { defaultPaper, type Paper } from './paper.ts'
import { formatPeriod, type Period } from '../../app/periods/period-choices.ts'
import type { StatementQuery } from './statement-queries.ts'

interface DownloadDialogProps {
  query: StatementQuery
  period: Period
  onClose: () => void
}

const describeFormat = (value: DownloadFormat) => ({
  value,
  label: (
    <>
      <b className="font-medium">{formatTexts[value].name}</b>
      <span className="small muted block">{formatTexts[value].text}</span>
    </>
  ),
})

const papers = (['a4', 'letter'] as const).map((value) => ({ value, label: texts.papers[value] }))

const formatMegabytes = (byteCount: number): string =>
  (byteCount / 1_000_000).toLocaleString(personLocale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** Chooses the file of a statement, and saves it. */
export function DownloadDialog({ query, period, onClose }: DownloadDialogProps) {
  const toast = useToast()
  const [format, setFormat] = useState<DownloadFormat>('pdf')
  const [paper, setPaper] = useState<Paper>(defaultPaper)
  const { download, isBusy, byteCount, failure, clear } = useDownload(query, period)
  const save = async (chosenFormat: DownloadFormat) => {
    if (!(await download(chosenFormat, paper))) return
    toast(texts.saved)
    onClose()
  }
  return (
    <Dialog open size="small" title={texts.downloadTitle} onClose={onClose}>
      <p className="muted">
        {formatPeriod(period)}, {texts.balanceIn(query.currency)}
      </p>
      <div className="mt-5 grid gap-5">
        <RadioList
          legend={texts.format}
          choices={listFormats(query.currency, period).map(describeFormat)}
          value={format}
          onChange={(next) => {
            setFormat(next)
            clear()
          }}
        />
        {format === 'pdf' && <RadioPills legend={texts.paper} choices={papers} value={paper} onChange={setPaper} />}
        {failure && (
          <div className="grid justify-items-start gap-3">
            <Note tone="error">{failure.message}</Note>
            {failure.isTooLong && <Button onClick={() => void save('csv')}>{texts.saveAsCsv}</Button>}
          </div>
        )}
        <p className="small muted tabular empty:hidden" role="status">
          {isBusy && (byteCount < 1_000_000 ? texts.preparing : texts.received(formatMegabytes(byteCount)))}
        </p>
        <Button big wide look="primary" processing={isBusy} onClick={() => void save(format)}>
          {texts.save}
        </Button>
      </div>
    </Dialog>
  )
}

interface Failure {
  readonly message: string
  /** True if the statement has too many lines for this format. */
  readonly isTooLong: boolean
}

/** Downloads one file at a time; closing the dialog stops it. */
function useDownload(query: StatementQuery, period: Period) {
  const [byteCount, setByteCount] = useState<number>()
  const [failure, setFailure] = useState<Failure>()
  const end = useRef<AbortController>(undefined)
  useEffect(() => () => end.current?.abort(), [])

  async function download(format: DownloadFormat, paper: Paper): Promise<boolean> {
    const controller = new AbortController()
    end.current = controller
    setFailure(undefined)
    setByteCount(0)
    try {
      await downloadFile({
        ...requestFile({ format, query, period, paper }),
        fallbackName: `statement.${format}`,
        signal: controller.signal,
        onProgress: setByteCount,
      })
      return true
    } catch (error) {
      if (controller.signal.aborted) return false
      setFailure({
        message: error instanceof Refused ? error.message : texts.downloadFailed,
        isTooLong: error instanceof Refused && error.code === 'statement_too_long',
      })
      return false
    } finally {
      setByteCount(undefined)
    }
  }

  return {
    download,
    isBusy: byteCount !== undefined,
    byteCount: byteCount ?? 0,
    failure,
    clear: () => setFailure(undefined),
  }
}
