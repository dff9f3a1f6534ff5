import { describe, expect, test } from 'vitest'
import { csvLine } from './csv.ts'

const cell = (value: unknown) => csvLine([value]).replace(/\r\n$/, '')

/** Splits a line into cells as a spreadsheet with this `separator` does. */
function readCells(line: string, separator: string): string[] {
  const cells: string[] = []
  let text = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at += 1) {
    const next = line[at] ?? ''
    if (isQuoted && next === '"' && line[at + 1] === '"') {
      text += next
      at += 1
    } else if (next === '"' && (isQuoted || text === '')) isQuoted = !isQuoted
    else if (!isQuoted && (next === separator || next === '\r' || next === '\n')) {
      cells.push(text)
      text = ''
    } else text += next
  }
  return [...cells, text]
}

/** Whether a spreadsheet runs a text as a formula, after dropping trimmed or hidden characters and normalizing wide forms. */
const runs = (text: string): boolean => {
  const shown = text.normalize('NFKC').replaceAll(/[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
  return /^[=+\-@\u2212\p{Pd}]/u.test(shown) && !/^-?\d+(\.\d+)?$/.test(shown)
}

const call = 'HYPERLINK("http://x","y")'
const signs = [
  '=',
  '+',
  '-',
  '@',
  '＝',
  '＋',
  '－',
  '＠',
  '﹦',
  '﹢',
  '﹣',
  '﹫',
  '−',
  '‐',
  '–',
  '—',
  '⁺',
  '⁻',
  '⁼',
  '₊',
]
const befores: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['a space', ' '],
  ['a no-break space', '\u00a0'],
  ['a narrow no-break space', '\u202f'],
  ['an ideographic space', '\u3000'],
  ['an em space', '\u2003'],
  ['a tab', '\t'],
  ['a carriage return', '\r'],
  ['a line break', '\n'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a byte order mark', '\ufeff'],
  ['a soft hyphen', '\u00ad'],
  ['a word joiner', '\u2060'],
  ['a right-to-left mark', '\u200f'],
  ['a Hangul filler', '\u3164'],
  ['a Braille blank', '\u2800'],
  ['a null', '\0'],
  ['several of them', '\ufeff \u200b\t'],
]

describe('a cell that begins with a formula character', () => {
  test.each(befores)('after %s is text, whichever separator a spreadsheet takes', (_, before) => {
    for (const sign of signs) {
      for (const start of ['', 'x;', 'x,', 'x\t', 'x\n', 'x\r\n', 'x|', 'x;"']) {
        const text = `${start}${before}${sign}${call}`
        for (const separator of [',', ';', '\t', '|']) {
          const line = csvLine(['before', text, 'after'])
          expect(readCells(line, separator).filter(runs), JSON.stringify([text, separator])).toEqual([])
        }
      }
    }
  })
})

test('numbers, amounts and ordinary texts stay as they are', () => {
  const texts = ['-12.50', '0', 'Rent = 5', 'a-b', "it's", 'jane@tern.example', '1 + 1', 'Ωmega', '']
  expect(texts.map(cell)).toEqual(texts)
  expect(cell(-5n)).toBe('-5')
  expect(cell(null)).toBe('')
  expect(cell(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
  expect(cell('two, words')).toBe('"two, words"')
  expect(cell('say "hi"')).toBe('"say ""hi"""')
  expect(cell({ a: '-x' })).toBe('"{""a"":""-x""}"')
  expect(csvLine(['a', 'b'])).toBe('a,b\r\n')
})
