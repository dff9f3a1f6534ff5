/** What is wrong with a number: how it is written, or that no such number is ever issued. */
export type NumberProblem = 'format' | 'never_issued'

interface Rule {
  /** The form of `idFormat` in the table of countries, in ASCII only. */
  readonly format: RegExp
  /** Whether the letters and digits, without punctuation, can have been issued. */
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
 * Social Security number. No area 000, 666 or 9xx, no group 00, no serial 0000: Social Security Administration, "Social
 * Security Number Randomization" and POMS RM 10201.035. There is no check digit.
 */
const isSsn = (number: string) => !/^(?:000|666|9)|^...00|0000$/.test(number)

/** National Insurance number. The prefixes that are never used: HM Revenue & Customs, NIM39110. */
const isNino = (number: string) =>
  /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(number)

/**
 * Social Insurance number: Luhn's check digit. No person's number begins with 0, and 8 is for businesses: Employment and
 * Social Development Canada, "The Social Insurance Number Code of Practice", and Canada Revenue Agency.
 */
const isSin = (number: string) => /^[^08]/.test(number) && passesLuhn(number)

/** Tax file number: weights and modulus 11, as the Australian Taxation Office gives them to software developers. */
const isTfn = (number: string) => weighted(number, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0

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

/** Aadhaar: Verhoeff's check digit, never beginning with 0 or 1: UIDAI, "A UID Numbering Scheme" (2010). */
function isAadhaar(number: string): boolean {
  let check = 0
  for (const [place, digit] of digitsOf(number).toReversed().entries()) {
    let permuted = digit
    for (let times = 0; times < place % 8; times += 1) permuted = valueOf(permutation.charAt(permuted))
    check = composed(check, permuted)
  }
  return check === 0 && !/^[01]/.test(number)
}

/** Cadastro de Pessoas Físicas: two check digits, modulus 11, as the Receita Federal publishes them. */
const isCpf = (number: string) =>
  [9, 10].every((length) => {
    const weights = Array.from({ length }, (_, index) => length + 1 - index)
    return ((weighted(number, weights) * 10) % 11) % 10 === valueOf(number.charAt(length))
  })

const rules: { readonly [countryCode: string]: Rule } = {
  US: { format: /^\d{3}-\d{2}-\d{4}$/, isIssued: isSsn },
  GB: { format: /^[A-Z]{2}\d{6}[A-Z]$/, isIssued: isNino },
  CA: { format: /^\d{3}-\d{3}-\d{3}$/, isIssued: isSin },
  AU: { format: /^\d{3} \d{3} \d{3}$/, isIssued: isTfn },
  DE: { format: /^\d{11}$/, isIssued: isTin },
  FR: { format: /^\d \d\d \d\d (?:\d{5}|2[AB]\d{3}) \d{3} \d\d$/, isIssued: isNir },
  JP: { format: /^\d{4}-\d{4}-\d{4}$/, isIssued: isMyNumber },
  SG: { format: /^[STFGM]\d{7}[A-Z]$/, isIssued: isNric },
  IN: { format: /^\d{4} \d{4} \d{4}$/, isIssued: isAadhaar },
  BR: { format: /^\d{3}\.\d{3}\.\d{3}-\d\d$/, isIssued: isCpf },
}

/**
 * What is wrong with a national number of the country with this ISO code; undefined if it can be somebody's. Takes it as
 * `verificationForm` gives it: NFKC and in capitals. One digit repeated is nobody's number.
 */
export function nationalIdProblem(countryCode: string, number: string): NumberProblem | undefined {
  const rule = rules[countryCode]
  if (!rule?.format.test(number)) return 'format'
  const plain = number.replaceAll(/[^\dA-Z]/g, '')
  const isRepeated = new Set(plain.replaceAll(/[A-Z]/g, '')).size === 1
  return isRepeated || !rule.isIssued(plain) ? 'never_issued' : undefined
}

/** Whether an Indian permanent account number is written as the Income Tax Department prints it. */
export const isPan = (number: string): boolean => /^[A-Z]{5}\d{4}[A-Z]$/.test(number)

/**
 * Whether an Australian Medicare number can have been issued: ten digits, with or without the number of the person on the
 * card, and the ninth a check digit. Services Australia, as AIHW's METeOR 270101 gives it.
 */
export function isMedicareNumber(number: string): boolean {
  if (!/^[2-6]\d{3} ?\d{5} ?\d(?:[ /-]?\d)?$/.test(number)) return false
  const digits = number.replaceAll(/\D/g, '')
  return weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === valueOf(digits.charAt(8))
}
