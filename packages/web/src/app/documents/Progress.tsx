import { upload as texts } from '#messages/identity/upload.ts'
import { IconButton } from '../../ui/forms/Button.tsx'
import { megabytes, secondsLeft } from './document-rules.ts'

interface ProgressProps {
  file: File
  sentBytes: number
  total: number
  elapsedMs: number
  onCancel: () => void
}

/** Upload progress; once all bytes are sent, says that the file is being checked. */
export function Progress({ file, sentBytes, total, elapsedMs, onCancel }: ProgressProps) {
  const percent = Math.floor((Math.min(sentBytes, total) * 100) / Math.max(total, 1))
  const remaining = secondsLeft(sentBytes, total, elapsedMs)
  const isUploaded = total > 0 && sentBytes >= total
  return (
    <>
      <div className="grow">
        <p className="truncate font-medium">{file.name}</p>
        <p className="small muted tabular">
          {isUploaded ? texts.checking(megabytes(total)) : texts.sent(megabytes(sentBytes), megabytes(total))}
          {remaining !== undefined && ` · ${texts.secondsLeft(remaining)}`}
        </p>
        <div
          role="progressbar"
          aria-label={texts.uploading(file.name)}
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
        >
          <svg className="block mt-2 bg-line fill-sea" width="100%" height="3" aria-hidden="true">
            <rect width={`${percent}%`} height="3" />
          </svg>
        </div>
        <p className="visually-hidden" role="status">
          {isUploaded ? texts.checkingStatus : texts.uploading(file.name)}
        </p>
      </div>
      <IconButton icon="cross" label={texts.cancelOf(file.name)} onClick={onCancel} />
    </>
  )
}
