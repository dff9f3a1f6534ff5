import { decodeQR } from 'qr/decode.js'

/**
 * Sizes to try, in pixels: large enough for a code that fills a fifth of an image, small enough to be fast on an old
 * phone.
 */
const sizes = [480, 960, 1600] as const

/** Size of camera frames, in pixels: enough for the code of a proof, whose sides have up to 177 modules. */
const largestFrame = 1280

type Source = HTMLVideoElement | ImageBitmap

interface ScanLimits {
  readonly maxSize: number
  /** Time limit of the decoder's retries, in milliseconds. */
  readonly timeLimit: number
}

/** Decodes the QR code of an image scaled to at most `maxSize` pixels; undefined if none can be read. */
function decodeAtSize(
  source: Source,
  width: number,
  height: number,
  { maxSize, timeLimit }: ScanLimits,
): string | undefined {
  const scale = Math.min(1, maxSize / Math.max(width, height)) // not money: pixels
  const size = { width: Math.round(width * scale), height: Math.round(height * scale) } // not money: pixels
  const canvas = Object.assign(document.createElement('canvas'), size)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context || size.width === 0 || size.height === 0) return undefined
  // Transparent areas count as white.
  context.fillStyle = 'white'
  context.fillRect(0, 0, size.width, size.height)
  context.drawImage(source, 0, 0, size.width, size.height)
  const { data } = context.getImageData(0, 0, size.width, size.height)
  try {
    return decodeQR({ ...size, data }, { timeLimit })
  } catch {
    // No code in the image, or unreadable at this size.
    return undefined
  }
}

/** Decoder of the browser (Barcode Detection API). */
interface CodeDetector {
  detect(source: Source): Promise<readonly { readonly rawValue: string }[]>
}

interface CodeDetectorClass {
  new (options: { formats: readonly string[] }): CodeDetector
  getSupportedFormats(): Promise<readonly string[]>
}

async function findDetector(): Promise<CodeDetector | undefined> {
  const { BarcodeDetector: Detector } = globalThis as { BarcodeDetector?: CodeDetectorClass }
  const formats = (await Detector?.getSupportedFormats().catch(() => [])) ?? []
  return Detector && formats.includes('qr_code') ? new Detector({ formats: ['qr_code'] }) : undefined
}

/** Decodes with the browser's own decoder, where it has one that works. */
async function detect(source: Source): Promise<string | undefined> {
  try {
    const [code] = (await (await findDetector())?.detect(source)) ?? []
    return code?.rawValue
  } catch {
    return undefined
  }
}

/** Decodes the QR code in the current camera frame; undefined without one. */
export const readFrame = async (video: HTMLVideoElement): Promise<string | undefined> =>
  (await detect(video)) ??
  decodeAtSize(video, video.videoWidth, video.videoHeight, { maxSize: largestFrame, timeLimit: 50 })

/** Decodes the QR code of an image file at several sizes; undefined if none can be read or the file is not an image. */
export async function readPicture(file: Blob): Promise<string | undefined> {
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (!picture) return undefined
  try {
    const found = await detect(picture)
    if (found !== undefined) return found
    for (const maxSize of sizes) {
      const text = decodeAtSize(picture, picture.width, picture.height, { maxSize, timeLimit: 500 })
      if (text !== undefined) return text
    }
    return undefined
  } finally {
    picture.close()
  }
}
