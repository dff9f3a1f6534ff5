import { describe, expect, test } from 'vitest'
import { requiredText, text } from '../wire.ts'

const parse = (input: string) => {
  const { success, data, error } = text(60).safeParse(input)
  return success ? data : error?.issues[0]?.message
}

describe('text without a glyph is empty', () => {
  const blanks = [
    ['ideographs', '\u3164 \uFFA0 \u115F \u1160'],
    ['Braille', '\u2800'],
    ['soft hyphens and joiners', '\u00AD \u034F \u200B \u200C \u200D \u2060 \u2061 \u2062 \u2063 \u2064 \uFEFF'],
    ['Mongolian', '\u180B \u180E'],
    ['variation selectors', '\uFE00 \uFE0F \u{E0100} \u{E01EF}'],
    ['tags', '\u{E0001} \u{E0020} \u{E0041} \u{E007F}'],
    ['direction marks', '\u061C \u200E \u200F \u202A \u202B \u202C \u202D \u202E \u2066 \u2067 \u2068 \u2069'],
    ['white space', '\u0020 \u00A0 \u1680 \u2003 \u2028 \u2029 \u202F \u205F \u3000 \u0009 \u000A'],
    ['annotation marks, musical and hieroglyphic blanks', '\uFFF9 \uFFFB \u{1D159} \u{13441} \u{16FE4}'],
    ['Khmer and reserved ones', '\u17B4 \u17B5 \u206A \u206F \u{E0FFF}'],
  ] as const
  test.each(blanks)('%s', (_name, characters) => {
    for (const character of [...characters.split(' '), characters, '\u2800\uFE0F\u200D', '\u{16FE4}\u200D']) {
      const result = requiredText(60, 'name_required').safeParse(character)
      expect(
        result.error?.issues.map(({ message }) => message),
        JSON.stringify(character),
      ).toEqual(['name_required'])
    }
  })
})

describe('invisible characters that shape what precedes them stay', () => {
  test.each([
    ['a red heart', '❤️'],
    ['a family', '👩‍👩‍👧‍👦'],
    ['a rainbow flag', '🏳️‍🌈'],
    ['a waving hand', '👋🏽 Ana'],
    ['the flag of England', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'],
    ['a keycap', '1️⃣'],
    ['Persian', 'می‌خواهم'],
    ['Devanagari', 'क्‍ष'],
    ['a Malayalam chillu at the end', 'അവന്‍'],
    ['Sinhala', 'ශ්‍රී'],
    ['an ideographic variant', '葛\u{E0100}城'],
    ['Mongolian', 'ᠠ\u180Bᠡ'],
    ['combining marks', 'Nguyễn Thị e\u0301'],
    ['Hebrew and Arabic', 'שרה كريم'],
  ])('%s', (_name, input) => expect(parse(input)).toBe(input))
})

describe('other invisible characters are removed', () => {
  test.each([
    ['Ann\u202ELee', 'AnnLee'],
    ['\u2066Ann\u2069 Lee', 'Ann Lee'],
    ['\u200EAnn Lee\u200F', 'Ann Lee'],
    ['An\u200Dna', 'Anna'],
    ['Ana\uFE0F', 'Ana'],
    ['A\u{E0041}\u{E007F}na', 'Ana'],
    ['❤\uFE0F\uFE0F\uFE0E', '❤️'],
    ['\u3164Ann\u3164Lee\u2800', 'AnnLee'],
    ['\u00A0\u3000Ann Lee\u2003', 'Ann Lee'],
    ['⠠⠁⠀⠃', '⠠⠁⠀⠃'],
  ])('%j is read as %j', (input, expected) => expect(parse(input)).toBe(expected))
})

test.each([
  ['\uD83C', 'broken_characters'],
  ['\uDF54', 'broken_characters'],
  ['Lunch \uD83C!', 'broken_characters'],
  ['\uDF54\uD83C', 'broken_characters'],
  ['a\u0000b', 'control_characters'],
  ['a\u0007', 'control_characters'],
  ['a\u0085b', 'control_characters'],
  ['x'.repeat(61), 'too_long'],
])('%j is refused: %s', (input, code) => expect(parse(input)).toBe(code))

test.each([' ', '\t', '\n', '\u00a0', '\u2800', '\u0301'])(
  'a long run of %j takes less than a second of processor time',
  (blank) => {
    const cpuBefore = process.cpuUsage()
    expect(parse(`x${blank.repeat(60_000)}x`)).toBe('too_long')
    expect(process.cpuUsage(cpuBefore).user).toBeLessThan(1_000_000)
  },
)
