import { describe, expect, test } from 'vitest'
import { nationalIdOf } from '../../../../tools/testing/test-national-ids.ts'
import { countries } from '../countries.ts'
import { isMedicareNumber, isPan, nationalIdProblem } from './national-ids.ts'

/** Published samples: the authorities' examples and test numbers, and those that the standard texts compute by hand. */
const samples: readonly (readonly [code: string, ...numbers: string[]])[] = [
  ['US', '123-45-6789', '078-05-1120', '219-09-9999'],
  ['GB', 'AB123456C', 'JG103759A', 'AP019283D'],
  ['CA', '130-692-544', '193-456-787'],
  ['AU', '123 456 782', '876 543 210'],
  ['DE', '65929970489', '86095742719', '47036892816'],
  ['FR', '2 55 08 14168 025 38', '1 84 12 76451 089 46', '1 85 05 78006 084 91'],
  ['JP', '1234-5678-9018'],
  ['SG', 'S1234567D', 'T1234567J', 'F1234567N', 'G1234567X', 'M1234567K'],
  ['IN', '9999 4105 7058', '9999 5518 3433', '9999 3311 9405'],
  ['BR', '529.982.247-25', '111.444.777-35'],
]

const numbers = samples.flatMap(([code, ...listed]) => listed.map((number) => [code, number] as const))
const first = samples.map(([code, number]) => [code, number!] as const)
const digitAt = (number: string, place: number, digit: (old: number) => number) =>
  number.slice(0, place) + String(digit(Number(number[place]))) + number.slice(place + 1)
const lastDigitOf = (number: string) => number.search(/\d\D*$/)

test('every country has samples', () => {
  expect(samples.map(([code]) => code)).toEqual(countries.map(({ code }) => code))
})

test.each(numbers)('%s: %s is a number', (code, number) => {
  expect(nationalIdProblem(code, number)).toBeUndefined()
})

test.each(first.filter(([code]) => code !== 'US' && code !== 'GB'))('%s: a wrong digit is found', (code, number) => {
  for (const place of Array.from(number, (_, at) => at).filter((at) => /\d/.test(number[at]!))) {
    expect(
      nationalIdProblem(
        code,
        digitAt(number, place, (old) => (old + 1) % 10),
      ),
      `place ${place}`,
    ).toBe('never_issued')
  }
})

test.each(first)('%s: only ASCII, only as the country writes it', (code, number) => {
  const place = lastDigitOf(number)
  const inDigitsFrom = (zero: number) => number.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
  const wrong = [
    inDigitsFrom(0x660),
    inDigitsFrom(0x966),
    `${number}0`,
    number.slice(0, -1),
    ` ${number}`,
    `${number}\n`,
  ]
  wrong.push(number.slice(0, place) + 'O' + number.slice(place + 1), `-${number}`, '')
  for (const written of wrong) expect(nationalIdProblem(code, written), written).toBe('format')
  // The schema reads full-width digits before this check.
  expect(nationalIdProblem(code, inDigitsFrom(0xff10).normalize('NFKC'))).toBeUndefined()
})

test.each(first.filter(([, number]) => /[-. ]/.test(number)))(
  '%s: dashes, dots and spaces in place',
  (code, number) => {
    expect(nationalIdProblem(code, number.replaceAll(/[-. ]/g, ''))).toBe('format')
    expect(nationalIdProblem(code, number.replace(/(\d)([-. ])/, '$2$1'))).toBe('format')
    expect(nationalIdProblem(code, number.replaceAll(/[-. ]/g, '_'))).toBe('format')
  },
)

test.each(first)('%s: one digit repeated is no number', (code, number) => {
  for (const digit of '0123456789') {
    expect(nationalIdProblem(code, number.replaceAll(/\d/g, digit))).toBe('never_issued')
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
  expect(nationalIdProblem(code, number)).toBe('never_issued')
})

test('Corsica has letters in its numbers', () => {
  expect(nationalIdProblem('FR', '1 85 05 2A004 084 10')).toBe('never_issued')
  const key = (body: string, replaced: string) => {
    const plain = body.replaceAll(' ', '').replace(/2[AB]/, replaced)
    return String(97n - (BigInt(plain) % 97n)).padStart(2, '0')
  }
  for (const [department, counted] of [
    ['2A', '19'],
    ['2B', '18'],
  ] as const) {
    const body = `1 85 05 ${department}004 084`
    expect(nationalIdProblem('FR', `${body} ${key(body, counted)}`)).toBeUndefined()
  }
})

describe('the extra numbers', () => {
  test('PAN by its pattern', () => {
    expect(isPan('ABCDE1234F')).toBe(true)
    for (const wrong of ['ABCDE12345', 'ABCD1234FG', 'ABCDE1234', '٠']) expect(isPan(wrong), wrong).toBe(false)
  })

  test('Medicare by its check digit', () => {
    for (const right of ['2123456701', '2123 45670 1', '2123 45670 1 1', '2428 77813 2/1']) {
      expect(isMedicareNumber(right), right).toBe(true)
    }
    for (const wrong of ['2123 45671 1', '1123 45670 1', '2123', '2123 45670', '２123 45670 1']) {
      expect(isMedicareNumber(wrong), wrong).toBe(false)
    }
  })
})

test.each(countries.map(({ name, code }) => [name, code]))(
  'a number for tests of %s passes and is new',
  (name, code) => {
    const made = Array.from({ length: 20 }, () => nationalIdOf(name))
    expect(new Set(made).size).toBe(20)
    for (const number of made) expect(nationalIdProblem(code, number), number).toBeUndefined()
  },
)
