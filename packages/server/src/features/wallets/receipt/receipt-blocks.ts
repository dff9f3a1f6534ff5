import { type Atlas, type StoredAtlas, readAtlas } from '@tern/drawing/atlas'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chart } from '@tern/drawing/sheet'
import type {
  ReceiptLine,
  ReceiptParty,
  ReceiptMap,
  ReceiptSheet,
  ReceiptFormat,
} from '@tern/contract/receipt/receipt-sheet'
import { encode } from 'uqr'
import { detectDirection } from '../../../platform/paper/letters/lines.ts'
import {
  type Block,
  body,
  type Column,
  columns,
  type DrawingContext,
  dim,
  emptyBlock,
  gap,
  hairline,
  labeled,
  spacer,
  rowsBlock,
  rule,
  type TextStyle,
  stackBlocks,
  strongStyle,
  textBlock,
} from '../../../platform/paper/blocks.ts'
import { drawChart } from './pdf-chart.ts'
import { ink } from '../../../platform/paper/pdf-paper.ts'

/** Input of all blocks of a receipt. */
export interface Content extends DrawingContext {
  readonly facts: ReceiptSheet
  readonly writing: ReceiptFormat
  /** URL of the receipt. */
  readonly address: string
  /** URL with the proof that the payment is in the transparency log; undefined while the log does not contain it. */
  readonly logProof: string | undefined
  readonly contact: string | null
  /** True if the receipt's owner is the payer. */
  readonly isPayer: boolean
  /** Width of the page between its margins. */
  readonly width: number
}

/** Title sizes; the first with at most three lines is used. */
const titleSizes = [36, 30, 24, 20]
const maxTitleLines = 3
const leadStyle: TextStyle = { look: { size: 16, color: dim }, step: 24 }
const nameStyle: TextStyle = { look: { size: 15, face: 'strong' }, step: 20 }
const noteStyle: TextStyle = { look: { size: 15 }, step: 24 }
const textStyle: TextStyle = { look: { size: 15 }, step: 22 }
const addressStyle: TextStyle = { look: { size: 15, face: 'strong' }, step: 22 }
const smallStyle: TextStyle = { look: { size: 11, color: dim }, step: 15 }
/** Amount sizes; the first that fits is used. */
const amountSizes = [44, 36, 30, 24, 20]
const maxAmountWidth = 340
const captionWidth = 200
/** Width of about 62 letters. */
const noteWidth = 577
const codeSize = 112
/** Side of the QR code of a proof, about 90 mm: about 150 modules that scanners can still tell apart at 150 dpi. */
const proofCodeSize = 340
const codePadding = 20
/** Approximate white margin at each edge of a QR code, as a share of its side. */
const codeMargin = 0.08
const sum = (widths: readonly number[]): number => widths.reduce((total, width) => total + width, 0)

/** Title and summary at the left, and the received amount at the right. */
export function titleBlock(content: Content): Block {
  const { paper, facts, width } = content
  const { caption, amount } = facts.received
  const measureAmount = (size: number) => paper.measureWidth(amount, { size, face: 'display' })
  const size = amountSizes.find((each) => measureAmount(each) <= maxAmountWidth) ?? 20
  const captionStyle: TextStyle = { look: { ...body.look, align: 'end' }, step: body.step }
  const right = Math.max(measureAmount(size), Math.min(captionWidth, paper.measureWidth(caption, body.look)))
  const money = stackBlocks([
    textBlock(content, caption, right, captionStyle),
    textBlock(content, amount, right, { look: { size, face: 'display', align: 'end' }, step: size + 4 }),
  ])
  const titleWidth = width - right - 32
  const titleSize =
    titleSizes.find((each) => {
      const lines = paper.breakLines(facts.title, titleWidth, { size: each, face: 'display' })
      const isInside = lines.every((line) => paper.measureWidth(line, { size: each, face: 'display' }) <= titleWidth)
      return lines.length <= maxTitleLines && isInside
    }) ?? 20
  const titleStyle: TextStyle = { look: { size: titleSize, face: 'display' }, step: titleSize + 4 }
  const title = stackBlocks(
    [
      textBlock(content, facts.title, titleWidth, titleStyle, 'H1'),
      textBlock(content, facts.summary, titleWidth, leadStyle),
    ],
    4,
  )
  const height = Math.max(title.height, money.height)
  return {
    height,
    draw(x, top) {
      title.draw(x, top + height - title.height)
      money.draw(x + width - right, top + height - money.height)
    },
  }
}

let atlas: Atlas | undefined
const readAtlasOnce = (): Atlas =>
  (atlas ??= readAtlas(
    JSON.parse(readFileSync(fileURLToPath(import.meta.resolve('@tern/drawing/land.json')), 'utf8')) as StoredAtlas,
  ))

/** Space between the frame and the map. */
const mapPadding = 4
/** Width of the chart's border band, which receipts leave out. */
const chartBand = 5

/** Map in a frame of this height. */
export function mapBlock(content: Content, map: ReceiptMap, height: number): Block {
  const { paper, structure, width } = content
  const innerSize = { width: width - 2 * (mapPadding + 1), height: height - 2 * (mapPadding + 1) }
  const chartDrawing = chart({
    ...{ ...map, from: { ...map.from, notes: [] }, to: { ...map.to, notes: [] } },
    ...{ atlas: readAtlasOnce(), nameSize: 15 },
    size: { width: innerSize.width + 2 * chartBand, height: innerSize.height + 2 * chartBand },
  })
  return {
    height,
    draw(x, top) {
      structure.part(
        'Figure',
        () => {
          const box = { x: x + mapPadding + 1, y: top + mapPadding + 1, ...innerSize }
          drawChart(paper, chartDrawing, box)
          paper.document
            .lineWidth(1)
            .rect(x + 0.5, top + 0.5, width - 1, height - 1)
            .stroke(ink)
        },
        map.sentence,
      )
    },
  }
}

function partyBlock(content: Content, party: ReceiptParty, width: number): Block {
  const line = (text: string, style: TextStyle) => textBlock(content, text, width, style)
  const who = party.name === undefined ? emptyBlock : line(party.name, nameStyle)
  const about = stackBlocks([who, ...party.lines.map((text) => line(text, body))])
  const when = stackBlocks(party.timeLines.map((text) => line(text, body)))
  return labeled(content, party.label, width, stackBlocks([about, when], 8))
}

/** Sender, recipient and, for the payer, the funding. */
export function partiesBlock(content: Content): Block {
  const { facts, writing, width } = content
  const shares = facts.paymentSources.length > 0 ? [1, 1, 1.35] : [1, 1]
  const unit = (width - 2 * gap * (shares.length - 1)) / sum(shares)
  const [from, to] = facts.parties
  const parties = [from, to].map((party): Column => ({ block: partyBlock(content, party, unit), width: unit }))
  if (facts.paymentSources.length === 0) return columns(content, parties)
  const sourcesWidth = unit * 1.35
  const sources = labeled(
    content,
    writing.texts.paidWith,
    sourcesWidth,
    rowsBlock(content, facts.paymentSources, sourcesWidth),
  )
  return columns(content, [...parties, { block: sources, width: sourcesWidth }])
}

/** Adds a dark rule above a block. */
export const addRuleAbove = (content: Content, block: Block): Block => ({
  height: block.height + 13,
  draw(x, top) {
    rule(content, x, top + 0.5, content.width, ink)
    block.draw(x, top + 13)
  },
})

const rowsUnder = (content: Content, text: string, lines: readonly ReceiptLine[], width: number): Block =>
  lines.length === 0 ? emptyBlock : labeled(content, text, width, rowsBlock(content, lines, width))

export function priceBlock(content: Content): Block {
  const { facts, writing, width } = content
  return rowsUnder(content, writing.texts.price, facts.price, width)
}

/** Steps of the conversion and other details. */
export function detailsBlock(content: Content, width: number): Block {
  const { facts, writing } = content
  const { conversion, details } = writing.texts
  return stackBlocks(
    [rowsUnder(content, conversion, facts.conversion, width), rowsUnder(content, details, facts.details, width)],
    gap,
  )
}

/** Price and details side by side. Omits the first and last step of the conversion, which the price contains. */
export function priceAndDetails(content: Content): Block {
  const innerWidth = content.width - 2 * gap
  const firstWidth = innerWidth * 0.42
  const right = innerWidth * 0.58
  const { facts, writing } = content
  const price = rowsUnder(content, writing.texts.price, facts.price, firstWidth)
  const details = [...facts.conversion.slice(1, -1), ...facts.details]
  return addRuleAbove(
    content,
    columns(content, [
      { block: price, width: firstWidth },
      { block: rowsUnder(content, writing.texts.details, details, right), width: right },
    ]),
  )
}

/** Splits the description into blocks that each fit on a page. */
export function descriptionBlocks(content: Content, room: number): Block[] {
  const { paper, facts, writing } = content
  if (facts.description === '') return []
  const style: TextStyle = {
    ...noteStyle,
    look: { ...noteStyle.look, direction: detectDirection(facts.description) },
  }
  const lines = paper.breakLines(facts.description.replaceAll(/\n{3,}/g, '\n\n').trim(), noteWidth, style.look)
  // Lines that fit on a page below the heading.
  const perPage = Math.floor((room - 32) / style.step) // not money: a count of lines
  const pages = Array.from({ length: Math.ceil(lines.length / perPage) }, (_, index) =>
    lines.slice(index * perPage, (index + 1) * perPage),
  )
  return pages.map((part) =>
    labeled(content, writing.texts.description, noteWidth, {
      height: part.length * style.step,
      draw: (x, top) =>
        content.structure.part('P', () => {
          part.forEach((line, index) => writeNoteLine(content, line, x, top + index * style.step, style))
        }),
    }),
  )
}

function writeNoteLine({ paper }: Content, line: string, x: number, top: number, { look, step }: TextStyle): void {
  if (line === '') return
  const isRightToLeft = look.direction === 'rtl'
  const base = top + step / 2 + look.size * 0.36
  paper.write(line, isRightToLeft ? x + noteWidth : x, base, isRightToLeft ? { ...look, align: 'end' } : look)
}

/** QR code of the receipt's URL. */
const codeBlock = (content: Content, side: number): Block =>
  drawCode(content, { text: content.address, level: 'M', side, label: content.writing.texts.code })

interface Code {
  readonly text: string
  /** Share that may be damaged: 7 % at L, 15 % at M. */
  readonly level: 'L' | 'M'
  readonly side: number
  /** Text alternative. */
  readonly label: string
}

/** QR code with dark modules on the white page. */
function drawCode({ paper, structure }: Content, { text, level, side, label }: Code): Block {
  const { data, size } = encode(text, { ecc: level, border: 4 })
  const unit = side / size
  return {
    height: side,
    draw: (x, top) =>
      structure.part(
        'Figure',
        () => {
          data.forEach((row, line) =>
            row.forEach((isDark, column) => {
              if (isDark) paper.document.rect(x + column * unit, top + line * unit, unit + 0.02, unit + 0.02)
            }),
          )
          paper.document.fill(ink)
        },
        label,
      ),
  }
}

/** Contact for questions and, for the payer, what to do about an unauthorized payment; may be empty. */
function questionsText({ writing, contact, isPayer }: Content): string {
  const { texts } = writing
  const sentences = [contact === null ? '' : texts.askSupport({ contact }), isPayer ? texts.notYours : '']
  return sentences.filter((sentence) => sentence !== '').join(' ')
}

/** Compact form of `proofBlock` and `questionsBlock`, for a receipt of one page. */
export function proofAndQuestions(content: Content): Block {
  const { facts, writing, address, width } = content
  const { texts } = writing
  const size = 100
  const textWidth = width - size - 16
  const line = (text: string, style: TextStyle) => textBlock(content, text, textWidth, style)
  const prices = facts.proofUrl === undefined ? [] : [line(`${texts.checkPriceText} ${facts.proofUrl}`, smallStyle)]
  const questions = questionsText(content)
  const words = labeled(
    content,
    texts.verify,
    textWidth,
    stackBlocks(
      [
        stackBlocks([line(texts.verifyText, body), line(address, strongStyle)]),
        ...prices,
        ...(questions === '' ? [] : [line(questions, smallStyle)]),
      ],
      4,
    ),
  )
  const code = codeBlock(content, size)
  const height = Math.max(size, words.height)
  return {
    height: height + 12,
    draw(x, top) {
      rule(content, x, top + 0.5, width, hairline)
      code.draw(x - size * codeMargin, top + 12)
      words.draw(x + size + 16, top + 12)
    },
  }
}

/** Ways to check the receipt: by its QR code, its URL and, for the payer, the proof of its price. */
export function proofBlock(content: Content): Block {
  const { facts, writing, address, width } = content
  const { texts } = writing
  const textWidth = width - codeSize - gap
  const prices =
    facts.proofUrl === undefined
      ? []
      : [
          spacer(8),
          textBlock(content, texts.checkPriceText, textWidth, smallStyle),
          textBlock(content, facts.proofUrl, textWidth, smallStyle),
        ]
  const words = labeled(
    content,
    texts.verify,
    textWidth,
    stackBlocks([
      textBlock(content, texts.verifyText, textWidth, textStyle),
      textBlock(content, address, textWidth, addressStyle),
      ...prices,
    ]),
  )
  const code = codeBlock(content, codeSize)
  const height = Math.max(code.height, words.height)
  return {
    height: height + 2 * codePadding,
    draw(x, top) {
      rule(content, x, top + 0.5, width, hairline)
      code.draw(x, top + codePadding + (height - code.height) / 2)
      words.draw(x + codeSize + gap, top + codePadding + (height - words.height) / 2)
      rule(content, x, top + height + 2 * codePadding - 0.5, width, hairline)
    },
  }
}

/** QR code that proves the payment, with its explanation. */
export function logProofBlock(content: Content, logProof: string): Block {
  const { writing, width } = content
  const { texts } = writing
  const code = drawCode(content, { text: logProof, level: 'L', side: proofCodeSize, label: texts.logProofCode })
  const textWidth = width - proofCodeSize - gap
  const words = labeled(
    content,
    texts.logProof,
    textWidth,
    stackBlocks(
      [
        textBlock(content, texts.logProofText, textWidth, textStyle),
        textBlock(content, texts.logProofPrivacy, textWidth, smallStyle),
      ],
      8,
    ),
  )
  const height = Math.max(code.height, words.height)
  return {
    height,
    draw(x, top) {
      code.draw(x, top)
      words.draw(x + proofCodeSize + gap, top)
    },
  }
}

/** Contact for questions and, for the payer, what to do about an unauthorized payment. */
export function questionsBlock(content: Content): Block {
  const text = questionsText(content)
  if (text === '') return emptyBlock
  return labeled(content, content.writing.texts.questions, noteWidth, textBlock(content, text, noteWidth, textStyle))
}

/** Notes in small print: that nothing was converted, and on the map. */
export function notesBlock(content: Content): Block {
  const { facts, width } = content
  return facts.notes.length === 0 ? emptyBlock : textBlock(content, facts.notes.join(' '), width, smallStyle)
}
