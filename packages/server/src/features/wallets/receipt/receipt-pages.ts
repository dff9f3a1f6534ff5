// Layout of a receipt's pages: blocks, head and foot.

import { longestCode } from '@tern/contract/transparency'
import type { ReceiptMap } from '@tern/contract/receipt/receipt-sheet'
import {
  type Block,
  body,
  gap,
  hairline,
  rule,
  stackBlocks,
  strongStyle,
  textBlock,
  writeLines,
} from '../../../platform/paper/blocks.ts'
import { drawBird } from '../../../platform/paper/bird.ts'
import { ink } from '../../../platform/paper/pdf-paper.ts'
import {
  type Content,
  descriptionBlocks,
  detailsBlock,
  logProofBlock,
  mapBlock,
  notesBlock,
  partiesBlock,
  priceAndDetails,
  priceBlock,
  proofAndQuestions,
  proofBlock,
  questionsBlock,
  titleBlock,
  addRuleAbove,
} from './receipt-blocks.ts'

type PartName = keyof Content['writing']['texts']['movedParts']

/** Block to place on a page. It has a name if page 1 refers to it when it is on a later page. */
interface FlowBlock {
  readonly block: Block
  readonly name?: PartName
  /** Block to draw instead at the top of a page. */
  readonly onTop?: Block
}

export interface Sheet {
  readonly width: number
  readonly height: number
}

export const sideMargin = 56
const topMargin = 48
const bottomMargin = 40
const headHeight = 53
const footStyle = { look: { size: 11, color: '#3f5160' }, step: 15 }
const numberWidth = 200
/** Heights of the map; the first one that leaves room for the parties and the price on page 1 is used. */
const mapHeights = [314, 286, 258, 230, 202]
/** Heights of the map on a receipt of one page; the first that fits is used. */
const stripHeights = [...mapHeights, 174, 160, 146, 132, 118]
const narrowGap = 16
const narrowPadding = 3
const pointerHeight = gap + body.step

const formatIssuerLines = ({ paper, facts, width }: Content): string[] =>
  facts.issuer.flatMap((line) => paper.breakLines(line, width - numberWidth - gap, footStyle.look))

const footHeight = (content: Content): number => 13 + formatIssuerLines(content).length * footStyle.step

const present = (pieces: readonly FlowBlock[]): FlowBlock[] => pieces.filter(({ block }) => block.height > 0)

const computeHeight = (pieces: readonly FlowBlock[], space: number): number =>
  stackBlocks(
    pieces.map(({ block }) => block),
    space,
  ).height

const buildMapBlocks = (content: Content, map: ReceiptMap | undefined, height: number): FlowBlock[] =>
  map ? [{ block: mapBlock(content, map, height) }] : []

/** Lays out everything on one page, with less space and a smaller map; undefined if it does not fit. */
function layOutOnOnePage(original: Content, room: number): Block | undefined {
  const content = { ...original, rowPadding: narrowPadding }
  const { facts } = content
  const title = titleBlock(content)
  const lower = [
    partiesBlock(content),
    priceAndDetails(content),
    ...descriptionBlocks(content, room),
    proofAndQuestions(content),
    notesBlock(content),
  ]
  const freeHeight = room - stackBlocks([title, ...lower], narrowGap).height
  if (!facts.map)
    return freeHeight < 0
      ? undefined
      : stackBlocks([title, ...lower], freeHeight < gap * lower.length ? narrowGap : gap)
  const height = stripHeights.find((each) => each + narrowGap <= freeHeight)
  return height === undefined
    ? undefined
    : stackBlocks([title, mapBlock(content, facts.map, height), ...lower], narrowGap)
}

/** Distributes the blocks over pages in reading order, `space` apart. */
function splitIntoPages(content: Content, room: number, space: number): FlowBlock[][] {
  const { facts } = content
  const rows = priceBlock(content)
  const price: FlowBlock = { block: addRuleAbove(content, rows), onTop: rows, name: 'price' }
  const parties: FlowBlock = { block: partiesBlock(content), name: 'parties' }
  const title: FlowBlock = { block: titleBlock(content) }
  const first = computeHeight([title, parties, price], space) + pointerHeight
  const mapHeight = mapHeights.find((height) => first + space + height <= room) ?? mapHeights.at(-1) ?? 0
  const pieces = present([
    title,
    ...buildMapBlocks(content, facts.map, mapHeight),
    parties,
    price,
    ...descriptionBlocks(content, room).map((block): FlowBlock => ({ block, name: 'description' })),
    { block: detailsBlock(content, content.width) },
    { block: proofBlock(content), name: 'proof' },
    { block: questionsBlock(content) },
    { block: notesBlock(content) },
  ])
  const pages: FlowBlock[][] = [[]]
  for (const piece of pieces) {
    const page = pages.at(-1) ?? []
    const maxHeight = pages.length === 1 ? room - pointerHeight : room
    if (page.length > 0 && computeHeight([...page, piece], space) > maxHeight) pages.push([piece])
    else page.push(piece)
  }
  return pages
}

/** Returns references to named blocks that are not on page 1, such as "Description and proof: page 2". */
function buildPointers({ writing }: Content, pages: readonly FlowBlock[][], language: string): string[] {
  const { movedParts, moved } = writing.texts
  const list = new Intl.ListFormat(language, { type: 'conjunction' })
  const number = new Intl.NumberFormat(language)
  const usedParts = new Set<PartName>()
  return pages.slice(1).flatMap((page, index) => {
    const names = page.flatMap(({ name }) => (name === undefined || usedParts.has(name) ? [] : [name]))
    for (const name of names) usedParts.add(name)
    if (names.length === 0) return []
    const parts = list.format([...new Set(names)].map((name) => movedParts[name]))
    const capitalizedText = parts.charAt(0).toLocaleUpperCase(language) + parts.slice(1)
    return [moved({ parts: capitalizedText, page: number.format(index + 2) })]
  })
}

/** Draws logo and product name, and the receipt's number and date of issue. */
function drawHead(content: Content, x: number, top: number): void {
  const { paper, facts, writing, width } = content
  const { brand, name, issued } = writing.texts
  drawBird(paper, x, top)
  paper.write(brand, x + 46, top + 31, { size: 30, face: 'display' })
  const rows = [
    { term: name, value: facts.reference },
    { term: issued, value: facts.issued },
  ]
  const widest = rows.reduce((maximum, { value }) => Math.max(maximum, paper.measureWidth(value, strongStyle.look)), 0)
  rows.forEach(({ term, value }, index) => {
    const y = top + index * 20
    writeLines(content, [term], x, y, width - widest - 16, { ...body, look: { ...body.look, align: 'end' } })
    writeLines(content, [value], x, y, width, { ...strongStyle, look: { ...strongStyle.look, align: 'end' } })
  })
}

/** Draws issuer, receipt number and page number. */
function drawFoot(content: Content, x: number, top: number, page: string): void {
  const { facts, width } = content
  writeLines(content, formatIssuerLines(content), x, top + 13, width, footStyle)
  writeLines(content, [`${facts.reference} · ${page}`], x, top + 13, width, {
    ...footStyle,
    look: { ...footStyle.look, align: 'end' },
  })
}

/** Draws a receipt on as many pages as needed, each with head and foot. */
export function drawPages(content: Content, sheet: Sheet, language: string): void {
  const { paper, structure, width } = content
  const footTop = sheet.height - bottomMargin - footHeight(content)
  const top = topMargin + headHeight + gap
  const room = footTop - gap - top
  const singleBlock = layOutOnOnePage(content, room)
  const widePages = splitIntoPages(content, room, gap)
  const narrowPages = splitIntoPages({ ...content, rowPadding: narrowPadding }, room, narrowGap)
  const isNarrow = narrowPages.length < widePages.length
  const receiptPages: FlowBlock[][] = singleBlock ? [[{ block: singleBlock }]] : isNarrow ? narrowPages : widePages
  // The code needs half a page, so it has a page of its own.
  const pages =
    content.logProof === undefined || content.logProof.length > longestCode
      ? receiptPages
      : [...receiptPages, [{ block: logProofBlock(content, content.logProof) }]]
  const pointers = buildPointers(content, pages, language)
  const count = new Intl.NumberFormat(language)
  pages.forEach((pieces, index) => {
    paper.addPage()
    // Screen readers read head and foot on the first page only.
    const show = index === 0 ? (draw: () => void) => structure.part('P', draw) : paper.decorate
    show(() => drawHead(content, sideMargin, topMargin))
    rule(content, sideMargin, topMargin + headHeight - 0.5, width, ink)
    const blocksBelow: FlowBlock[] =
      index === 0 && pointers.length > 0 ? [{ block: textBlock(content, pointers.join(' · '), width, body) }] : []
    stackBlocks(
      [...pieces, ...blocksBelow].map(({ block, onTop }, place) => (place === 0 ? (onTop ?? block) : block)),
      isNarrow ? narrowGap : gap,
    ).draw(sideMargin, top)
    rule(content, sideMargin, footTop + 0.5, width, hairline)
    const pageText = content.writing.texts.page({ number: count.format(index + 1), count: count.format(pages.length) })
    show(() => drawFoot(content, sideMargin, footTop, pageText))
  })
}
