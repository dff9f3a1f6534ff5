import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvHead, csvLine, guardText } from './csv.ts'

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

/**
 * Returns whether a spreadsheet would run a text as a formula, once it drops trimmed or hidden characters and
 * normalizes wide forms.
 */
const startsFormula = (text: string): boolean => {
  const visibleText = text.normalize('NFKC').replaceAll(/[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
  return /^[=+\-@\u2212\p{Pd}]/u.test(visibleText) && !/^-?\d+(\.\d+)?$/.test(visibleText)
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
  '⩵',
  '⩶',
  '﬩',
]
const prefixes: readonly (readonly [string, string])[] = [
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
  test.each(prefixes)('after %s is text, under any separator of a spreadsheet', (_, prefix) => {
    for (const sign of signs) {
      for (const start of ['', 'x;', 'x,', 'x\t', 'x\n', 'x\r\n', 'x|', 'x;"']) {
        const text = `${start}${prefix}${sign}${call}`
        for (const separator of [',', ';', '\t', '|']) {
          const line = csvLine(['before', text, 'after'])
          expect(readCells(line, separator).filter(startsFormula), JSON.stringify([text, separator])).toEqual([])
        }
      }
    }
  })
})

test('numbers stay numbers; texts are quoted, ordinary ones unchanged', () => {
  const numbers = ['-12.50', '0', '-0.01', '123456789012345', '-5']
  expect(numbers.map(cell)).toEqual(numbers)
  expect(cell(-5n)).toBe('-5')
  expect(cell(-123_456_789_012_345_678n)).toBe('-123456789012345678')
  const texts = ['Rent = 5', 'a-b', "it's", 'jane@tern.example', '1 + 1', 'Ωmega', '', 'two, words', 'José 李雷 ₹']
  expect(texts.map(cell)).toEqual(texts.map((text) => `"${text}"`))
  expect(cell('say "hi"')).toBe('"say ""hi"""')
  expect(cell(null)).toBe('')
  expect(cell(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"')
  expect(cell({ a: '-x' })).toBe('"{""a"":""-x""}"')
  expect(csvLine([1n, 'b'])).toBe('1,"b"\r\n')
})

test.each([
  '0012345678901234567',
  '1234567890123456',
  '1E5',
  '1/2',
  'MARCH1',
  '007',
  '1.',
  '.5',
  '１２',
  '-5,00',
  '−5.00',
])('%s is text, in quotes', (text) => {
  expect(cell(text)).toBe(`"${guardText(text)}"`)
})

test.each([
  ['=1+1', "'=1+1"],
  ["'=1+1", "''=1+1"],
  ['x;=1+1', "x;'=1+1"],
  ['x";=1+1;"', `x";'=1+1;"`],
  ['rent;=1+1;ok', "rent;'=1+1;ok"],
  ['x；＝1+1', "x；'＝1+1"],
  [' =1+1', "' =1+1"],
  ['-5,00', "'-5,00"],
  ['−5.00', "'−5.00"],
  ['\tx', "'\tx"],
  ['\r=1', "'\r'=1"],
  ['a\u2028@x', "a\u2028'@x"],
  ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
  ['rent|@SUM(1+1)*cmd', "rent|'@SUM(1+1)*cmd"],
  ['(+49) 30 1234', '(+49) 30 1234'],
  ['=', "'="],
  ['x,,-1', "x,,'-1"],
  ["x;'+1", "x;''+1"],
])('%j is written as %j', (text, writtenText) => {
  expect(guardText(text)).toBe(writtenText)
})

test('a file begins with the byte-order mark of UTF-8', () => {
  expect([...Buffer.from(csvHead(['id', 'description'])).subarray(0, 5)]).toEqual([0xef, 0xbb, 0xbf, 0x69, 0x64])
})

const unseenPattern = String.raw`[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800"']*`
const signsPattern = String.raw`[=+@＝＋＠﹦﹢﹫⁼⁺₌₊⁻₋⩵⩶﬩\u2212\p{Pd}]`
const separatorPattern = String.raw`[,;|，；｜、\t\v\f\r\n\u0085\u2028\u2029]`
/** Matches the apostrophes that a reader removes to restore the original. */
const guardPattern = new RegExp(
  String.raw`(?<=^|${separatorPattern})'(?=${unseenPattern}${signsPattern})|^'(?='*[\t\r\n])`,
  'gu',
)
const removeGuards = (text: string): string => text.replaceAll(guardPattern, '')

const textArbitrary = fc
  .array(
    fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      "'",
      "''",
      '"',
      ';',
      ',',
      '|',
      '\t',
      '\r',
      '\n',
      ' ',
      'x',
      '1',
      '＝',
      '−',
      '；',
    ),
  )
  .map((parts) => parts.join(''))

test('a guarded text can be restored, and none of its cells is a formula under any separator', () => {
  fc.assert(
    fc.property(fc.oneof(textArbitrary, fc.string({ unit: 'binary' })), (text) => {
      expect(removeGuards(guardText(text))).toBe(text)
      for (const separator of [',', ';', '\t', '|', '；']) {
        const cells = readCells(csvLine(['before', text, 'after']), separator)
        expect(cells.filter(startsFormula)).toEqual([])
      }
    }),
    { seed: 20_261_128, numRuns: 2000 },
  )
})
