import '../../css/verify.css'
import { verifyReceiptText } from '@tern/transparency/verify-receipt'
import { type ChangeEvent, type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { shell, titles } from '#messages/shell.ts'
import { verifying as texts } from '#messages/site/verify.ts'
import { VisitorFrame } from '../../app/shell/VisitorFrame.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { Button } from '../../ui/forms/Button.tsx'
import { Icon } from '../../ui/icon/Icon.tsx'
import { type KnownKeys, loadKeys, type StoredKeys, trustKeys } from './log-policy.ts'
import { ReceiptVerdictSheet } from './ReceiptVerdictSheet.tsx'
import { useOfflineCopy } from './use-offline-copy.ts'

export const meta = () => [
  { title: shell.pageTitle(titles.verifyReceipt) },
  { name: 'description', content: texts.intro },
  { name: 'referrer', content: 'no-referrer' },
]

/** Largest text file that is read as a proof, in bytes; larger ones can only be pictures. */
const largestProof = 100_000

const trimProof = (text: string): string => {
  const trimmed = text.trim()
  return trimmed.includes('\n') ? `${trimmed.replaceAll('\r\n', '\n')}\n` : trimmed
}

/** Reads a proof from a file: its text, or the QR code in a picture. */
async function readProofFile(file: File): Promise<string | undefined> {
  if (file.type.startsWith('image/')) return (await import('../../app/scan/read-code.ts')).readPicture(file)
  return file.size <= largestProof ? file.text() : undefined
}

/** Verifies the proof of a receipt in the visitor's browser. The address' fragment is never sent to a server. */
export default function Verify() {
  const [keys, setKeys] = useState<KnownKeys>()
  const [proof, setProof] = useState('')
  useEffect(() => {
    const readFragment = () => {
      if (location.hash.length > 1) setProof(location.hash.slice(1))
    }
    readFragment()
    addEventListener('hashchange', readFragment)
    loadKeys().then(setKeys, reportError)
    return () => removeEventListener('hashchange', readFragment)
  }, [])
  return (
    <VisitorFrame>
      <div className="max-w-360 mx-auto pt-12 px-16 pb-24 max-xl:px-10 max-md:pt-8 max-md:px-4 max-md:pb-16">
        <h1 className="display-l">{texts.headline}</h1>
        <p className="lead max-w-[54ch] mt-3">{texts.intro}</p>
        <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] gap-16 items-start pt-8 max-[1100px]:grid-cols-1 max-md:gap-8">
          <div>
            <ProofForm onProof={setProof} />
            <OfflineCopy />
          </div>
          <div aria-live="polite" className="grid gap-6">
            {keys?.changed && (
              <ChangedKey
                keys={keys.changed}
                onTrust={(changed) => setKeys({ policy: trustKeys(changed), changed: undefined })}
              />
            )}
            {proof !== '' && <Verdict proof={proof} keys={keys} />}
          </div>
        </div>
      </div>
    </VisitorFrame>
  )
}

function OfflineCopy() {
  const isKept = useOfflineCopy()
  return (
    <p className="verify-kept" role="status">
      {isKept && (
        <>
          <Icon name="check" /> <span>{texts.kept}</span>
        </>
      )}
    </p>
  )
}

function Verdict({ proof, keys }: { proof: string; keys: KnownKeys | undefined }) {
  if (!keys) return <p className="muted">{texts.reading}</p>
  if (!keys.policy) return <Note tone="error">{texts.noKey}</Note>
  return <ReceiptVerdictSheet verdict={verifyReceiptText(trimProof(proof), keys.policy)} />
}

/** Warning that the log signs with another key than the one this browser has kept. */
function ChangedKey({ keys, onTrust }: { keys: StoredKeys; onTrust: (keys: StoredKeys) => void }) {
  return (
    <Note tone="warning">
      <p>{texts.changedKey}</p>
      <p className="mt-1">
        <code className="wrap-anywhere">{keys.log}</code>
      </p>
      <Button className="mt-3" onClick={() => onTrust(keys)}>
        {texts.trustKey}
      </Button>
    </Note>
  )
}

function ProofForm({ onProof }: { onProof: (proof: string) => void }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const file = useRef<HTMLInputElement>(null)
  const id = useId()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') onProof(text)
  }
  async function openFile({ target }: ChangeEvent<HTMLInputElement>) {
    const [chosen] = target.files ?? []
    if (!chosen) return
    setProblem(undefined)
    const found = await readProofFile(chosen)
    // Lets the same file be chosen again.
    target.value = ''
    if (found === undefined) setProblem(texts.noCode)
    else onProof(found)
  }
  return (
    <form className="verify-form" onSubmit={submit}>
      <div className="field">
        <label className="field-label" htmlFor={id}>
          {texts.label}
        </label>
        <div className="input-box">
          <textarea
            id={id}
            className="verify-text"
            aria-describedby={`${id}-hint`}
            value={text}
            onChange={({ target }) => setText(target.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </div>
        <p className="small muted" id={`${id}-hint`}>
          {texts.hint}
        </p>
      </div>
      <div className="row flex-wrap">
        <Button type="submit" look="primary">
          {texts.button}
        </Button>
        <Button className="verify-file" onClick={() => file.current?.click()}>
          {texts.file}
        </Button>
        <input
          ref={file}
          hidden
          type="file"
          accept=".tlog-proof,text/plain,image/*"
          aria-label={texts.file}
          onChange={(event) => void openFile(event)}
        />
      </div>
      {problem && <Note tone="error">{problem}</Note>}
    </form>
  )
}
