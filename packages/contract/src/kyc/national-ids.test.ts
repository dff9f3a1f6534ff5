import { describe, expect, test } from 'vitest'
import { generateNationalId } from '@tern/testkit/national-ids'
import { countries } from '../countries.ts'
import { isMedicareNumber, findNationalIdProblem, parseNationalId, parsePan } from './national-ids.ts'

/** Published samples: examples and test numbers of the authorities, and worked examples of the standards. */
const samples: readonly (readonly [code: string, ...numbers: string[]])[] = [
  ['US', '123-45-6789', '536-90-4399'],
  ['GB', 'AB123456C', 'JG103759A', 'AP019283D'],
  ['CA', '130-692-544', '193-456-787', '123-456-782', '999-999-998'],
  ['AU', '123 456 782', '876 543 210', '100 000 06', '100 000 19'],
  ['DE', '65929970489', '86095742719', '47036892816'],
  ['FR', '2 55 08 14168 025 38', '1 84 12 76451 089 46', '1 85 05 78006 084 91'],
  ['JP', '1234-5678-9018'],
  ['SG', 'S1234567D', 'T1234567J', 'F1234567N', 'G1234567X', 'M1234567K'],
  ['IN', '9999 4105 7058', '9999 5518 3433', '9999 3311 9405'],
  ['BR', '529.982.247-25', '111.444.777-35'],
]

const numbers = samples.flatMap(([code, ...listedNumbers]) => listedNumbers.map((number) => [code, number] as const))
const first = samples.map(([code, number]) => [code, number!] as const)
const digitAt = (number: string, place: number, digit: (oldDigit: number) => number) =>
  number.slice(0, place) + String(digit(Number(number[place]))) + number.slice(place + 1)
const findLastDigit = (number: string) => number.search(/\d\D*$/)

test('every country has samples', () => {
  expect(samples.map(([code]) => code)).toEqual(countries.map(({ code }) => code))
})

test.each(numbers)('%s: %s is a number', (code, number) => {
  expect(findNationalIdProblem(code, number)).toBeUndefined()
})

test.each(first.filter(([code]) => code !== 'US' && code !== 'GB'))('%s: a wrong digit is found', (code, number) => {
  for (const place of Array.from(number, (_, at) => at).filter((at) => /\d/.test(number[at]!))) {
    expect(
      findNationalIdProblem(
        code,
        digitAt(number, place, (oldDigit) => (oldDigit + 1) % 10),
      ),
      `place ${place}`,
    ).toBe('never_issued')
  }
})

test.each(first)('%s: only plain letters and digits, as many as the country has', (code, number) => {
  const place = findLastDigit(number)
  const invalidNumbers = [
    writeInDigits(0x660, number),
    writeInDigits(0x966, number),
    `${number}0`,
    number.slice(0, place - 2),
  ]
  invalidNumbers.push(
    number.slice(0, place) + 'O' + number.slice(place + 1),
    `-${number}`,
    `${number}-`,
    `${number}\u0000`,
    '',
  )
  for (const variant of invalidNumbers) expect(findNationalIdProblem(code, variant), variant).toBe('format')
})

const writeInDigits = (zero: number, number: string) =>
  number.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))

test.each(first)('%s: every grouping is stored in one form', (code, number) => {
  const variants = [
    number.replaceAll(/[-. ]/g, '\u00A0'),
    number.replaceAll(/[-. ]/g, '\u2009'),
    number.replaceAll(/[-. ]/g, '\u2011'),
    number.replaceAll(/[-. ]/g, '\u2212'),
    number.replaceAll(/[-. ]/g, ' \u2013 '),
    number.replaceAll(/[-. ]/g, '\u30FC'),
    number.toLowerCase(),
    writeInDigits(0xff10, number),
    ` \u202D${number}\u202C\n`,
  ]
  if (code !== 'US') variants.push(number.replaceAll(/[-. ]/g, ''), number.replaceAll(/(.)/g, '$1 ').trim())
  for (const text of variants) expect(parseNationalId(code, text), JSON.stringify(text)).toEqual({ number })
  expect(findNationalIdProblem(code, number.replace(/(\w)(\w)/, '$1_$2'))).toBe('format')
})

test('an SSN needs its hyphens', () => {
  for (const variant of ['536904399', '5-36-904399', '53-690-4399', '536-904399'])
    expect(findNationalIdProblem('US', variant), variant).toBe('format')
})

/** Numbers as tax offices print them, with the verdict of the authority or of python-stdnum. */
test.each([
  ['US', '078-05-1120', 'never_issued'],
  ['US', '219-09-9999', 'never_issued'],
  ['US', '457-55-5462', 'never_issued'],
  ['US', '042-10-3580', 'never_issued'],
  ['US', '165-24-7999', 'never_issued'],
  ['US', '987-65-4321', 'never_issued'],
  ['US', '912-90-3456', 'itin'],
  ['US', '900-50-1234', 'itin'],
  ['US', '999-88-1234', 'itin'],
  ['US', '912-93-3456', 'never_issued'],
  ['US', '912-89-3456', 'never_issued'],
  ['US', '912-49-3456', 'never_issued'],
  ['AU', '999 999 999', 'never_issued'],
  ['AU', '100 000 07', 'never_issued'],
  ['AU', '81 854 402', '818 544 02'],
  ['AU', '81-854-402', '818 544 02'],
  ['AU', '81 854 403', 'never_issued'],
  ['AU', '565 051 603', '565 051 603'],
  ['US', '536.90.4399', '536-90-4399'],
  ['US', 'SSN 536-90-4399', 'format'],
  ['US', '93-1234567', 'format'],
  ['GB', 'AB.12.34.56.C', 'AB123456C'],
  ['GB', 'AB123456', 'format'],
  ['GB', 'TN 01 12 50 A', 'never_issued'],
  ['CA', '130/692/544', '130-692-544'],
  ['DE', '36.574.261.809', '36574261809'],
  ['DE', '02 476 291 358', 'never_issued'],
  ['DE', 'DE123456789', 'format'],
  ['FR', '2-55-08-14-168-025-38', '2 55 08 14168 025 38'],
  ['FR', '6 84 12 76451 089 46', 'never_issued'],
  ['FR', '2 53 07 2C073 004 43', 'format'],
  ['JP', '1234・5678・9018', '1234-5678-9018'],
  ['JP', '7000012050002', 'format'],
  ['SG', 'S-1234567-D', 'S1234567D'],
  ['SG', 'S1234567A', 'never_issued'],
  ['IN', '2341.2341.2346', '2341 2341 2346'],
  ['BR', '12.345.678/0001-95', 'format'],
  ['DE', '36 574 261 809', '36574261809'],
  ['DE', '65 929 970 489', '65929970489'],
  ['DE', '36554266806', 'never_issued'],
  ['FR', '2 95 10 99 126 111 93', '2 95 10 99126 111 93'],
  ['FR', '2 53 07 2B073 004 70', '2 53 07 2B073 004 70'],
  ['FR', '2 53 07 2a 073 004 43', '2 53 07 2A073 004 43'],
  ['IN', '2341 2341 2346', '2341 2341 2346'],
  ['IN', '2341-2341-2346', '2341 2341 2346'],
  ['IN', '2000 0990 0002', 'never_issued'],
  ['IN', '2000 1991 0002', 'never_issued'],
  ['BR', '390.533.447-05', '390.533.447-05'],
  ['BR', '390533447/05', '390.533.447-05'],
  ['BR', '231.002.999-00', 'never_issued'],
  ['CA', '123 456 782', '123-456-782'],
  ['GB', 'QQ 12 34 56 C', 'never_issued'],
  ['GB', 'AB 12 34 56 C', 'AB123456C'],
  ['GB', 'ab123456c', 'AB123456C'],
  ['SG', 's1234567d', 'S1234567D'],
  ['JP', '1234 5678 9018', '1234-5678-9018'],
])('%s: %s as a tax office prints it: %s', (code, written, expected) => {
  const parsed = parseNationalId(code, written)
  expect('number' in parsed ? parsed.number : parsed.problem).toBe(expected)
})

test.each(first)('%s: a repeated digit is not a valid number', (code, number) => {
  for (const digit of '0123456789') {
    expect(findNationalIdProblem(code, number.replaceAll(/\d/g, digit))).toBe('never_issued')
  }
})

test.each([
  ['US', 'area 000', '000-45-6789'],
  ['US', 'area 666', '666-45-6789'],
  ['US', 'area 9xx', '900-45-6789'],
  ['US', 'group 00', '123-00-6789'],
  ['US', 'serial 0000', '123-45-0000'],
  ['GB', 'the example prefix QQ', 'QQ123456C'],
  ['GB', 'a prefix that is never used', 'GB123456A'],
  ['GB', 'O as the second letter', 'AO123456A'],
  ['GB', 'a suffix beyond D', 'AB123456E'],
  ['CA', 'a first digit 0', '046-454-286'],
  ['CA', 'a first digit 8', '812-345-674'],
  ['DE', 'a first digit 0', '01234567890'],
  ['DE', 'no digit twice', '12345678903'],
  ['FR', 'month 13', '2 55 13 14168 025 20'],
  ['IN', 'a first digit 1', '1234 5678 9010'],
])('%s: %s was never issued', (code, _what, number) => {
  expect(findNationalIdProblem(code, number)).toBe('never_issued')
})

test('numbers from Corsica may contain letters', () => {
  expect(findNationalIdProblem('FR', '1 85 05 2A004 084 10')).toBe('never_issued')
  const key = (body: string, replacement: string) => {
    const plain = body.replaceAll(' ', '').replace(/2[AB]/, replacement)
    return String(97n - (BigInt(plain) % 97n)).padStart(2, '0')
  }
  for (const [department, countedAs] of [
    ['2A', '19'],
    ['2B', '18'],
  ] as const) {
    const body = `1 85 05 ${department}004 084`
    expect(findNationalIdProblem('FR', `${body} ${key(body, countedAs)}`)).toBeUndefined()
  }
})

describe('the extra numbers', () => {
  test.each([
    ['ACUPA7085R', 'ACUPA7085R'],
    ['acupa 7085 r', 'ACUPA7085R'],
    ['ABMXA3211G', 'not_personal'],
    ['AAACA1234F', 'not_personal'],
    ['ABCDE1234F', 'not_personal'],
    ['AAAHA1234F', 'not_personal'],
    ['ACUPA0000R', 'never_issued'],
    ['ABCPE12345', 'format'],
    ['ABCP1234FG', 'format'],
    ['ABCPE1234', 'format'],
    ['٠', 'format'],
  ])('PAN %s: %s', (written, expected) => {
    const parsed = parsePan(written)
    expect('number' in parsed ? parsed.number : parsed.problem).toBe(expected)
  })

  test('Medicare numbers are validated by their check digit', () => {
    const groupedForms = ['2123-45670-1', '2123 45670-1', '2123 45670 1 / 1', '2123\u00A045670\u00A01', '２123 45670 1']
    for (const validNumber of ['2123456701', '2123 45670 1', '2123 45670 1 1', '2428 77813 2/1', ...groupedForms]) {
      expect(isMedicareNumber(validNumber), validNumber).toBe(true)
    }
    const other = ['7123 45670 1', '2123 45670 1 22', '2123_45670_1', 'A123 45670 1', '٢١٢٣ ٤٥٦٧٠ ١']
    for (const invalidNumber of ['2123 45671 1', '1123 45670 1', '2123', '2123 45670', ...other]) {
      expect(isMedicareNumber(invalidNumber), invalidNumber).toBe(false)
    }
  })
})

test.each(countries.map(({ name, code }) => [name, code]))(
  'generated test numbers of %s are valid and unique',
  (name, code) => {
    const generated = Array.from({ length: 20 }, () => generateNationalId(name))
    expect(new Set(generated).size).toBe(20)
    for (const number of generated) expect(findNationalIdProblem(code, number), number).toBeUndefined()
  },
)
