// Folds text of rows and of searches alike: removes case, accents, widths and invisible characters.

/** Plain forms of lower-case letters that Unicode does not decompose. */
const letters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i', ŋ: 'ng', ə: 'a', ŧ: 't' },
  ...{ ĸ: 'k', ƀ: 'b', ɓ: 'b', ɖ: 'd', ɗ: 'd', ɛ: 'e', ƒ: 'f', ǥ: 'g', ɠ: 'g', ɨ: 'i', ƙ: 'k', ƚ: 'l', ɲ: 'n' },
  ...{ ɔ: 'o', ʉ: 'u', ƴ: 'y', ƶ: 'z', ς: 'σ' },
}
const letterPattern = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu')
const isPlain = (text: string): boolean => !/[^\u0020-\u007e]/.test(text)

/** Returns the Latin form of a decimal digit. Every script has its ten digits in sequence. */
function toLatinDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1
  return String(value)
}

/**
 * Folded text: lower case without accents, with Latin digits, after compatibility normalization, so that Straße equals
 * STRASSE.
 */
export function foldText(text: string): string {
  if (isPlain(text)) return text.toLowerCase()
  return (
    text
      // Upper case first, since some letters have several lower-case forms.
      .toUpperCase()
      .normalize('NFKD')
      .replaceAll(/[\p{Mn}\p{Default_Ignorable_Code_Point}\u0640]/gu, '')
      .normalize('NFC')
      .toLowerCase()
      .replaceAll(letterPattern, (letter) => letters[letter] ?? letter)
      .replaceAll(/(?!\d)\p{Nd}/gu, toLatinDigit)
  )
}

/** SQL: text without case and accents, for sorting. */
export function foldSql(text: string): string {
  const singleReplacements = Object.entries(letters).filter(([, plain]) => plain.length === 1 && plain !== 'σ')
  const upper = singleReplacements.filter(
    ([letter]) => letter.toUpperCase().length === 1 && letter !== 'ı' && letter !== 'ĸ',
  )
  const from = [...singleReplacements.map(([letter]) => letter), ...upper.map(([letter]) => letter.toUpperCase())].join(
    '',
  )
  const to = [...singleReplacements, ...upper].map(([, plain]) => plain).join('')
  const longReplacements = Object.entries(letters).filter(([, plain]) => plain.length > 1)
  const withoutMarksSql = `regexp_replace(normalize(${text}, nfkd), '[\u0300-\u036f]', '', 'g')`
  const replacedSql = longReplacements
    .flatMap(([letter, plain]) => [letter, letter === 'ß' ? 'ẞ' : letter.toUpperCase()].map((each) => [each, plain]))
    .reduce((sql, [letter, plain]) => `replace(${sql}, '${letter}', '${plain}')`, withoutMarksSql)
  return `lower(translate(${replacedSql}, '${from}', '${to}'))`
}
