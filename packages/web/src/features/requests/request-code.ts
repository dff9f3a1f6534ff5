import { textLocale } from '../../ui/format/locale.ts'
import { birdPaths } from '../../ui/icon/Brand.tsx'
import { type QrModules, createQrModules } from '../../ui/codes/qr-modules.ts'

/** Side of the logo in the center, in modules. It covers about 5 % of the code; level H restores up to 30 %. */
export const markModules = 11
/** Quiet zone required by the QR standard. */
const marginModules = 4
/** The code fills the picture's width, so that cameras can read small prints. */
const modulePx = 8

/** QR modules of a payment link, with quiet zone. */
export const requestModules = (url: string): Promise<QrModules> =>
  createQrModules(url, { level: 'H', border: marginModules })

/** Offset of the logo in the code, in modules. */
export const markPlace = (size: number): number => (size - markModules) / 2

const ink = '#0c1f2d'
const paper = '#fff'
const mutedInk = '#44525e'
const lineHeight = 32
const textFace = "system-ui, 'Noto Sans', sans-serif"

interface PrintedRequest {
  readonly url: string
  readonly amount: string
  readonly name: string
}

function fillPath(canvas: CanvasRenderingContext2D, path: string): void {
  // Canvas fill, not Array.prototype.fill.
  // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type
  canvas.fill(new Path2D(path))
}

function drawCode(canvas: CanvasRenderingContext2D, { size, path }: QrModules): void {
  canvas.save()
  canvas.scale(modulePx, modulePx)
  canvas.fillStyle = ink
  fillPath(canvas, path)
  const place = markPlace(size)
  canvas.fillStyle = paper
  canvas.fillRect(place, place, markModules, markModules)
  canvas.translate(place + 1, place + 1)
  canvas.scale((markModules - 2) / 32, (markModules - 2) / 32)
  canvas.fillStyle = ink
  for (const part of birdPaths) fillPath(canvas, part)
  canvas.restore()
}

/** Wraps text to a width in at most `maxLines` lines; the last one is cut. */
function wrapText(canvas: CanvasRenderingContext2D, text: string, width: number, maxLines: number): string[] {
  const lines: string[] = []
  let line = ''
  // Also splits scripts without spaces.
  for (const part of new Intl.Segmenter(textLocale(), { granularity: 'word' }).segment(text)) {
    if (line !== '' && canvas.measureText(line + part.segment).width > width) {
      lines.push(line.trim())
      line = ''
    }
    line += part.segment
  }
  lines.push(line.trim())
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines - 1), `${lines[maxLines - 1] ?? ''}…`]
}

/** PNG of the code with amount and name below. Throws if the browser cannot create it. */
export async function requestPicture({ url, amount, name }: PrintedRequest): Promise<Blob> {
  const modules = await requestModules(url)
  const width = modules.size * modulePx
  const element = document.createElement('canvas')
  const canvas = element.getContext('2d')
  if (!canvas) throw new Error('this browser draws no pictures')
  const nameFont = `400 24px ${textFace}`
  canvas.font = nameFont
  const names = wrapText(canvas, name, width - 48, 3)
  element.width = width
  element.height = width + 56 + names.length * lineHeight + 20
  canvas.fillStyle = paper
  canvas.fillRect(0, 0, element.width, element.height)
  drawCode(canvas, modules)
  canvas.textAlign = 'center'
  canvas.fillStyle = ink
  canvas.font = `600 38px ${textFace}`
  canvas.fillText(amount, width / 2, width + 32, width - 48)
  canvas.font = nameFont
  canvas.fillStyle = mutedInk
  names.forEach((line, index) => canvas.fillText(line, width / 2, width + 72 + index * lineHeight, width - 48))
  return new Promise((resolve, reject) =>
    element.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture was made'))), 'image/png'),
  )
}
