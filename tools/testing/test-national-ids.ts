import { randomInt } from 'node:crypto'
import { countries } from '@tern/contract/countries'
import { nationalIdProblem } from '@tern/contract/kyc/national-ids'

/** How each country's numbers are written: 9 stands for any digit, other characters for themselves or what `letters` has. */
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

/** Ten digits of which one stands twice and no other more than once, as in a German number, and the check digit's place. */
function oneTwice(): string {
  const digits = Array.from('0123456789', (digit) => ({ digit, at: Math.random() }))
  const mixed = digits.toSorted((one, other) => one.at - other.at).map(({ digit }) => digit)
  return [...mixed.slice(1, 5), mixed[9], ...mixed.slice(5), '9'].join('')
}

/**
 * A valid national number of a resident of `country`, at random, so that nobody else has it: a number that two people give is
 * never verified by itself. Tries until one passes the product's own check, which published samples test.
 */
export function nationalIdOf(country: string): string {
  const code = countries.find(({ name }) => name === country)?.code
  const [shape, letters] = shapes[country] ?? []
  if (code === undefined || shape === undefined || letters === undefined) throw new Error(`${country} is not supported`)
  for (;;) {
    const tried = (code === 'DE' ? oneTwice() : shape)
      .replaceAll('9', () => String(randomInt(10)))
      .replaceAll('A', () => letters.charAt(randomInt(letters.length)))
      .replaceAll('L', 'C')
    if (nationalIdProblem(code, tried) === undefined) return tried
  }
}
