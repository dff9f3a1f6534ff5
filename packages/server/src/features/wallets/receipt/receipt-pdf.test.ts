import { execFileSync } from 'node:child_process'
import { readCatalogues } from '../../../platform/messages.ts'
import { describe, expect, test } from 'vitest'
import type { Receipt } from '@tern/contract/transactions'
import type { PaperSize } from '../../../platform/paper/pdf-paper.ts'
import { receiptPdf } from './receipt-pdf.ts'
import { type PdfPage, readPdf } from '@tern/testkit/receipts/pdf'
import { difficultReceipts, longNote, receiptWith } from '@tern/testkit/receipts/receipts'

const messages = (await readCatalogues()).get('en')
const publicUrl = 'https://tern.example'
const sizes = { LETTER: [612, 792], A4: [595.28, 841.89] } as const
/** Page margins in points; `side` allows for rounding. */
const pageMargins = { side: 42 - 0.01, top: 36, bottom: 30 } as const

const renderReceiptFile = (receipt: Receipt, size: PaperSize): Promise<Buffer> => {
  if (!messages) throw new Error('there is no English catalogue')
  return receiptPdf(receipt, { messages, publicUrl, size })
}

const renderedFiles = new Map<string, Promise<Buffer>>()

/** Renders a receipt that is difficult to lay out; cached. */
function renderHardReceipt(name: string, size: PaperSize): Promise<Buffer> {
  const key = `${name} ${size}`
  const file = renderedFiles.get(key) ?? renderReceiptFile(difficultReceipts[name] ?? receiptWith(), size)
  renderedFiles.set(key, file)
  return file
}

const isOutside = ({ width, height }: PdfPage, left: number, right: number, top: number, bottom: number): boolean =>
  left < pageMargins.side ||
  right > width - pageMargins.side ||
  top < pageMargins.top ||
  bottom > height - pageMargins.bottom

const joinWords = ({ words }: PdfPage): string => words.map(({ text }) => text).join('')

describe.each(['LETTER', 'A4'] as const)('on %s', (size) => {
  const [width, height] = sizes[size]

  test.each(Object.keys(difficultReceipts))('%s stays inside the margins of its pages', async (name) => {
    const { pages } = readPdf(await renderHardReceipt(name, size))
    for (const page of pages) {
      expect([page.width, page.height]).toEqual([width, height])
      const outsideWords = page.words.filter(({ left, right, base }) =>
        isOutside(page, left, right, base - 6, base + 2),
      )
      expect(outsideWords).toEqual([])
    }
    pages.forEach((page, index) => {
      const text = joinWords(page)
      for (const part of ['Tern', 'TRN-488Z-52DX-06H0', 'Nov 20, 2026', 'Issued by Example Operator, Inc.']) {
        expect(text).toContain(part)
      }
      expect(text).toContain(`Page ${index + 1} of ${pages.length}`)
    })
  })

  test('a note of 500 letters continues to its last word on page 2, to which page 1 refers', async () => {
    const { pages } = readPdf(await renderReceiptFile(receiptWith({ description: longNote }), size))
    expect(pages).toHaveLength(2)
    const [first, second] = pages.map(joinWords)
    expect(first).toContain('Description and proof: page 2')
    expect(first).not.toContain('zuletzt')
    expect(second).toContain('zuletzt')
  })

  test('a short note needs one page, with all sums and the proof', async () => {
    const { pages } = readPdf(await renderReceiptFile(receiptWith(), size))
    expect(pages).toHaveLength(1)
    const texts = pages[0]?.words.map(({ text }) => text)
    for (const text of [
      ...[
        '$8,800.00',
        '$88.00',
        '$8,888.00',
        '€8,283.44',
        '8,806.16 USDT',
        '1 USD = 0.9413 EUR',
        '$8,722.88',
        '$165.12',
      ],
      ...['Rent', 'Check this receipt', `${publicUrl}/receipt?id=01a20289-bd22-711f-a95c-a469daac5eb6`],
    ]) {
      expect(texts).toContain(text)
    }
  })
})

test('a word of 500 letters and 166 lines lose nothing', async () => {
  const word = readPdf(
    await renderReceiptFile(receiptWith({ description: `${'W'.repeat(499)}Z` }), 'LETTER'),
  ).texts.join('')
  expect(word).toContain(`${'W'.repeat(499)}Z`)
  const lines = readPdf(await renderReceiptFile(receiptWith({ description: `${'ab\n'.repeat(166)}Z` }), 'LETTER')).texts
  expect(lines.filter((text) => text === 'ab')).toHaveLength(166)
  expect(lines).toContain('Z')
})

test.each([
  ['Vietnamese', 'Tuấn Nguyễn'],
  ['Yoruba', 'Ọlá Ẹ̀kọ́'],
  ['Chinese', '张伟'],
  ['Japanese', '山田 太郎'],
  ['Korean', '김정은'],
  ['Hindi', 'राहुल शर्मा'],
  ['Thai', 'น้ำ ใจดี'],
  ['Georgian', 'ქართული'],
  ['hieroglyphs, as a sign that is told as what was written', '𓀀𓀁'],
  ['pictures', 'Ann 👩‍👩‍👧🇫🇷'],
])('a name in %s can be read from the file', async (_, name) => {
  const change = { counterparty: { id: 2, username: 'other', name, country: 'US' } }
  const { texts } = readPdf(await renderReceiptFile(receiptWith(change), 'LETTER'))
  expect(texts.join('').replaceAll(/\s/g, '')).toContain(name.normalize('NFC').replaceAll(/\s/g, ''))
})

test.each([
  ['Arabic', 'محمد عبد الرحمن'],
  ['Hebrew', 'משה כהן'],
])('a name in %s is drawn from right to left', async (_, name) => {
  const change = { counterparty: { id: 2, username: 'other', name, country: 'US' } }
  const { pages } = readPdf(await renderReceiptFile(receiptWith(change), 'LETTER'))
  const visibleText = pages[0]?.words
    .filter(({ text }) => /[\p{sc=Arab}\p{sc=Hebr}]/u.test(text))
    .map(({ text }) => text)
    .join('')
  expect(visibleText).toContain(Array.from(name.replaceAll(' ', '')).toReversed().join(''))
})

test('letters join in Arabic: each has another shape alone than within its word', async () => {
  const readGlyphWidths = async (name: string) => {
    const file = readPdf(
      await renderReceiptFile(
        receiptWith({ counterparty: { id: 2, username: 'other', name, country: 'US' } }),
        'LETTER',
      ),
    )
    const [page] = file.pages
    const letters = page?.words.filter(({ text }) => text === 'م') ?? []
    return letters.map(({ left, right }) => Math.round(right - left)) // not money: a width
  }
  const [joinedGlyphWidths, isolatedWidths] = [await readGlyphWidths('محمد'), await readGlyphWidths('م م')]
  expect(new Set(joinedGlyphWidths)).not.toEqual(new Set(isolatedWidths))
})

test('facts that the installation leaves out are omitted', async () => {
  const receipt = { ...receiptWith(), issuer: { name: null, registration: null, license: null, contact: null } }
  const text = readPdf(await renderReceiptFile(receipt, 'A4')).texts.join('\n')
  expect(text).not.toMatch(/Issued by|registration|Write to|null|undefined/)
  expect(text).toContain('The ledger entry behind this receipt cannot be altered.')
})

test('the payee’s file shows neither the funding nor advice to freeze an account', async () => {
  const receipt = receiptWith({ transaction_type: 'RECEIVE', payment_source: null, fee: '0.00' })
  const text = readPdf(await renderReceiptFile({ ...receipt, price: null }, 'A4')).texts.join('\n')
  expect(text).not.toMatch(/Paid with|freeze/)
})

const hasPdftotext = (() => {
  try {
    execFileSync('pdftotext', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe.runIf(hasPdftotext)('other programs', () => {
  const read = (file: Buffer, ...options: string[]): string =>
    execFileSync('pdftotext', [...options, '-', '-'], { input: file, encoding: 'utf8' })

  test.each(Object.keys(difficultReceipts))('%s: find every word inside the margins', async (name) => {
    for (const size of ['LETTER', 'A4'] as const) {
      const [width, height] = sizes[size]
      const boxes = [
        ...read(await renderHardReceipt(name, size), '-bbox').matchAll(
          /<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)<\/word>/g,
        ),
      ]
      expect(boxes.length).toBeGreaterThan(20)
      const outsideBoxes = boxes.filter(
        ([, left, top, right, bottom]) =>
          isOutside({ width, height, words: [] }, Number(left), Number(right), Number(top), Number(bottom)), // not money: places
      )
      expect(outsideBoxes.map(([box]) => box)).toEqual([])
    }
  })

  test('find names and the last words in every script', async () => {
    for (const [name, note] of [
      ['محمد عبد الرحمن', 'والمبلغ سيصل'],
      ['משה כהן', 'שכר דירה'],
      ['राहुल शर्मा', 'किराया'],
      ['Tuấn Nguyễn', 'cảm ơn'],
      ['山田太郎', '房租'],
    ] as const) {
      const change = { counterparty: { id: 2, username: 'other', name, country: 'US' }, description: note }
      const text = read(await renderReceiptFile(receiptWith(change), 'A4'))
      expect(text).toContain(name)
      expect(text).toContain(note)
    }
  })
})

test('a proof that is too long for a code is left out, and the receipt keeps its pages', async () => {
  if (!messages) throw new Error('there is no English catalogue')
  const countPages = async (logProof: string | undefined) =>
    readPdf(await receiptPdf(receiptWith(), { messages, publicUrl, size: 'A4', logProof })).pages.length
  const count = await countPages(undefined)
  expect(await countPages(`${publicUrl}/verify#${'A'.repeat(2900)}`)).toBe(count + 1)
  expect(await countPages(`${publicUrl}/verify#${'A'.repeat(3000)}`)).toBe(count)
})
