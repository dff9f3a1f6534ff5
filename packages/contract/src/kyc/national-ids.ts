/** Reason for refusing a number: wrong format, never issued, or a US taxpayer number (ITIN) in place of an SSN. */
export type NumberProblem = 'format' | 'never_issued' | 'itin'

interface Rule {
  /** Letters and digits of a number, without punctuation. */
  readonly format: RegExp
  /**
   * Format of the stored form, with `#` for each letter or digit; without it, the number is stored without punctuation.
   */
  readonly shape?: string
  /** Required punctuation; without it, any grouping is accepted. */
  readonly requiredPunctuation?: RegExp
  /** Reports whether such a number can have been issued. */
  readonly isIssued: (number: string) => boolean
}

// not money: digits of an identity number
const parseDigits = (digits: string): number => Number(digits)
const splitDigits = (number: string): number[] => Array.from(number, parseDigits)

/** Returns the sum of the digits, each multiplied by the weight at its position. */
const sumWeighted = (number: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * parseDigits(number.charAt(index)), 0)

/** Luhn check: ISO/IEC 7812-1, annex B. */
function passesLuhn(number: string): boolean {
  const doubledDigits = splitDigits(number).map((digit, index) =>
    (number.length - index) % 2 === 0 ? digit * 2 : digit,
  )
  return doubledDigits.reduce((sum, value) => sum + (value > 9 ? value - 9 : value), 0) % 10 === 0
}

/**
 * Numbers printed on wallets, in advertisements and in a leaflet of the Social Security Administration, which belong to
 * no person. 40,000 people used the first as their own: Social Security Administration, "Social Security Cards Issued
 * by Woolworth".
 */
const publishedSsns: ReadonlySet<string> = new Set(
  `022281852 042103580 062360749 078051120 095073645 128036045 135016629 141186941 165167999 165187999 165207999 165227999
  165247999 189092294 212097694 212099999 219099999 306302348 308125070 457555462 468288779 549241889`.split(/\s+/),
)

/**
 * Social Security number. No area 000, 666 or 9xx, no group 00, no serial 0000: Social Security Administration, "Social
 * Security Number Randomization" and POMS RM 10201.035. There is no check digit.
 */
const isSsn = (number: string) => !/^(?:000|666|9)|^...00|0000$/.test(number) && !publishedSsns.has(number)

/**
 * Individual Taxpayer Identification Number, for people without an SSN: the groups that the IRS assigns (Publication
 * 1915). Numbers from 987-65-4320 are reserved for advertisements.
 */
const isItin = (number: string) =>
  /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])/.test(number) && !number.startsWith('98765432')

/** National Insurance number. Excluded prefixes: HM Revenue & Customs, NIM39110. */
const isNino = (number: string) =>
  /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(number)

/**
 * Social Insurance number with a Luhn check digit. Numbers of persons never begin with 0, and 8 is for businesses:
 * Employment and Social Development Canada, "The Social Insurance Number Code of Practice", and Canada Revenue Agency.
 */
const isSin = (number: string) => /^[^08]/.test(number) && passesLuhn(number)

/**
 * Tax file number: weights and modulus 11, as the Australian Taxation Office publishes them to software developers.
 * Eight-digit numbers, issued to the first taxpayers, are valid under the nine-digit weights or under their own.
 */
const isTfn = (number: string) =>
  sumWeighted(number, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0 ||
  (number.length === 8 && sumWeighted(number, [10, 7, 8, 4, 6, 3, 5, 1]) % 11 === 0)

/**
 * Tax identification number (IdNr): ISO 7064 mod 11,10. Exactly one of the first ten digits occurs two or three times,
 * never three times in a row; no other repeats: § 139b AO, and Bundeszentralamt für Steuern, "Prüfzifferberechnung".
 */
function isTin(number: string): boolean {
  const first = number.slice(0, 10)
  const counts = Array.from('0123456789')
    .map((digit) => first.split(digit).length - 1)
    .filter((count) => count > 1)
  if (number.startsWith('0') || counts.length !== 1 || counts.some((count) => count > 3) || /(.)\1\1/.test(first))
    return false
  let product = 10
  for (const digit of splitDigits(first)) product = (((digit + product) % 10 || 10) * 2) % 11
  return (11 - product) % 10 === parseDigits(number.charAt(10))
}

/**
 * Numéro d'inscription au répertoire: 13 characters and the key 97 − (number mod 97); Corsica's 2A counts as 19 and 2B
 * as 18. Months above 12 mark an unknown date of birth. INSEE, "Numéro de sécurité sociale", and décret 82-103.
 */
function isNir(number: string): boolean {
  const month = parseDigits(number.slice(3, 5))
  if (!/^[1-478]/.test(number) || month === 0 || (month > 12 && month < 20) || (month > 42 && month < 50)) return false
  const body = number.slice(0, 13).replace('2A', '19').replace('2B', '18')
  return 97 - (parseDigits(body) % 97) === parseDigits(number.slice(13))
}

/** Individual Number: Ordinance 85 of the Ministry of Internal Affairs and Communications of 2014, article 5. */
function isMyNumber(number: string): boolean {
  const remainder = sumWeighted(number, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
  return (remainder <= 1 ? 0 : 11 - remainder) === parseDigits(number.charAt(11))
}

/** Offset added to the sum and check letter for each remainder, by first letter. */
const nricLetters: { readonly [first: string]: readonly [added: number, letters: string] } = {
  S: [0, 'JZIHGFEDCBA'],
  T: [4, 'JZIHGFEDCBA'],
  F: [0, 'XWUTRQPNMLK'],
  G: [4, 'XWUTRQPNMLK'],
  M: [3, 'XWUTRQPNJLK'],
}

/**
 * NRIC and FIN numbers: weights 2 7 6 5 4 3 2 and modulus 11. Series S, T, F, G and, since 2022, M of the Immigration &
 * Checkpoints Authority.
 */
function isNric(number: string): boolean {
  const [added, letters] = nricLetters[number.charAt(0)] ?? [0, '']
  return letters[(sumWeighted(number.slice(1), [2, 7, 6, 5, 4, 3, 2]) + added) % 11] === number[8]
}

/** Multiplication in the dihedral group D5: rotations are 0 to 4, reflections 5 to 9. */
function multiplyInD5(a: number, b: number): number {
  const rotation = a < 5 ? a + b : a - b + 10
  return (rotation % 5) + (a < 5 === b < 5 ? 0 : 5)
}
const permutation = '1576283094'

/**
 * Aadhaar: Verhoeff check digit, never beginning with 0 or 1, and never a palindrome: UIDAI, "A UID Numbering Scheme"
 * (2010).
 */
function isAadhaar(number: string): boolean {
  let check = 0
  for (const [place, digit] of splitDigits(number).toReversed().entries()) {
    let permutedDigit = digit
    for (let times = 0; times < place % 8; times += 1) permutedDigit = parseDigits(permutation.charAt(permutedDigit))
    check = multiplyInD5(check, permutedDigit)
  }
  const isPalindrome = number === number.split('').toReversed().join('')
  return check === 0 && !/^[01]/.test(number) && !isPalindrome
}

/** Cadastro de Pessoas Físicas: two check digits, modulus 11, as the Receita Federal publishes them. */
const isCpf = (number: string) =>
  [9, 10].every((length) => {
    const weights = Array.from({ length }, (_, index) => length + 1 - index)
    return ((sumWeighted(number, weights) * 10) % 11) % 10 === parseDigits(number.charAt(length))
  })

const rules: { readonly [countryCode: string]: Rule } = {
  US: {
    format: /^\d{9}$/,
    shape: '###-##-####',
    // "Three digits, two digits, four digits with dashes": the only country that requires a grouping.
    requiredPunctuation: /^\d{3}\D+\d\d\D+\d{4}$/,
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
 * Normalizes a number for comparison: uppercase letters and digits without compatibility forms, single spaces, `-` for
 * any dash, no invisible characters.
 */
export const normalizeNumber = (text: string): string =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    // The last one is the long vowel mark, which Japanese keyboards type in place of a dash.
    .replaceAll(/[\p{Pd}\u2212\u2500\u30FC]/gu, '-')
    .replaceAll(/[\u00B7\u2022\u30FB]/gu, '.')
    .trim()

/** Returns the letters and digits of a number; undefined if it contains anything but punctuation between them. */
function parsePlainNumber(text: string): string | undefined {
  const normalized = normalizeNumber(text)
  return /^[\dA-Z]+(?:[ ./-]{1,3}[\dA-Z]+)*$/.test(normalized) ? normalized.replaceAll(/[ ./-]/g, '') : undefined
}

/** Inserts the punctuation of `shape`, up to the last character of `plain`. */
function applyShape(shape: string, plain: string): string {
  let formatted = ''
  let at = 0
  for (const symbol of shape) {
    if (at === plain.length) break
    formatted += symbol === '#' ? plain.charAt(at) : symbol
    if (symbol === '#') at += 1
  }
  return formatted
}

/**
 * Parses a national number of the country with this ISO code, in any common grouping. Returns its stored form, such as
 * "123-45-6789", or the reason for refusing it. Numbers of one repeated digit are never issued.
 */
export function parseNationalId(
  countryCode: string,
  text: string,
): { readonly number: string } | { readonly problem: NumberProblem } {
  const rule = rules[countryCode]
  const plain = parsePlainNumber(text)
  if (!rule || plain === undefined || !rule.format.test(plain)) return { problem: 'format' }
  if (rule.requiredPunctuation && !rule.requiredPunctuation.test(normalizeNumber(text))) return { problem: 'format' }
  if (new Set(plain.replaceAll(/[A-Z]/g, '')).size === 1) return { problem: 'never_issued' }
  if (countryCode === 'US' && isItin(plain)) return { problem: 'itin' }
  if (!rule.isIssued(plain)) return { problem: 'never_issued' }
  return { number: rule.shape === undefined ? plain : applyShape(rule.shape, plain) }
}

/** Returns the reason for refusing a national number; undefined if it is valid. */
export function findNationalIdProblem(countryCode: string, text: string): NumberProblem | undefined {
  const parsed = parseNationalId(countryCode, text)
  return 'problem' in parsed ? parsed.problem : undefined
}

/** Reasons for refusing an Indian permanent account number. */
export type PanProblem = 'format' | 'not_personal' | 'never_issued'

/**
 * Parses an Indian permanent account number as the Income Tax Department prints it. The fourth letter is the kind of
 * holder, P for a person, and serial numbers begin at 0001.
 */
export function parsePan(text: string): { readonly number: string } | { readonly problem: PanProblem } {
  const number = parsePlainNumber(text) ?? ''
  if (!/^[A-Z]{5}\d{4}[A-Z]$/.test(number)) return { problem: 'format' }
  if (number.charAt(3) !== 'P') return { problem: 'not_personal' }
  return number.includes('0000') ? { problem: 'never_issued' } : { number }
}

/**
 * Reports whether an Australian Medicare number can have been issued: ten digits with a check digit in ninth place, and
 * optionally the cardholder's position on the card, in any grouping. Services Australia, cited in AIHW METeOR 270101.
 */
export function isMedicareNumber(text: string): boolean {
  const number = parsePlainNumber(text) ?? ''
  return (
    /^[2-6]\d{9}\d?$/.test(number) &&
    sumWeighted(number, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === parseDigits(number.charAt(8))
  )
}
