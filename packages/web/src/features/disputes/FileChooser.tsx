import { documentFileTypes } from '@tern/contract/kyc/documents'
import { useRef } from 'react'
import { disputes as texts } from '#messages/transfers/disputes.ts'
import { Button, IconButton } from '../../ui/forms/Button.tsx'

const acceptedTypes = documentFileTypes.join(',')

export function FileButton({ onFile, isBusy }: { onFile: (file: File) => void; isBusy?: boolean }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        accept={acceptedTypes}
        aria-label={texts.addFile}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file) onFile(file)
          // Lets the same file be chosen again.
          currentTarget.value = ''
        }}
      />
      <Button icon="plus" processing={isBusy} onClick={() => input.current?.click()}>
        {texts.addFile}
      </Button>
    </>
  )
}

interface ChosenFilesProps {
  files: readonly File[]
  onChange: (files: readonly File[]) => void
}

export function ChosenFiles({ files, onChange }: ChosenFilesProps) {
  return (
    <div>
      <p className="field-label">{texts.evidence}</p>
      {files.length > 0 && (
        <ul className="dispute-files">
          {files.map((file, index) => (
            <li key={`${index} ${file.name}`}>
              <span className="wrap-anywhere">{file.name}</span>
              <IconButton
                icon="cross"
                label={texts.removeFile(file.name)}
                onClick={() => onChange(files.toSpliced(index, 1))}
              />
            </li>
          ))}
        </ul>
      )}
      {files.length < 10 && <FileButton onFile={(file) => onChange([...files, file])} />}
      <p className="hint">{texts.evidenceHint}</p>
    </div>
  )
}
