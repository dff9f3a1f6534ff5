/** Why a number is refused: how it is written, no such number is ever issued, or it is a taxpayer number of the US. */
export type NumberProblem = 'format' | 'never_issued' | 'itin'

interface Rule {
  /** Letters and digits of a number, without punctuation. */
  readonly format: RegExp
  /** Punctuation of the stored form, with `#` for each letter or digit; none if absent. */
  readonly shape?: string
  /** Punctuation that has to be typed; elsewhere any grouping is accepted. */
  readonly typed?: RegExp
  /** Whether the letters and digits can have been issued. */
  readonly isIssued: (number: string) => boolean
}

// not money: digits of an identity number, and what they are compared with
const valueOf = (digits: string): number => Number(digits)
const digitsOf = (number: string): number[] => Array.from(number, valueOf)

/** The sum of the digits, each times the weight at its place. */
const weighted = (number: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * valueOf(number.charAt(index)), 0)

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(number: string): boolean {
  const doubled = digitsOf(number).map((digit, index) => ((number.length - index) % 2 === 0 ? digit * 2 : digit))
  return doubled.reduce((sum, value) => sum + (value > 9 ? value - 9 : value), 0) % 10 === 0
}

/**
 * Numbers that wallets, advertisements and a leaflet of the Social Security Administration printed. They are nobody's, and the
 * first was claimed by 40,000 people: Social Security Administration, "Social Security Cards Issued by Woolworth".
 */
const printedSsns: ReadonlySet<string> = new Set(
  `022281852 042103580 062360749 078051120 095073645 128036045 135016629 141186941 165167999 165187999 165207999 165227999
  165247999 189092294 212097694 212099999 219099999 306302348 308125070 457555462 468288779 549241889`.split(/\s+/),
)

/**
 * Social Security number. No area 000, 666 or 9xx, no group 00, no serial 0000: Social Security Administration, "Social
 * Security Number Randomization" and POMS RM 10201.035. There is no check digit.
 */
const isSsn = (number: string) => !/^(?:000|666|9)|^...00|0000$/.test(number) && !printedSsns.has(number)

/**
 * Individual Taxpayer Identification Number, for people without an SSN: the groups that the IRS assigns (Publication 1915). Those from
 * 987-65-4320 on are for advertisements.
 */
const isItin = (number: string) =>
  /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])/.test(number) && !number.startsWith('98765432')

/** National Insurance number. The prefixes that are never used: HM Revenue & Customs, NIM39110. */
const isNino = (number: string) =>
  /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(number)

/**
 * Social Insurance number: Luhn's check digit. No person's number begins with 0, and 8 is for businesses: Employment and
 * Social Development Canada, "The Social Insurance Number Code of Practice", and Canada Revenue Agency.
 */
const isSin = (number: string) => /^[^08]/.test(number) && passesLuhn(number)

/**
 * Tax file number: weights and modulus 11, as the Australian Taxation Office gives them to software developers. Those of eight digits,
 * issued to the first taxpayers, are found with the weights of nine digits or with weights of their own.
 */
const isTfn = (number: string) =>
  weighted(number, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0 ||
  (number.length === 8 && weighted(number, [10, 7, 8, 4, 6, 3, 5, 1]) % 11 === 0)

/**
 * Tax identification number (IdNr): ISO 7064 mod 11,10. Of the first ten digits one stands twice or three times, never three
 * times side by side, and no other more than once: § 139b AO, and Bundeszentralamt für Steuern, "Prüfzifferberechnung".
 */
function isTin(number: string): boolean {
  const first = number.slice(0, 10)
  const counts = Array.from('0123456789')
    .map((digit) => first.split(digit).length - 1)
    .filter((count) => count > 1)
  if (number.startsWith('0') || counts.length !== 1 || counts.some((count) => count > 3) || /(.)\1\1/.test(first))
    return false
  let product = 10
  for (const digit of digitsOf(first)) product = (((digit + product) % 10 || 10) * 2) % 11
  return (11 - product) % 10 === valueOf(number.charAt(10))
}

/**
 * Numéro d'inscription au répertoire: 13 characters and the key 97 − (number mod 97); Corsica's 2A counts as 19 and 2B as 18.
 * Months above 12 stand for a date of birth that is not known. INSEE, "Numéro de sécurité sociale", and décret 82-103.
 */
function isNir(number: string): boolean {
  const month = valueOf(number.slice(3, 5))
  if (!/^[1-478]/.test(number) || month === 0 || (month > 12 && month < 20) || (month > 42 && month < 50)) return false
  const body = number.slice(0, 13).replace('2A', '19').replace('2B', '18')
  return 97 - (valueOf(body) % 97) === valueOf(number.slice(13))
}

/** Individual Number: Ordinance 85 of the Ministry of Internal Affairs and Communications of 2014, article 5. */
function isMyNumber(number: string): boolean {
  const rest = weighted(number, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
  return (rest <= 1 ? 0 : 11 - rest) === valueOf(number.charAt(11))
}

/** By the first letter: what is added to the sum, and the check letter for each rest. */
const nricLetters: { readonly [first: string]: readonly [added: number, letters: string] } = {
  S: [0, 'JZIHGFEDCBA'],
  T: [4, 'JZIHGFEDCBA'],
  F: [0, 'XWUTRQPNMLK'],
  G: [4, 'XWUTRQPNMLK'],
  M: [3, 'XWUTRQPNJLK'],
}

/**
 * NRIC and FIN numbers: weights 2 7 6 5 4 3 2 and modulus 11, as published for the Immigration & Checkpoints Authority's series
 * S, T, F and G, and M (from 2022).
 */
function isNric(number: string): boolean {
  const [added, letters] = nricLetters[number.charAt(0)] ?? [0, '']
  return letters[(weighted(number.slice(1), [2, 7, 6, 5, 4, 3, 2]) + added) % 11] === number[8]
}

/** One step in the group of a pentagon's turns (0 to 4) and flips (5 to 9). */
function composed(one: number, other: number): number {
  const turn = one < 5 ? one + other : one - other + 10
  return (turn % 5) + (one < 5 === other < 5 ? 0 : 5)
}
const permutation = '1576283094'

/**
 * Aadhaar: Verhoeff's check digit, never beginning with 0 or 1, and never the same read backwards: UIDAI, "A UID Numbering Scheme"
 * (2010).
 */
function isAadhaar(number: string): boolean {
  let check = 0
  for (const [place, digit] of digitsOf(number).toReversed().entries()) {
    let permuted = digit
    for (let times = 0; times < place % 8; times += 1) permuted = valueOf(permutation.charAt(permuted))
    check = composed(check, permuted)
  }
  const isPalindrome = number === number.split('').toReversed().join('')
  return check === 0 && !/^[01]/.test(number) && !isPalindrome
}

/** Cadastro de Pessoas Físicas: two check digits, modulus 11, as the Receita Federal publishes them. */
const isCpf = (number: string) =>
  [9, 10].every((length) => {
    const weights = Array.from({ length }, (_, index) => length + 1 - index)
    return ((weighted(number, weights) * 10) % 11) % 10 === valueOf(number.charAt(length))
  })

const rules: { readonly [countryCode: string]: Rule } = {
  US: {
    format: /^\d{9}$/,
    shape: '###-##-####',
    // "Three digits, two digits, four digits with dashes": the only country whose groups have to be typed.
    typed: /^\d{3}\D+\d\d\D+\d{4}$/,
    isIssued: isSsn,
  },
  GB: { format: /^[A-Z]{2}\d{6}[A-Z]$/, isIssued: isNino },
  CA: { format: /^\d{9}$/, shape: '###-###-###', isIssued: isSin },
  AU: { format: /^\d{8,9}$/, shape: '### ### ###', isIssued: isTfn },
  DE: { format: /^\d{11}$/, isIssued: isTin },
  FR: { format: /^\d{5}(?:\d\d|2[AB])\d{8}$/, shape: '# ## ## ##### ### ##', isIssued: isNir },
  JP: { format: /^\d{12}$/, shape: '####-####-####', isIssued: isMyNumber },
  SG: { format: /^[STFGM]\d{7}[A-Z]$/, isIssued: isNric },
  IN: { format: /^\d{12}$/, shape: '#### #### ####', isIssued: isAadhaar },
  BR: { format: /^\d{11}$/, shape: '###.###.###-##', isIssued: isCpf },
}

/**
 * A number as it is compared: plain letters and digits in capitals, any kind of space as a space and any kind of dash as `-`. Marks
 * that cannot be seen are left out.
 */
export const spellNumber = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    // The last is what Japanese keyboards type for a dash.
    .replaceAll(/[\p{Pd}\u2212\u2500\u30FC]/gu, '-')
    .replaceAll(/[\u00B7\u2022\u30FB]/gu, '.')
    .trim()

/** Letters and digits of a number; undefined where anything but punctuation between them stands there too. */
function plainNumber(text: string): string | undefined {
  const written = spellNumber(text)
  return /^[\dA-Z]+(?:[ ./-]{1,3}[\dA-Z]+)*$/.test(written) ? written.replaceAll(/[ ./-]/g, '') : undefined
}

/** Puts the punctuation of `shape` between letters and digits, as far as there are any. */
function groupedAs(shape: string, plain: string): string {
  let grouped = ''
  let at = 0
  for (const sign of shape) {
    if (at === plain.length) break
    grouped += sign === '#' ? plain.charAt(at) : sign
    if (sign === '#') at += 1
  }
  return grouped
}

/**
 * Reads a national number of the country with this ISO code, however tax offices and people group it, and returns it in its stored
 * form, such as "123-45-6789"; or why it cannot be anybody's. One digit repeated is never issued.
 */
export function readNationalId(
  countryCode: string,
  text: string,
): { readonly number: string } | { readonly problem: NumberProblem } {
  const rule = rules[countryCode]
  const plain = plainNumber(text)
  if (!rule || plain === undefined || !rule.format.test(plain)) return { problem: 'format' }
  if (rule.typed && !rule.typed.test(spellNumber(text))) return { problem: 'format' }
  if (new Set(plain.replaceAll(/[A-Z]/g, '')).size === 1) return { problem: 'never_issued' }
  if (countryCode === 'US' && isItin(plain)) return { problem: 'itin' }
  if (!rule.isIssued(plain)) return { problem: 'never_issued' }
  return { number: rule.shape === undefined ? plain : groupedAs(rule.shape, plain) }
}

/** Why a national number is refused; undefined if it can be somebody's. */
export function nationalIdProblem(countryCode: string, text: string): NumberProblem | undefined {
  const read = readNationalId(countryCode, text)
  return 'problem' in read ? read.problem : undefined
}

/** Why an Indian permanent account number is refused. */
export type PanProblem = 'format' | 'not_personal' | 'never_issued'

/**
 * Reads an Indian permanent account number as the Income Tax Department prints it. Its fourth letter is the kind of holder, P for a
 * person, and its serial number begins at 0001.
 */
export function readPan(text: string): { readonly number: string } | { readonly problem: PanProblem } {
  const number = plainNumber(text) ?? ''
  if (!/^[A-Z]{5}\d{4}[A-Z]$/.test(number)) return { problem: 'format' }
  if (number.charAt(3) !== 'P') return { problem: 'not_personal' }
  return number.includes('0000') ? { problem: 'never_issued' } : { number }
}

/**
 * Whether an Australian Medicare number can have been issued: ten digits, with or without the number of the person on the
 * card, however grouped, and the ninth a check digit. Services Australia, as AIHW's METeOR 270101 gives it.
 */
export function isMedicareNumber(text: string): boolean {
  const number = plainNumber(text) ?? ''
  return /^[2-6]\d{9}\d?$/.test(number) && weighted(number, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === valueOf(number.charAt(8))
}
