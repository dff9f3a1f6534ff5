import { expect, test } from 'vitest'
import { isUserNumber, newUserNumber } from './user-number.ts'

const numbers = Array.from({ length: 200 }, newUserNumber)

test('a new number has ten digits in random order', () => {
  expect(numbers.every((number) => number >= 1_000_000_000n && number <= 9_999_999_999n && isUserNumber(number))).toBe(
    true,
  )
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(new Set(numbers.map((number) => String(number)[0])).size).toBe(9)
})

test('catches every wrong digit and every swap of neighbors', () => {
  for (const number of numbers) {
    const digits = String(number)
    for (let at = 0; at < digits.length; at += 1) {
      for (let digit = 0; digit < 10; digit += 1) {
        const mistypedNumber = `${digits.slice(0, at)}${digit}${digits.slice(at + 1)}`
        if (mistypedNumber !== digits)
          expect(isUserNumber(BigInt(mistypedNumber)), `${digits} as ${mistypedNumber}`).toBe(false)
      }
      const swappedNumber = `${digits.slice(0, at)}${digits[at + 1] ?? ''}${digits[at]}${digits.slice(at + 2)}`
      if (swappedNumber !== digits)
        expect(isUserNumber(BigInt(swappedNumber)), `${digits} as ${swappedNumber}`).toBe(false)
    }
  }
})

test.each([0n, 1n, -1_234_567_890n, 999_999_999n, 10_000_000_000n, 99_999_999_999n])(
  '%s is not a user number',
  (number) => {
    expect(isUserNumber(number)).toBe(false)
  },
)
