import type { StatementHead, StatementLine, StatementTotals } from '@tern/contract/statements'
import { amountInWords } from '@tern/messages/formats'
import type { Messages } from '../../../platform/messages.ts'
import { drawBird } from '../../../platform/paper/bird.ts'
import {
  alignEnd,
  body,
  type DrawingContext,
  gap,
  hairline,
  rule,
  rowsBlock,
  spacer,
  stackBlocks,
  strongStyle,
  textBlock,
  type TextStyle,
  writeLines,
} from '../../../platform/paper/blocks.ts'
import { drawable, splitClusters } from '../../../platform/paper/letters/clusters.ts'
import { type Face, type FacedText, loadFaces } from '../../../platform/paper/letters/faces.ts'
import { collectBytes, ink, newPaper, type PaperSize, sheets } from '../../../platform/paper/pdf-paper.ts'
import { startStructure } from '../../../platform/paper/structure.ts'
import { listTexts, mapTexts } from '../../../platform/paper/texts.ts'

export interface StatementPaper {
  readonly statement: StatementHead
  readonly totals: StatementTotals
  readonly lines: readonly StatementLine[]
}

interface PaperFormat {
  readonly messages: Messages
  readonly size: PaperSize
}

const sideMargin = 56
const topMargin = 48
const bottomMargin = 40
const headHeight = 53
const rowPadding = 5
const dateWidth = 92
const amountWidth = 130
const columnGap = 14
const small: TextStyle = { look: { size: 11, color: '#3f5160' }, step: 15 }
const strong: TextStyle = { look: { size: 12, face: 'strong' }, step: 17 }
const plain: TextStyle = { look: { size: 12 }, step: 17 }
const title: TextStyle = { look: { size: 30, face: 'display' }, step: 36 }
const facesUsed: readonly Face[] = ['text', 'strong', 'display']

/** Line of the statement as it is printed. */
interface PrintedRow {
  readonly date: string
  readonly title: readonly string[]
  readonly details: readonly string[]
  readonly amount: string
  readonly balance: string
  readonly height: number
}

/** Text that is drawn on one line. */
const toLine = (text: string): string => drawable(text).replaceAll('\n', ' ')

/** Characters of a description that are printed; other formats have all of it. */
const maxDescription = 160

function cutDescription(text: string): string {
  const clusters = text.length > maxDescription ? splitClusters(text) : []
  return clusters.length > maxDescription ? `${clusters.slice(0, maxDescription - 1).join('')}…` : text
}

/** Writes a statement as a tagged PDF with title and language, on as many pages as it needs. */
export async function statementPdf(source: StatementPaper, { messages, size }: PaperFormat): Promise<Buffer> {
  const { statement, totals, lines } = mapTexts(source, toLine)
  const { statements: texts, language, receipt } = messages
  const { period, holder, currency, issuer } = statement
  const locale = language.code === 'en' ? 'en-US' : language.locale
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const lineDates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: period.time_zone })
  const counts = new Intl.NumberFormat(locale)
  const showDay = (day: string) => dates.format(new Date(`${day}T00:00:00Z`))
  const showMoney = (amount: string, code: string = currency) => toLine(amountInWords(language, amount, code))
  const asOf = toLine(
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long', timeZone: period.time_zone }).format(
      new Date(period.as_of),
    ),
  )
  const periodText = period.is_final
    ? texts.fromTo({ from: showDay(period.from), to: showDay(period.to) })
    : texts.until({ from: showDay(period.from), time: asOf })
  const issuerLine = [
    issuer.name && receipt.issuedBy({ name: issuer.name }),
    issuer.registration && receipt.registration({ number: issuer.registration }),
    issuer.license,
    issuer.contact,
  ]
    .filter((part) => part !== null && part !== '')
    .join(' · ')
  const heads = [texts.date, texts.details, texts.amount, texts.balance] as const
  const summary = [
    { term: texts.opening, value: showMoney(statement.opening_balance) },
    { term: texts.moneyIn, value: showMoney(totals.money_in) },
    { term: texts.moneyOut, value: showMoney(totals.money_out) },
    { term: texts.fees, value: showMoney(totals.fees) },
    { term: texts.putOnHold, value: showMoney(totals.put_on_hold) },
    { term: texts.closing, value: showMoney(statement.closing_balance), isTotal: true },
    { term: texts.onHold, value: showMoney(statement.on_hold) },
  ]
  const facts = [
    { term: texts.holder, value: holder.name ?? holder.username },
    { term: texts.account, value: String(holder.id) },
    { term: texts.currency, value: currency },
    { term: texts.period, value: periodText },
    { term: texts.timeZone, value: period.time_zone },
    { term: texts.lines, value: counts.format(totals.lines) },
  ]
  const describe = (line: StatementLine) => {
    const { counterparty, kind, description, reference, status } = line
    const name = counterparty && (counterparty.name ?? counterparty.username)
    const other = name && (kind === 'received' ? texts.from({ name }) : texts.to({ name }))
    const converted =
      line.original_amount !== null && line.original_currency !== null
        ? texts.converted({ amount: showMoney(line.original_amount, line.original_currency), rate: line.rate ?? '' })
        : null
    return {
      date: toLine(lineDates.format(new Date(line.at))),
      amount: showMoney(line.amount),
      balance: showMoney(line.balance),
      title: [texts.kinds[kind], other].filter(Boolean).join(' · '),
      details: [
        cutDescription(description),
        converted,
        status === 'completed' ? null : texts.statuses[status],
        reference,
      ]
        .filter(Boolean)
        .join(' · '),
    }
  }
  const printed = lines.map(describe)
  const allTexts = [
    ...new Set([...listTexts(printed), ...listTexts(facts), ...listTexts(summary), ...listTexts(texts), issuerLine]),
  ]
  const settings = allTexts.flatMap((text) => facesUsed.map((face): FacedText => ({ text, face })))
  const paper = newPaper({
    title: `${texts.name} ${currency} ${period.from} ${period.to}`,
    creator: texts.brand,
    language: language.code,
    size,
    createdAt: new Date(period.as_of),
    faces: await loadFaces(settings),
  })
  const written = collectBytes(paper)
  const structure = startStructure(paper)
  const context: DrawingContext = { paper, structure, rowPadding }
  const sheet = sheets[size]
  const width = sheet.width - 2 * sideMargin
  const detailsWidth = width - dateWidth - 2 * amountWidth - 3 * columnGap
  const rows = printed.map((row): PrintedRow => {
    const titleLines = paper.breakLines(row.title, detailsWidth, strong.look)
    const details = row.details === '' ? [] : paper.breakLines(row.details, detailsWidth, small.look)
    const height = titleLines.length * strong.step + details.length * small.step + 2 * rowPadding
    const { date, amount, balance } = row
    return { date, amount, balance, title: titleLines, details, height }
  })
  const top = topMargin + headHeight + gap
  const footLines = issuerLine === '' ? [] : paper.breakLines(issuerLine, width - 140, small.look)
  const footTop = sheet.height - bottomMargin - 13 - Math.max(1, footLines.length) * small.step
  const headRowHeight = strong.step + 2 * rowPadding
  const half = (width - 2 * gap) / 2
  const intro = stackBlocks(
    [
      textBlock(context, texts.name, width, title, 'H1'),
      textBlock(context, periodText, width, body),
      spacer(gap / 2),
      rowsBlock(context, facts, width),
      spacer(gap / 2),
      rowsBlock(context, summary, half + gap),
      spacer(gap / 2),
      ...(period.is_final ? [] : [textBlock(context, texts.notFinal, width, body), spacer(gap / 2)]),
      ...(rows.length === 0 ? [textBlock(context, texts.noLines, width, body)] : []),
    ],
    4,
  )
  const pages = divideRows(rows, {
    first: footTop - gap - top - intro.height - gap,
    later: footTop - gap - top,
    headRowHeight,
  })
  const columns = [
    sideMargin,
    sideMargin + dateWidth + columnGap,
    sideMargin + dateWidth + detailsWidth + 2 * columnGap,
    sideMargin + dateWidth + detailsWidth + amountWidth + 3 * columnGap,
  ] as const
  const drawHeadCell = (index: number, y: number) =>
    index < 2
      ? writeLines(context, [heads[index] ?? ''], columns[index] ?? 0, y, detailsWidth, strong)
      : writeLines(context, [heads[index] ?? ''], columns[index] ?? 0, y, amountWidth, alignEnd(strong))
  const table = rows.length > 0 ? structure.startTable : undefined
  let open: ReturnType<typeof structure.startTable> | undefined
  let place = 0
  pages.forEach((count, index) => {
    paper.addPage()
    const show = index === 0 ? (draw: () => void) => structure.part('P', draw) : paper.decorate
    show(() => {
      drawBird(paper, sideMargin, topMargin)
      paper.write(texts.brand, sideMargin + 46, topMargin + 31, { size: 30, face: 'display' })
      writeLines(context, [holder.name ?? holder.username], sideMargin, topMargin, width, alignEnd(strongStyle))
      writeLines(context, [`${currency} · ${periodText}`], sideMargin, topMargin + 20, width, alignEnd(body))
    })
    rule(context, sideMargin, topMargin + headHeight - 0.5, width, ink)
    let y = top
    if (index === 0) {
      intro.draw(sideMargin, y)
      y += intro.height + gap
    }
    if (count > 0) {
      const headTop = y + rowPadding
      if (open === undefined) {
        open = table?.()
        open?.row(heads.map((_, column) => ({ isHead: true, draw: () => drawHeadCell(column, headTop) })))
      } else paper.decorate(() => heads.forEach((_, column) => drawHeadCell(column, headTop)))
      y += headRowHeight
      rule(context, sideMargin, y - 0.5, width, ink)
      if (index > 0) {
        const carried = rows[place - 1]?.balance ?? ''
        const carriedTop = y + rowPadding
        paper.decorate(() => {
          writeLines(context, [texts.carriedOver], columns[1], carriedTop, detailsWidth, small)
          writeLines(context, [carried], columns[3], carriedTop, amountWidth, alignEnd(small))
        })
        y += headRowHeight
        rule(context, sideMargin, y - 0.5, width)
      }
    }
    for (const row of rows.slice(place, place + count)) {
      const rowTop = y + rowPadding
      open?.row([
        { draw: () => writeLines(context, [row.date], columns[0], rowTop, dateWidth, plain) },
        {
          draw: () => {
            writeLines(context, row.title, columns[1], rowTop, detailsWidth, strong)
            writeLines(context, row.details, columns[1], rowTop + row.title.length * strong.step, detailsWidth, small)
          },
        },
        { draw: () => writeLines(context, [row.amount], columns[2], rowTop, amountWidth, alignEnd(plain)) },
        { draw: () => writeLines(context, [row.balance], columns[3], rowTop, amountWidth, alignEnd(plain)) },
      ])
      y += row.height
      rule(context, sideMargin, y - 0.5, width)
    }
    place += count
    rule(context, sideMargin, footTop + 0.5, width, hairline)
    const page = texts.page({ number: counts.format(index + 1), count: counts.format(pages.length) })
    paper.decorate(() => {
      writeLines(context, footLines, sideMargin, footTop + 13, width, small)
      writeLines(context, [page], sideMargin, footTop + 13, width, alignEnd(small))
    })
  })
  open?.end()
  structure.end()
  paper.document.end()
  return written
}

interface PageRoom {
  /** Height for rows on the first page, and on later ones. */
  readonly first: number
  readonly later: number
  readonly headRowHeight: number
}

/** Returns the count of rows on each page. */
function divideRows(rows: readonly PrintedRow[], { first, later, headRowHeight }: PageRoom): number[] {
  const pages: number[] = [0]
  let free = first - headRowHeight
  for (const { height } of rows) {
    if (height > free) {
      pages.push(0)
      free = later - 2 * headRowHeight
    }
    free -= height
    pages[pages.length - 1] = (pages.at(-1) ?? 0) + 1
  }
  return pages
}
