import { AssertionError } from 'node:assert'

// PostgreSQL array literals without the driver, whose type check of each element is too slow for thousands of elements.

/**
 * Builds an array literal of values that need no quoting: numbers, UUIDs, ISO times, codes. Throws AssertionError for
 * other texts, which could be parsed as several elements.
 */
export function plainArray<T>(items: readonly T[], of: (item: T, index: number) => Plain): string {
  const texts = items.map((item, index) => {
    const value = of(item, index)
    if (typeof value === 'string' && !needsNoQuotes.test(value)) {
      throw new AssertionError({ message: `"${value}" is no plain value` })
    }
    return value ?? 'NULL'
  })
  return `{${texts.join()}}`
}

type Plain = string | number | bigint | undefined

const needsNoQuotes = /^(?!null$)[\w.:+-]+$/i

/** Builds an array literal of arbitrary texts. */
export const textArray = <T>(items: readonly T[], of: (item: T) => string | undefined): string =>
  `{${items.map((item) => quoted(of(item))).join()}}`

const quoted = (value: string | undefined): string =>
  value === undefined ? 'NULL' : `"${value.replace(/["\\]/g, '\\$&')}"`
