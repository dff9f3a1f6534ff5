import { ResizeFit, Transformer } from '@napi-rs/image'
import { imageDimensionsFromData } from 'image-dimensions'
import type { CleanResult } from './clean-worker.ts'

// Few phone cameras produce more. Decoding a picture of this size takes some 200 MB.
const maxPixels = 50_000_000
const maxSide = 4000
const quality = 88

/**
 * Re-encodes a picture as an upright JPEG without metadata, at most 4000 pixels wide and high. Refuses unreadable
 * files and, before decoding them, files with too many pixels.
 */
export async function cleanImage(file: Buffer): Promise<CleanResult> {
  const { width, height } = imageDimensionsFromData(file) ?? { width: 0, height: 0 }
  if (width * height === 0) return { refusal: 'file_not_readable' }
  if (width * height > maxPixels) return { refusal: 'image_too_large' }
  try {
    const picture = new Transformer(file).rotate()
    const sides = { width: maxSide, height: maxSide, fit: ResizeFit.Inside }
    const isLarge = Math.max(width, height) > maxSide
    return { contentType: 'image/jpeg', bytes: await (isLarge ? picture.fastResize(sides) : picture).jpeg(quality) }
  } catch {
    return { refusal: 'file_not_readable' }
  }
}
