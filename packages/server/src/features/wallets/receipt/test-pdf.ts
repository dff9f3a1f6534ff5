// Reads the text of the PDFs that the product writes: one page, embedded typefaces with a table from glyphs to letters.

import { inflateSync } from 'node:zlib'

/** The objects of a file by their numbers, their streams inflated. */
function objectsOf(file: Buffer): Map<number, { head: string; stream: string }> {
  const text = file.toString('latin1')
  const objects = new Map<number, { head: string; stream: string }>()
  for (const found of text.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const [, number = '', body = ''] = found
    const [head = '', rest] = body.split(/stream\n/, 2)
    const begin = (found.index ?? 0) + found[0].indexOf('stream\n') + 'stream\n'.length
    const length = Number(/\/Length (\d+)/.exec(head)?.[1] ?? 0) // not money: a number in a file
    const bytes = file.subarray(begin, begin + length)
    const isPacked = head.includes('/FlateDecode')
    const stream = rest === undefined ? '' : (isPacked ? inflateSync(bytes) : bytes).toString('latin1')
    objects.set(Number(number), { head, stream }) // not money: a number in a file
  }
  return objects
}

const lettersOf = (hex: string): string => Buffer.from(hex, 'hex').swap16().toString('utf16le')

/** A typeface's letters by their glyphs, four hexadecimal figures each. */
function glyphsOf(table: string): Map<string, string> {
  const glyphs = new Map<string, string>()
  for (const [, range = ''] of table.matchAll(/beginbfrange\n([\s\S]*?)\nendbfrange/g)) {
    for (const [, first = '', letters = ''] of range.matchAll(/<(\w{4})> <\w{4}> \[([^\]]*)\]/g)) {
      ;[...letters.matchAll(/<(\w+)>/g)].forEach(([, letter = ''], index) => {
        const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0') // not money: a number in a file
        glyphs.set(glyph, lettersOf(letter))
      })
    }
  }
  return glyphs
}

/** What a PDF of the product says: its texts in the order of reading, and the parts it is made of for screen readers. */
export function readPdf(file: Buffer): { texts: string[]; parts: string[]; head: string } {
  const objects = objectsOf(file)
  const all = [...objects.values()]
  const glyphs = new Map<string, Map<string, string>>()
  for (const { head } of all) {
    for (const [, name = '', number] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const font = objects.get(Number(number))?.head ?? '' // not money: a number in a file
      const table = objects.get(Number(/\/ToUnicode (\d+) 0 R/.exec(font)?.[1])) // not money: a number in a file
      if (table) glyphs.set(name, glyphsOf(table.stream))
    }
  }
  const page = all.find(({ head }) => head.includes('/Type /Page\n'))?.head ?? ''
  const content = objects.get(Number(/\/Contents (\d+) 0 R/.exec(page)?.[1]))?.stream ?? '' // not money: a number in a file
  let font = ''
  const texts: string[] = []
  for (const [, name, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (name !== undefined) font = name
    if (shown === undefined) continue
    const codes = [...shown.matchAll(/<(\w+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
    texts.push(codes.map((code) => glyphs.get(font)?.get(code.toLowerCase()) ?? '\ufffd').join(''))
  }
  const parts = all.flatMap(({ head }) => /\/S \/(\w+)/.exec(head)?.[1] ?? [])
  return { texts, parts, head: all.map(({ head }) => head).join('\n') }
}
