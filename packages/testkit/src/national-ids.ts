import { randomInt } from 'node:crypto'
import { countries } from '@tern/contract/countries'
import { findNationalIdProblem } from '@tern/contract/kyc/national-ids'

/**
 * Format of each country's numbers: `9` is any digit, `A` any of `letters`, `L` the letter C; other characters are
 * literal.
 */
const shapes: Readonly<Record<string, readonly [shape: string, letters: string]>> = {
  'United States': ['999-99-9999', ''],
  'United Kingdom': ['AA999999L', 'ABCEHJKLMPRSTWXYZ'],
  Canada: ['999-999-999', ''],
  Australia: ['999 999 999', ''],
  Germany: ['99999999999', ''],
  France: ['2 99 99 99999 999 99', ''],
  Japan: ['9999-9999-9999', ''],
  Singapore: ['S9999999A', 'ABCDEFGHIJZ'],
  India: ['9999 9999 9999', ''],
  Brazil: ['999.999.999-99', ''],
}

/**
 * Returns ten digits like those of a German number, with one digit twice, followed by a `9` in place of the check
 * digit.
 */
function createRepeatedDigits(): string {
  const digits = Array.from('0123456789', (digit) => ({ digit, at: Math.random() }))
  const shuffled = digits.toSorted((a, b) => a.at - b.at).map(({ digit }) => digit)
  return [...shuffled.slice(1, 5), shuffled[9], ...shuffled.slice(5), '9'].join('')
}

/**
 * Returns a valid national number of a resident of `country`. It is random, because a number given by two people is not
 * verified automatically. Tries numbers until one passes the product's check, which is tested with published samples.
 */
export function generateNationalId(country: string): string {
  const code = countries.find(({ name }) => name === country)?.code
  const [shape, letters] = shapes[country] ?? []
  if (code === undefined || shape === undefined || letters === undefined) throw new Error(`${country} is not supported`)
  for (;;) {
    const candidate = (code === 'DE' ? createRepeatedDigits() : shape)
      .replaceAll('9', () => String(randomInt(10)))
      .replaceAll('A', () => letters.charAt(randomInt(letters.length)))
      .replaceAll('L', 'C')
    if (findNationalIdProblem(code, candidate) === undefined) return candidate
  }
}
