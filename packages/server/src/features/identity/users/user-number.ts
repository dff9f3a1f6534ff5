import { randomInt } from 'node:crypto'

// Quasigroup of order 10 by H. Michael Damm, for his check digit algorithm.
const quasigroup = [
  [0, 3, 1, 7, 5, 9, 8, 6, 4, 2],
  [7, 0, 9, 2, 1, 5, 4, 8, 6, 3],
  [4, 2, 0, 6, 8, 7, 1, 3, 5, 9],
  [1, 7, 5, 0, 9, 8, 3, 4, 2, 6],
  [6, 1, 2, 3, 0, 4, 5, 9, 7, 8],
  [3, 6, 7, 4, 2, 0, 9, 5, 8, 1],
  [5, 8, 6, 9, 7, 2, 0, 1, 3, 4],
  [8, 9, 4, 5, 3, 6, 2, 0, 1, 7],
  [9, 4, 3, 8, 6, 1, 7, 2, 0, 5],
  [2, 5, 8, 1, 4, 3, 6, 7, 9, 0],
] as const

const dammDigit = (digits: string): number => {
  let interim = 0
  for (const digit of digits) interim = quasigroup[interim]?.['0123456789'.indexOf(digit)] ?? 0
  return interim
}

/** Generates a random user number: nine digits and a check digit. */
export function newUserNumber(): bigint {
  const digits = String(randomInt(100_000_000, 1_000_000_000))
  return BigInt(`${digits}${dammDigit(digits)}`)
}

/** True for ten digits with a valid check digit, whether or not a user has the number. */
export const isUserNumber = (id: bigint): boolean => /^[1-9]\d{9}$/.test(String(id)) && dammDigit(String(id)) === 0
