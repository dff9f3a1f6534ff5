import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Atlas, readAtlas, type StoredAtlas } from '@tern/contract/chart/globe'
import { chart } from '@tern/contract/chart/sheet'
import {
  type Line,
  type Party,
  type ReceiptMap,
  receiptSheet,
  type Writing,
} from '@tern/contract/receipt/receipt-sheet'
import type { Receipt } from '@tern/contract/transactions'
import { amountInWords } from '@tern/messages/formats'
import { encode } from 'uqr'
import type { Messages } from '../../../platform/messages.ts'
import { drawChart } from './pdf-chart.ts'
import { type Look, newPaper, type Paper } from './pdf-paper.ts'

const margin = 40
const [ink, dim, faint, rule] = ['#0c1f2d', '#3f5160', '#566572', '#c9d2d7']
/** The chart is drawn as on a screen, and then made smaller. */
const chartSize = { width: 688, height: 400 }
const codeSize = 74
const small: Look = { size: 9.5, color: dim }
const tiny: Look = { size: 8, color: faint }
/** Where people print on Letter. */
const letterCurrencies = new Set(['USD', 'CAD'])

let atlas: Atlas | undefined
const readAtlasOnce = (): Atlas =>
  (atlas ??= readAtlas(
    JSON.parse(
      readFileSync(fileURLToPath(import.meta.resolve('@tern/contract/chart/land.json')), 'utf8'),
    ) as StoredAtlas,
  ))

/** Four decimals, or four figures where the rate is small, as the pages write it. */
function rateOf(rate: string, locale: string): string {
  const zeros = /^0\.(0*)/.exec(rate)?.[1]?.length ?? 0
  const places = { minimumFractionDigits: 4 + zeros, maximumFractionDigits: 4 + zeros }
  return new Intl.NumberFormat(locale, places).format(rate as `${number}`)
}

function writingOf({ language, receipt }: Messages): Writing {
  const locale = language.code === 'en' ? 'en-US' : language.locale
  const regions = new Intl.DisplayNames(locale, { type: 'region' })
  const inZone = (at: Date, timeZone: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(at)
  const clock = {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  } as const
  return {
    texts: receipt,
    country: (code) => regions.of(code) ?? code,
    zone: 'UTC',
    money: (amount, currency) => amountInWords(language, amount, currency),
    rate: (rate, source, target) => `1 ${source} = ${rateOf(rate, locale)} ${target}`,
    date: (at, zone) => inZone(at, zone, { month: 'short', day: 'numeric', year: 'numeric' }),
    clock: (at, zone) => inZone(at, zone, clock),
  }
}

/** The receipt with no text that the typefaces cannot write: names give way to usernames, a description to a sentence. */
function writable(receipt: Receipt, paper: Paper, sentence: string): Receipt {
  const { transaction, owner } = receipt
  const { counterparty, description } = transaction
  const nameOf = (name: string | null) => (name !== null && paper.isWritable(name) ? name : null)
  return {
    ...receipt,
    owner: { ...owner, name: nameOf(owner.name) },
    transaction: {
      ...transaction,
      counterparty: counterparty && { ...counterparty, name: nameOf(counterparty.name) },
      description: paper.isWritable(description) ? description : sentence,
    },
  }
}

/** A page being filled from the top, as parts of the tagged document. */
function startPage(paper: Paper) {
  const { document } = paper
  const whole = document.struct('Document')
  document.addStructure(whole)
  return {
    /** A part with its text: `type` says what it is to a screen reader. */
    part: (type: string, draw: () => void, alt?: string) =>
      void whole.add(document.struct(type, alt === undefined ? {} : { alt }, draw)),
    /** A table of terms and values, drawn by `draw` row by row. */
    table(
      rows: readonly Line[],
      drawTerm: (row: Line, index: number) => void,
      drawValue: (row: Line, index: number) => void,
    ) {
      const table = document.struct('Table')
      whole.add(table)
      rows.forEach((row, index) => {
        const line = document.struct('TR')
        table.add(line)
        line.add(document.struct('TH', {}, () => drawTerm(row, index)))
        line.add(document.struct('TD', {}, () => drawValue(row, index)))
        line.end()
      })
      table.end()
    },
    end: () => whole.end(),
  }
}

type Page = ReturnType<typeof startPage>

const ruleAt = (paper: Paper, y: number, color: string, from = margin, to = paper.width - margin) =>
  paper.decorate(() => paper.document.lineWidth(0.75).moveTo(from, y).lineTo(to, y).stroke(color))

/** Lines one below the other; gives where the next would stand. */
function writeLines(paper: Paper, lines: readonly string[], x: number, y: number, look: Look, step: number): number {
  lines.forEach((line, index) => paper.write(line, x, y + index * step, look))
  return y + lines.length * step
}

interface Sheet {
  readonly paper: Paper
  readonly page: Page
  readonly facts: ReturnType<typeof receiptSheet>
  readonly writing: Writing
}

/** The head: brand and owner, kind and reference, title, what was paid and what arrived. Gives where it ends. */
function drawHead({ paper, page, facts, writing }: Sheet, owner: string): number {
  const { width } = paper
  const right = width - margin
  page.part('P', () => paper.write(writing.texts.brand, margin, margin + 16, { size: 20, face: 'display' }))
  page.part('P', () => paper.write(owner, right, margin + 16, { ...small, align: 'end' }))
  ruleAt(paper, margin + 30, ink)
  page.part('P', () => paper.write(`${facts.kind}   ${facts.reference}`, margin, margin + 54, small))
  const figures = [facts.paid, facts.got] as const
  const amountSizes = [17, 26]
  const amountWidths = figures.map(({ amount, caption }, index) =>
    Math.max(paper.widthOf(amount, { size: amountSizes[index] ?? 17, face: 'display' }), paper.widthOf(caption, small)),
  )
  const besides = amountWidths.reduce((sum, each) => sum + each + 24, 0)
  const isBeside = width - 2 * margin - besides > 190
  const title: Look = { size: 28, face: 'display' }
  const lines = paper.linesOf(facts.title, width - 2 * margin - (isBeside ? besides : 0), title)
  let y = margin + 86
  page.part('H1', () => writeLines(paper, lines, margin, y, title, 32))
  y += (lines.length - 1) * 32 + 20
  page.part('P', () => paper.write(facts.lead, margin, y, { size: 12, color: dim }))
  if (!isBeside) y += 46
  let x = right - (amountWidths[1] ?? 0) - 24
  figures.forEach(({ caption, amount }, index) => {
    const size = amountSizes[index] ?? 17
    page.part('P', () => {
      paper.write(caption, x, y - size - 6, { ...small, align: 'end' })
      paper.write(amount, x, y, { size, face: 'display', align: 'end', color: index === 0 ? dim : ink })
    })
    x = right
  })
  return y + 22
}

/** The map. Gives where it ends. */
function drawMap({ paper, page }: Sheet, map: ReceiptMap, top: number): number {
  const scale = (paper.width - 2 * margin) / chartSize.width
  const drawn = chart({ ...map, size: chartSize, atlas: readAtlasOnce(), nameSize: 16, noteSize: 12 })
  page.part('Figure', () => drawChart(paper, drawn, margin, top, scale), map.sentence)
  return top + chartSize.height * scale + 22
}

function drawParty({ paper, page }: Sheet, party: Party, x: number, top: number, width: number): number {
  page.part('H2', () => paper.write(party.label, x, top, { ...small, color: faint }))
  let y = top + 15
  const put = (text: string, look: Look) => {
    const lines = paper.linesOf(text, width, look)
    page.part('P', () => writeLines(paper, lines, x, y, look, 13))
    y += lines.length * 13
  }
  if (party.who) put(party.who, { size: 10.5, face: 'strong' })
  for (const line of party.lines) put(line, small)
  y += 4
  for (const line of party.when) put(line, small)
  return y
}

function drawPrice({ paper, page, facts, writing }: Sheet, x: number, top: number, width: number): number {
  page.part('H2', () => paper.write(writing.texts.price, x, top, { ...small, color: faint }))
  const at = (index: number) => top + 15 + index * 15
  page.table(
    facts.price,
    ({ term, isSum }, index) =>
      paper.write(term, x, at(index), { size: 9.5, face: isSum ? 'strong' : 'text', color: isSum ? ink : dim }),
    ({ value, isSum }, index) =>
      paper.write(value, x + width, at(index), { size: 9.5, face: isSum ? 'strong' : 'text', align: 'end' }),
  )
  const sum = facts.price.findIndex(({ isSum }) => isSum)
  if (sum > 0) ruleAt(paper, at(sum) - 10.5, ink, x, x + width)
  return at(facts.price.length)
}

/** The QR code: dark on white, its modules with whole edges. */
function drawCode({ paper, page, writing }: Sheet, address: string, x: number, y: number): void {
  const { data, size } = encode(address, { ecc: 'M', border: 4 })
  const unit = codeSize / size
  page.part(
    'Figure',
    () => {
      data.forEach((row, line) =>
        row.forEach((isDark, column) => {
          if (isDark) paper.document.rect(x + column * unit, y + line * unit, unit + 0.02, unit + 0.02)
        }),
      )
      paper.document.fill(ink)
    },
    writing.texts.code,
  )
}

/** From, to, price and the way to the receipt at Tern; below, what else there is to say. */
function drawFacts(sheet: Sheet, address: string, top: number): void {
  const { paper, page, facts, writing } = sheet
  const right = paper.width - margin
  ruleAt(paper, top, ink)
  const y = top + 18
  const width = right - margin
  const [party, price] = [width * 0.235, width * 0.31]
  const gap = 14
  const [from, to] = facts.parties
  const priceAt = margin + 2 * party
  const codeAt = priceAt + price + gap
  const ends = [
    drawParty(sheet, from, margin, y, party - gap),
    drawParty(sheet, to, margin + party, y, party - gap),
    drawPrice(sheet, priceAt, y, price - gap),
    y + codeSize + 8,
  ]
  page.part('H2', () => paper.write(writing.texts.verify, codeAt, y, { ...small, color: faint }))
  drawCode(sheet, address, codeAt - 5, y + 3)
  let line = Math.max(...ends) + 8
  ruleAt(paper, line, rule)
  line += 16
  const values = facts.details.map(({ value }) => paper.linesOf(value, width - 100, { size: 9.5 }))
  const starts = values.map((_, index) => values.slice(0, index).reduce((sum, { length }) => sum + length * 13, line))
  page.table(
    facts.details,
    ({ term }, index) => paper.write(term, margin, starts[index] ?? line, { ...small, color: faint }),
    (_, index) => writeLines(paper, values[index] ?? [], margin + 100, starts[index] ?? line, { size: 9.5 }, 13),
  )
  line = values.reduce((sum, { length }) => sum + length * 13, line) - 2
  ruleAt(paper, line, rule)
  line += 14
  const proof = facts.proofUrl === undefined ? [] : [`${writing.texts.checkPriceText} ${facts.proofUrl}`]
  for (const text of [`${writing.texts.verifyText} ${address}`, ...proof, ...facts.notes]) {
    const lines = paper.linesOf(text, width, tiny)
    page.part('P', () => writeLines(paper, lines, margin, line, tiny, 10.5))
    line += lines.length * 10.5 + 2
  }
}

interface Options {
  readonly messages: Messages
  /** Of the product, without a slash at its end. */
  readonly publicUrl: string
}

/**
 * The receipt as a PDF of one page: tagged, with its title and language, in the product's typefaces, with the chart that the
 * page shows. On Letter where its currencies are those of Letter's countries, else on A4.
 */
export async function receiptPdf(receipt: Receipt, { messages, publicUrl }: Options): Promise<Buffer> {
  const writing = writingOf(messages)
  const { texts } = writing
  const { transaction } = receipt
  const isLetter = letterCurrencies.has(transaction.currency)
  const { reference } = receiptSheet(receipt, writing)
  const paper = newPaper({
    title: `${texts.name} ${reference}`,
    language: messages.language.code,
    size: isLetter ? 'LETTER' : 'A4',
    createdAt: new Date(receipt.delivered_at ?? transaction.timestamp),
  })
  const chunks: Buffer[] = []
  const isWritten = new Promise<void>((resolve, reject) => {
    paper.document.on('data', (chunk: Buffer) => chunks.push(chunk))
    paper.document.on('end', resolve)
    paper.document.on('error', reject)
  })
  const shown = writable(receipt, paper, texts.unwritable)
  const facts = receiptSheet(shown, writing)
  const page = startPage(paper)
  const sheet: Sheet = { paper, page, facts, writing }
  const { name, username } = shown.owner
  let y = drawHead(sheet, texts.owner({ name: name ?? username }))
  if (facts.map) y = drawMap(sheet, facts.map, y)
  drawFacts(sheet, `${publicUrl}/receipt?id=${transaction.id}`, y)
  page.end()
  paper.document.end()
  await isWritten
  return Buffer.concat(chunks)
}
