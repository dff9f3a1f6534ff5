import '../../../../css/pay-sheet.css'
import { type ChangeEvent, type ClipboardEvent, type FormEvent, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { camera } from '#messages/camera.ts'
import { scan } from '#messages/transfers/requests.ts'
import { paths } from '../../../../app/paths.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { TextField } from '../../../../ui/forms/TextField.tsx'
import { Camera } from '../../../../app/scan/Camera.tsx'
import { readPicture } from '../../../../app/scan/read-code.ts'
import { type ScannedLink, readLink } from './scanned-link.ts'

const pasteLine = 'grid grid-cols-[minmax(0,1fr)_auto] items-end gap-3 has-[.field-error]:items-center'

type Source = 'code' | 'text'

function describeRefusal(found: Exclude<ScannedLink, { data: string }>, source: Source): string {
  if (found.problem === 'system') return scan.otherSystem(scan.systems[found.system])
  if (found.problem === 'capitals') return scan.capitals
  if (source === 'code') return scan.notOurs
  return found.problem === 'elsewhere' ? scan.elsewhere : scan.notALink
}

/** Opens a payment link from its QR code, by camera or from an image, or from pasted text. */
export function Scan() {
  const navigate = useNavigate()
  const [isScanning, setIsScanning] = useState(false)
  const [problem, setProblem] = useState<string>()
  const picture = useRef<HTMLInputElement>(null)

  /** Opens the payment link in a text; otherwise returns the reason for refusing it. */
  function open(text: string, source: Source): string | undefined {
    const found = readLink(text, location.origin)
    if ('problem' in found) return describeRefusal(found, source)
    void navigate(`${paths.pay}?data=${encodeURIComponent(found.data)}`)
    return undefined
  }
  async function openPicture({ target }: ChangeEvent<HTMLInputElement>) {
    const [file] = target.files ?? []
    if (!file) return
    setProblem(undefined)
    const text = await readPicture(file)
    // Lets the same image be chosen again.
    target.value = ''
    setProblem(text === undefined ? scan.noCode : open(text, 'code'))
  }
  const stop = (reason?: string) => {
    setIsScanning(false)
    setProblem(reason)
  }
  return (
    <div className="grid gap-5 w-full max-w-110">
      {isScanning && <Camera onScan={(text) => stop(open(text, 'code'))} onFailure={stop} />}
      <div className="row flex-wrap">
        {isScanning ? (
          <Button onClick={() => stop()}>{camera.stop}</Button>
        ) : (
          <Button
            look="primary"
            onClick={() => {
              setProblem(undefined)
              setIsScanning(true)
            }}
          >
            {camera.start}
          </Button>
        )}
        <Button onClick={() => picture.current?.click()}>{scan.picture}</Button>
        <input
          ref={picture}
          hidden
          type="file"
          accept="image/*"
          aria-label={scan.picture}
          onChange={(event) => void openPicture(event)}
        />
      </div>
      {problem && <Note tone="error">{problem}</Note>}
      <PasteLink onOpen={(text) => open(text, 'text')} />
    </div>
  )
}

/** `onOpen` returns the reason for refusing a text. */
function PasteLink({ onOpen }: { onOpen: (text: string) => string | undefined }) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setError(onOpen(text))
  }
  // An input drops line breaks, which would join the words around them.
  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pastedText = event.clipboardData.getData('text')
    if (!/[\r\n]/.test(pastedText.trim())) return
    event.preventDefault()
    setText(pastedText.trim().replaceAll(/\s+/g, ' '))
    setError(undefined)
  }
  return (
    <form noValidate className={pasteLine} onSubmit={submit}>
      <TextField
        label={scan.link}
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={text}
        onPaste={paste}
        error={error}
        onChange={({ target }) => {
          setText(target.value)
          setError(undefined)
        }}
      />
      <Button type="submit">{scan.open}</Button>
    </form>
  )
}
