import { decodeQR } from 'qr/decode.js'

/** Large enough for a code that fills a fifth of a picture, small enough to be read in a moment on an old phone. */
const sizes = [480, 960, 1600] as const

type Source = HTMLVideoElement | ImageBitmap

interface Effort {
  readonly most: number
  /** In milliseconds, for second tries. */
  readonly timeLimit: number
}

/** The text of the QR code in a picture that is drawn at most so wide and high; undefined when none can be read. */
function readAt(source: Source, width: number, height: number, { most, timeLimit }: Effort): string | undefined {
  const scale = Math.min(1, most / Math.max(width, height)) // not money: pixels
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) } // not money: pixels
  const canvas = Object.assign(document.createElement('canvas'), size)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context || size.width === 0 || size.height === 0) return undefined
  // What is transparent in a picture counts as paper.
  context.fillStyle = 'white'
  context.fillRect(0, 0, size.width, size.height)
  context.drawImage(source, 0, 0, size.width, size.height)
  const { data } = context.getImageData(0, 0, size.width, size.height)
  try {
    return decodeQR({ ...size, data }, { timeLimit })
  } catch {
    // There is no code in it, or none that can be read at this size.
    return undefined
  }
}

/** The text of the QR code that the camera sees at this moment; undefined when it sees none. */
export const readFrame = (video: HTMLVideoElement): string | undefined =>
  readAt(video, video.videoWidth, video.videoHeight, { most: 720, timeLimit: 50 })

/** The text of the QR code in a picture, tried at several sizes; undefined when none can be read, or it is no picture. */
export async function readPicture(file: Blob): Promise<string | undefined> {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  try {
    for (const most of sizes) {
      const text = readAt(picture, picture.width, picture.height, { most, timeLimit: 500 })
      if (text !== undefined) return text
    }
    return undefined
  } finally {
    picture.close()
  }
}
