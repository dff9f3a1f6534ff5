import { useEffect, useRef, useState } from 'react'
import { camera as texts } from '#messages/camera.ts'
import { readFrame } from './read-code.ts'

/** Time between two looks for a code, in milliseconds. */
const pause = 80
/** Time without a code after which advice is shown, in milliseconds. */
const patience = 6000

interface CameraProps {
  onScan: (text: string) => void
  onFailure: (reason: string) => void
}

/** Camera preview that ends once a code is read. */
export function Camera(handlers: CameraProps) {
  const video = useRef<HTMLVideoElement>(null)
  const latestHandlers = useRef(handlers)
  latestHandlers.current = handlers
  const [isPlaying, setIsPlaying] = useState(false)
  const [isSlow, setIsSlow] = useState(false)
  useEffect(() => watchCamera(video.current, latestHandlers), [])
  useEffect(() => {
    if (!isPlaying) return undefined
    const timer = setTimeout(() => setIsSlow(true), patience)
    return () => clearTimeout(timer)
  }, [isPlaying])
  return (
    <div>
      <video
        className="viewfinder"
        ref={video}
        muted
        playsInline
        aria-label={texts.viewfinder}
        onPlaying={() => setIsPlaying(true)}
      />
      <p className="small muted mt-3" role="status">
        {isSlow ? texts.nothingYet : texts.hint}
      </p>
    </div>
  )
}

const failures: Readonly<Record<string, string>> = {
  NotAllowedError: texts.denied,
  NotFoundError: texts.noCamera,
  NotReadableError: texts.busy,
}

/** The rear camera if there is one, with enough pixels for the code of a proof. */
const wanted = { facingMode: 'environment', width: { ideal: 1920 }, height: { ideal: 1080 } }

/** Starts the camera and scans until a code is found. Returns a function that stops it. */
function watchCamera(video: HTMLVideoElement | null, latestHandlers: { readonly current: CameraProps }): () => void {
  let stream: MediaStream | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasEnded = false
  const end = () => {
    hasEnded = true
    clearTimeout(timer)
    for (const track of stream?.getTracks() ?? []) track.stop()
  }
  async function look(videoElement: HTMLVideoElement): Promise<void> {
    const text = await readFrame(videoElement)
    if (hasEnded) return
    if (text === undefined) {
      timer = setTimeout(() => void look(videoElement), pause)
      return
    }
    end()
    latestHandlers.current.onScan(text)
  }
  async function startVideo(videoElement: HTMLVideoElement): Promise<void> {
    // Undefined without a secure context.
    const cameras = navigator.mediaDevices as MediaDevices | undefined
    if (!cameras) return latestHandlers.current.onFailure(texts.noCamera)
    stream = await cameras.getUserMedia({ video: wanted, audio: false })
    if (hasEnded) return end()
    videoElement.srcObject = stream
    await videoElement.play()
    await look(videoElement)
  }
  if (video) {
    startVideo(video).catch((error: unknown) => {
      if (hasEnded) return
      end()
      const name = error instanceof DOMException ? error.name : ''
      latestHandlers.current.onFailure(failures[name] ?? texts.noCamera)
    })
  }
  return end
}
