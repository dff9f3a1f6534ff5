import { useEffect, useRef } from 'react'
import { copying } from '#messages/copying.ts'
import { account } from '#messages/identity/account.ts'
import { Button } from '../../../../ui/forms/Button.tsx'
import { ExtraIcon } from '../../../../ui/icon/ExtraIcon.tsx'
import { saveFile } from '../../../../ui/save-file.ts'
import { useCopy } from '../../../../ui/feedback/use-copy.ts'

interface RecoveryCodesProps {
  codes: readonly string[]
  email: string
  onSaved: () => void
}

const download = (name: string, text: string): void => saveFile(new Blob([text], { type: 'text/plain' }), name)

/** New recovery codes, which cannot be shown again. They stay until the user confirms having saved them. */
export function RecoveryCodes({ codes, email, onSaved }: RecoveryCodesProps) {
  const copy = useCopy()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const text = codes.join('\n')
  return (
    <div className="grid gap-5 border-s-3 border-sea ps-5">
      <div>
        <h3 className="font-medium outline-none" tabIndex={-1} ref={heading}>
          {account.codesTitle}
        </h3>
        <p className="small muted mt-1">{account.codesText}</p>
      </div>
      <ul
        className="codes grid grid-cols-[repeat(2,auto)] justify-start gap-x-10 gap-y-2"
        aria-label={account.recoveryCodes}
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-3">
        <Button icon="copy" onClick={() => copy(text, copying.copied(account.recoveryCodes))}>
          {account.copy}
        </Button>
        <Button onClick={() => download(account.codesFile, `${account.codesFileHead(email)}\n\n${text}\n`)}>
          <ExtraIcon name="download" />
          {account.downloadCodes}
        </Button>
        <Button look="primary" onClick={onSaved}>
          {account.codesSaved}
        </Button>
      </div>
    </div>
  )
}
