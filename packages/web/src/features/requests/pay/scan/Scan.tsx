import '../../../../css/pay-sheet.css'
import { type ChangeEvent, type ClipboardEvent, type FormEvent, useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { scan } from '#messages/transfers/requests.ts'
import { paths } from '../../../../app/paths.ts'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { Button } from '../../../../ui/forms/Button.tsx'
import { TextField } from '../../../../ui/forms/TextField.tsx'
import { readFrame, readPicture } from '../../../../app/scan/read-code.ts'
import { type ScannedLink, readLink } from './scanned-link.ts'

const pasteLine = 'grid grid-cols-[minmax(0,1fr)_auto] items-end gap-3 has-[.field-error]:items-center'
const viewfinder = 'aspect-square w-full rounded-control border border-line-strong bg-ink object-cover'

const frameIntervalMs = 120

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
          <Button onClick={() => stop()}>{scan.stop}</Button>
        ) : (
          <Button
            look="primary"
            onClick={() => {
              setProblem(undefined)
              setIsScanning(true)
            }}
          >
            {scan.camera}
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

interface CameraProps {
  onScan: (text: string) => void
  onFailure: (reason: string) => void
}

/** Camera preview that ends once a code is read. */
function Camera(handlers: CameraProps) {
  const video = useRef<HTMLVideoElement>(null)
  const latestHandlers = useRef(handlers)
  latestHandlers.current = handlers
  useEffect(() => watchCamera(video.current, latestHandlers), [])
  return (
    <div>
      <video className={viewfinder} ref={video} muted playsInline aria-label={scan.viewfinder} />
      <p className="small muted mt-3" role="status">
        {scan.hint}
      </p>
    </div>
  )
}

const failures: Readonly<Record<string, string>> = {
  NotAllowedError: scan.denied,
  NotFoundError: scan.noCamera,
  NotReadableError: scan.busy,
}

/** Starts the camera, preferably the rear one, and scans until a code is found. Returns a function that stops it. */
function watchCamera(video: HTMLVideoElement | null, latestHandlers: { readonly current: CameraProps }): () => void {
  let stream: MediaStream | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  let hasEnded = false
  const end = () => {
    hasEnded = true
    clearInterval(timer)
    for (const track of stream?.getTracks() ?? []) track.stop()
  }
  async function startVideo(videoElement: HTMLVideoElement): Promise<void> {
    // Undefined without a secure context.
    const cameras = navigator.mediaDevices as MediaDevices | undefined
    if (!cameras) return latestHandlers.current.onFailure(scan.noCamera)
    stream = await cameras.getUserMedia({ video: { facingMode: 'environment' }, audio: false })
    if (hasEnded) return end()
    videoElement.srcObject = stream
    await videoElement.play()
    timer = setInterval(() => {
      const text = readFrame(videoElement)
      if (text === undefined) return
      end()
      latestHandlers.current.onScan(text)
    }, frameIntervalMs)
  }
  if (video) {
    startVideo(video).catch((error: unknown) => {
      if (hasEnded) return
      end()
      const name = error instanceof DOMException ? error.name : ''
      latestHandlers.current.onFailure(failures[name] ?? scan.noCamera)
    })
  }
  return end
}
