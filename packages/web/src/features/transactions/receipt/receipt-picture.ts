import type { Atlas } from '@tern/drawing/atlas'
import type { ReceiptSheet } from '@tern/contract/receipt/receipt-sheet'
import { receiptPage } from '#messages/receipt/page.ts'
import { receipt as texts } from '#messages/receipt/words.ts'
import { birdPaths } from '../../../ui/icon/Brand.tsx'
import { drawChart, faces, fillPath, pictureInk } from './draw-chart.ts'
import { buildChart } from './ReceiptChart.tsx'

/** Width and height of the picture in pixels; drawn in a coordinate system of `side`. */
export const pictureSize = 1200
const side = 1080
const margin = 40
const chartSize = { width: 1000, height: 600 }
const chartTop = 56
const barHeight = 12
const barParts = 9
const birdSize = 48 / 32

interface Lettering {
  readonly size: number
  readonly face: string
  readonly color: string
  readonly align?: CanvasTextAlign
}

function drawText(to: CanvasRenderingContext2D, text: string, x: number, y: number, lettering: Lettering): void {
  const availableWidth = side - 2 * margin
  let { size } = lettering
  const set = () => {
    to.font = `400 ${size}px ${lettering.face}`
    return to.measureText(text).width
  }
  while (set() > availableWidth && size > 20) size -= 2
  Object.assign(to, { fillStyle: lettering.color, textAlign: lettering.align ?? 'left', textBaseline: 'alphabetic' })
  to.fillText(text, x, y)
}

/** Text below the picture's title. Pictures never contain names of people. */
const writeCaption = ({ summary, paid, received }: ReceiptSheet, hasAmounts: boolean): string =>
  hasAmounts ? `${texts.fromTo({ from: paid.amount, to: received.amount })}. ${summary}.` : `${summary}.`

/** Draws the picture of a receipt with a map on a square canvas. */
export async function drawPicture(
  canvas: HTMLCanvasElement,
  facts: ReceiptSheet,
  atlas: Atlas,
  hasAmounts: boolean,
): Promise<void> {
  const to = canvas.getContext('2d')
  const { map } = facts
  if (!to || !map) return
  await Promise.all([`104px ${faces.display}`, `36px ${faces.text}`].map((font) => document.fonts.load(font)))
  canvas.width = pictureSize
  canvas.height = pictureSize
  to.scale(pictureSize / side, pictureSize / side)
  to.fillStyle = pictureInk.sheet
  to.fillRect(0, 0, side, side)
  to.save()
  to.translate(margin, chartTop)
  drawChart(to, buildChart(map, chartSize, atlas, { nameSize: 26, noteSize: 20 }))
  to.restore()
  const title = map.isRoute ? facts.title : map.to.name
  drawText(to, title, margin, 828, { size: 104, face: faces.display, color: pictureInk.ink })
  drawText(to, writeCaption(facts, hasAmounts), margin, 892, { size: 36, face: faces.text, color: pictureInk.dim })
  to.save()
  to.translate(margin, 948)
  to.scale(birdSize, birdSize)
  to.fillStyle = pictureInk.sea
  for (const path of birdPaths) fillPath(to, new Path2D(path))
  to.restore()
  drawText(to, texts.brand, margin + 64, 988, { size: 44, face: faces.display, color: pictureInk.ink })
  const date = facts.parties[0].timeLines[0] ?? ''
  const right: Lettering = { size: 20, face: faces.text, color: pictureInk.dim, align: 'right' }
  drawText(to, date, side - margin, 984, right)
  to.fillStyle = pictureInk.ink
  to.fillRect(0, side - barHeight, side, 1)
  for (let part = 0; part < barParts; part += 2) {
    to.fillRect((part * side) / barParts, side - barHeight, side / barParts, barHeight)
  }
}

export async function pictureFile(canvas: HTMLCanvasElement): Promise<File> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!blob) throw new Error('the picture was not made')
  return new File([blob], receiptPage.pictureName, { type: 'image/png' })
}
